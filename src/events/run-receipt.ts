/** The receipt of a run: what was asked, and the receipts of its trials and probes. */
import type { Event, EventOf } from './event.js';
import type { FailureCode } from './failures.js';
import { beginTrial, evolve } from './receipt.js';
import type { FaultReceipt, TrialReceipt } from './trial-receipt.js';

export type RunStatus = 'completed' | 'failed' | 'interrupted';

export interface RunReceipt {
  run: string;
  opened_at: string;
  open: EventOf<'run_open'>;
  /** `interrupted` until a `run_close` is read. */
  status: RunStatus;
  signal: string | null;
  failure: FailureCode | null;
  startup_code: string | null;
  message: string | null;
  /** Every attempt at every trial, probes too, in the order in which they began. */
  attempts: TrialReceipt[];
  /** Faults that belong to no trial. */
  faults: FaultReceipt[];
  events: number;
  /** seq of the last event: the next one has the number after it, unless events are missing. */
  last_seq: number;
  /** h of the last event. */
  head: string;
}

/** The receipt after one more event; null until the log's `run_open`. The receipt before is used up, as `evolve` says. */
export function evolveRun(receipt: RunReceipt | null, event: Event): RunReceipt | null {
  if (receipt === null) return event.type === 'run_open' ? beginRun(event) : null;
  const whole =
    event.seq === receipt.last_seq + 1 ? receipt : { ...receipt, attempts: withHole(receipt, event) };
  return { ...step(whole, event), events: receipt.events + 1, last_seq: event.seq, head: event.h };
}

function beginRun(open: EventOf<'run_open'>): RunReceipt {
  return {
    ...{ run: open.run, opened_at: open.at, open, status: 'interrupted', signal: null, failure: null },
    ...{ startup_code: null, message: null, attempts: [], faults: [], events: 1 },
    ...{ last_seq: open.seq, head: open.h },
  };
}

/** Events are missing before this one: they belong to a trial that was under way, or to the trial of this event. */
function withHole(receipt: RunReceipt, event: Event): TrialReceipt[] {
  const trial = 'trial' in event ? event.trial : null;
  const latest = new Map(receipt.attempts.map((attempt) => [attempt.trial, attempt]));
  return receipt.attempts.map((attempt) =>
    attempt === latest.get(attempt.trial) && (attempt.closed === null || attempt.trial === trial)
      ? { ...attempt, incomplete: true }
      : attempt,
  );
}

function step(receipt: RunReceipt, event: Event): RunReceipt {
  switch (event.type) {
    case 'trial_open':
      receipt.attempts.push(beginTrial(event));
      return receipt;
    case 'launch':
    case 'launch_end':
    case 'handshake':
    case 'catalog':
    case 'turn_request':
    case 'model_turn':
    case 'tool_call':
    case 'message':
    case 'close':
      return { ...receipt, attempts: inTrial(receipt.attempts, event.trial, event) };
    case 'fault':
      return event.trial === null
        ? faulted(receipt, event)
        : { ...receipt, attempts: inTrial(receipt.attempts, event.trial, event) };
    case 'run_interrupted':
      return { ...receipt, status: 'interrupted', signal: event.signal };
    case 'run_resumed':
      return { ...receipt, status: 'interrupted', signal: null };
    case 'run_close':
      return {
        ...receipt,
        ...{
          status: event.status,
          failure: event.failure,
          startup_code: event.startup_code,
          message: event.message,
        },
      };
    case 'run_open':
    case 'log_repaired':
    case 'grade':
    case 'override':
      return receipt;
    default:
      return event satisfies never;
  }
}

function faulted(receipt: RunReceipt, event: EventOf<'fault'>): RunReceipt {
  const { seq, code, severity, message } = event;
  return { ...receipt, faults: [...receipt.faults, { event: seq, code, severity, message }] };
}

/** Hands the event to the last attempt at its trial; an event whose trial never began changes nothing. */
function inTrial(attempts: TrialReceipt[], trial: string, event: Event): TrialReceipt[] {
  const at = attempts.findLastIndex((attempt) => attempt.trial === trial);
  const attempt = attempts[at];
  if (attempt !== undefined) attempts[at] = evolve(attempt, event);
  return attempts;
}

/** The last attempt at each trial, in the order in which trials began; probes are left out. */
export function finalTrials(receipt: RunReceipt): TrialReceipt[] {
  const last = new Map<string, TrialReceipt>();
  for (const attempt of receipt.attempts) if (attempt.purpose === 'trial') last.set(attempt.trial, attempt);
  return [...last.values()];
}

/** Final trials as a person reads them: by task, then condition, both in the order of the study, then as planned. */
export function trialsInOrder(receipt: RunReceipt): TrialReceipt[] {
  const { plan, tasks } = receipt.open;
  const places = new Map<string, number>();
  for (const [index, task] of tasks.entries()) places.set(`task ${task.id}`, index);
  for (const [index, condition] of (plan?.conditions ?? []).entries())
    places.set(`condition ${condition.name}`, index);
  for (const [index, trial] of (plan?.trials ?? []).entries()) places.set(`trial ${trial.id}`, index);
  const place = (name: string) => places.get(name) ?? places.size;
  return finalTrials(receipt).sort(
    (a, b) =>
      place(`task ${a.task}`) - place(`task ${b.task}`) ||
      place(`condition ${a.condition}`) - place(`condition ${b.condition}`) ||
      a.repetition - b.repetition ||
      place(`trial ${a.trial}`) - place(`trial ${b.trial}`),
  );
}

/** Sums over trials, as `run_close` records them. Probes never count. Every attempt that was billed does. */
export function totalsOf(attempts: TrialReceipt[], planned: number): EventOf<'run_close'>['totals'] {
  const trials = attempts.filter((attempt) => attempt.purpose === 'trial');
  const sum = (pick: (trial: TrialReceipt) => number) =>
    trials.reduce((total, trial) => total + pick(trial), 0);
  const having = (status: string) => trials.filter((trial) => trial.status === status).length;
  const source = trials.map((trial) => trial.totals.usage_source).find((candidate) => candidate !== 'none');
  return {
    ...{
      trials: planned,
      completed: having('completed'),
      failed: having('failed'),
      skipped: having('skipped'),
    },
    turns: sum((trial) => trial.totals.turns),
    calls: sum((trial) => trial.totals.calls),
    input_tokens: sum((trial) => trial.totals.input_tokens),
    output_tokens: sum((trial) => trial.totals.output_tokens),
    usage_source: source ?? 'none',
    wire_bytes: sum((trial) => trial.totals.wire_bytes),
    model_facing_bytes: sum((trial) => trial.totals.model_facing_bytes),
  };
}
