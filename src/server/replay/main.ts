/** The replay server as a program: one trial of a run, on stdin and stdout until the client closes it. */
import type { Readable, Writable } from 'node:stream';
import { Problem } from '../../events/problem.js';
import {
  chooseTrials,
  listed,
  type RecordedRun,
  type RecordedTrial,
  readRecorded,
} from '../../events/recorded.js';
import type { Store } from '../../events/store.js';
import { Answers } from './answers.js';
import { exchangesOf } from './exchanges.js';

/**
 * The answers that a run's recording of one trial gives; the trial need not be named where it is the only one. Throws
 * `TRIAL_REQUIRED` with a list otherwise, `TRIAL_UNKNOWN`, and with exit code 3 `RECORDING_DAMAGED`,
 * `RECORDING_WITHOUT_BYTES` and `RECORDING_EMPTY` where the recording cannot stand in for a server.
 */
export function openReplay(store: Store, run: string, trial: string | undefined): Answers {
  const recorded = readRecorded(store.eventsFile(run));
  const id = trial ?? onlyTrial(recorded);
  const chosen = chooseTrials(recorded, [id]);
  const exchanges = chosen.flatMap((recording) => exchangesOf(recording, recorded.file, store));
  if (chosen.some(({ closed }) => !closed))
    process.stderr.write(`the recording of ${id} was interrupted: what came after is not there\n`);
  if (exchanges.length > 0)
    return new Answers(exchanges, { run, trial: id, exit_code: exitCodeOf(chosen) }, store);
  const what = `nothing was ever asked of a server in the trial ${id}`;
  const todo = 'name another trial with --trial, or another run';
  throw new Problem({ code: 'RECORDING_EMPTY', what, todo, file: recorded.file, exit: 3 });
}

function onlyTrial({ file, trials }: RecordedRun): string {
  const [first, second] = trials.keys();
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) {
    const what = 'this run has no trial';
    throw new Problem({ code: 'RECORDING_EMPTY', what, todo: 'name another run', file, exit: 3 });
  }
  const what = `this run has ${trials.size} trials, and a server can stand for one of them only`;
  const todo = `name one with --trial: ${listed([...trials.keys()])}`;
  throw new Problem({ code: 'TRIAL_REQUIRED', what, todo, file });
}

function exitCodeOf(trials: RecordedTrial[]): number {
  const events = trials.flatMap((trial) => trial.events);
  return events.find((event) => event.type === 'close')?.exit_code ?? 1;
}

/**
 * Answers line by line until the input ends. A last line without newline is answered too. Where the recorded server ended
 * in the middle of a call, this process is to end with its exit code.
 */
export async function serveReplay(answers: Answers, input: Readable, output: Writable): Promise<void> {
  for await (const line of linesOf(input)) {
    const reply = answers.answer(line);
    if (reply !== null) await write(output, Buffer.concat([reply, NEWLINE]));
    if (answers.over) {
      process.exitCode = answers.origin.exit_code;
      return;
    }
  }
}

const NEWLINE = Buffer.from('\n');

/** Lines without their newline; blank ones are passed over. */
async function* linesOf(input: Readable): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of input) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      if (!isBlank(line)) yield line;
      parts = [];
      rest = rest.subarray(end + 1);
    }
    parts.push(rest);
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield last;
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === '';
}

function write(output: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
