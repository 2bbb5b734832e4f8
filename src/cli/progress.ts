/** Progress of a recording on stderr: a spinner on a terminal, plain lines otherwise. */
import type { Ora } from 'ora';
import type { Event } from '../events/event.js';
import { totalInput, usageOf } from '../events/usage.js';
import { integer } from './table.js';

export interface Progress {
  /** Trials and probes that will be run. */
  start(total: number): void;
  event(event: Event): void;
  stop(): void;
}

/** Tokens are the running sum of what was reported so far, or estimated (`~`). */
export function openProgress(stream: NodeJS.WriteStream): Progress {
  const state = { total: 0, index: 0, tokens: 0, mark: '', trial: '', turn: 0 };
  // A terminal that says it has no columns would have a spinner redraw for ever.
  const animated = stream.isTTY && stream.columns > 0;
  let spinner: Ora | null = null;
  let stopped = false;
  const line = () =>
    `trial ${state.index} of ${state.total}  ${state.trial}${state.turn > 0 ? `  turn ${state.turn}` : ''}  ${state.mark}${integer(state.tokens)} tokens`;
  return {
    start(total) {
      state.total = total;
      if (!animated) return;
      void startSpinner(stream).then((started) => {
        if (stopped) started.stop();
        else spinner = started;
      });
    },
    event(event) {
      if (event.type === 'trial_open')
        Object.assign(state, { index: state.index + 1, trial: event.trial, turn: 0 });
      if (event.type === 'turn_request') state.turn = event.turn;
      if (event.type === 'model_turn') {
        state.tokens += tokensOf(event.usage);
        state.mark = event.usage_source === 'estimate' ? '~' : '';
      }
      if (spinner !== null) spinner.text = line();
      else if (event.type === 'close' && !animated)
        stream.write(`${line()}  ${event.status}${event.failure === null ? '' : ` ${event.failure}`}\n`);
    },
    stop() {
      stopped = true;
      spinner?.stop();
    },
  };
}

async function startSpinner(stream: NodeJS.WriteStream): Promise<Ora> {
  const { default: ora } = await import('ora');
  const color = process.env.NO_COLOR ? false : 'cyan';
  return ora({ stream, discardStdin: false, text: 'starting', color }).start();
}

function tokensOf(usage: unknown): number {
  const counted = usageOf(usage);
  return counted === null ? 0 : totalInput(counted) + counted.output_tokens;
}
