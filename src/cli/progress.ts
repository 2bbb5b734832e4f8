/** Progress of a recording on stderr: a spinner on a terminal, plain lines otherwise. */
import type { Ora } from 'ora';
import type { Event } from '../events/event.js';
import { totalInput, usageOf } from '../events/usage.js';
import { duration, integer } from './table.js';

/** A terminal, or what stands in its place. */
type Out = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> & NodeJS.WritableStream;

export interface Progress {
  /** Trials and probes of the run, and how many of them are done already. */
  start(total: number, done: number): void;
  event(event: Event): void;
  stop(): void;
}

/**
 * Tokens are the running sum of what was reported so far, or estimated (`~`). What is left is estimated from the trials
 * that were done since the start. `now` is in milliseconds.
 */
export function openProgress(stream: Out, now: () => number = () => performance.now()): Progress {
  const state = { total: 0, before: 0, done: 0, began: 0, tokens: 0, mark: '', trial: '' };
  const turns = new Map<string, number>();
  // A terminal that says it has no columns would have a spinner redraw for ever.
  const animated = stream.isTTY && stream.columns > 0;
  let spinner: Ora | null = null;
  let stopped = false;
  const line = (count: number) => {
    const elapsed = now() - state.began;
    const { total, before, done } = state;
    const left = done === 0 ? '' : `, about ${duration(((total - before - done) * elapsed) / done)} left`;
    const at = turns.get(state.trial) ?? 0;
    const turn = at > 0 ? `  turn ${at}` : '';
    return `trial ${count} of ${total}  ${state.trial}${turn}  ${state.mark}${integer(state.tokens)} tokens  ${duration(elapsed)}${left}`;
  };
  return {
    start(total, done) {
      Object.assign(state, { total, before: done, began: now() });
      if (!animated) return;
      void startSpinner(stream).then((started) => {
        if (stopped) started.stop();
        else spinner = started;
      });
    },
    event(event) {
      if (event.type === 'trial_open' || event.type === 'turn_request' || event.type === 'close')
        state.trial = event.trial;
      if (event.type === 'turn_request') turns.set(event.trial, event.turn);
      if (event.type === 'close') state.done += 1;
      const count = state.before + state.done;
      if (event.type === 'model_turn') {
        state.tokens += tokensOf(event.usage);
        state.mark = event.usage_source === 'estimate' ? '~' : '';
      }
      if (spinner !== null) spinner.text = line(Math.min(count + 1, state.total));
      else if (event.type === 'close' && !animated)
        stream.write(`${line(count)}  ${event.status}${event.failure === null ? '' : ` ${event.failure}`}\n`);
    },
    stop() {
      stopped = true;
      spinner?.stop();
    },
  };
}

async function startSpinner(stream: Out): Promise<Ora> {
  const { default: ora } = await import('ora');
  const color = process.env.NO_COLOR ? false : 'cyan';
  return ora({ stream, discardStdin: false, text: 'starting', color }).start();
}

function tokensOf(usage: unknown): number {
  const counted = usageOf(usage);
  return counted === null ? 0 : totalInput(counted) + counted.output_tokens;
}
