/** How a server ends: by itself when its stdin ends, with what exit code, and what it leaves behind. */
import { type FindingKind, finding, type Outcome, passed, skipped } from './finding.js';
import type { RawEnd } from './raw-server.js';
import { bytes, counted, excerpt, ms } from './words.js';

const IGNORES_STDIN_END: FindingKind = {
  code: 'ignores-stdin-end',
  group: 'end',
  severity: 'warning',
  why: 'a host closes stdin first; a server that stays costs a wait at each end, and outlives a host that crashes',
  fix: 'exit when stdin ends; stop timers, watchers and servers that keep the process alive',
};
const IGNORES_SIGTERM: FindingKind = {
  code: 'ignores-sigterm',
  group: 'end',
  severity: 'warning',
  why: 'only SIGKILL ended it; a host that sends no such signal leaves it running for good',
  fix: 'exit on the end of stdin and on SIGTERM; a handler for SIGTERM must end the process itself',
};
const SLOW_TO_END: FindingKind = {
  code: 'slow-to-end',
  group: 'end',
  severity: 'note',
  why: 'hosts send SIGTERM after about two seconds, in the middle of whatever it is still doing',
  fix: 'keep work at the end short: save as you go',
};
const EXIT_CODE: FindingKind = {
  code: 'exit-code',
  group: 'end',
  severity: 'note',
  why: 'an ordinary end that looks like a failure fills logs and hides real ones',
  fix: 'exit with code 0 when stdin ends',
};
const LEFT_BEHIND: FindingKind = {
  code: 'left-behind',
  group: 'end',
  severity: 'warning',
  why: 'processes that it started ran on after it was gone, and pile up with each session; the doctor ended these',
  fix: 'end what you started before you exit',
};
const STDERR_FLOOD: FindingKind = {
  code: 'stderr-flood',
  group: 'end',
  severity: 'warning',
  why: 'a pipe holds 64 KiB: with a host that does not read stderr, the server stops at a write and hangs',
  fix: 'log less by default, or to a file; let a variable turn debug output on',
};

/** Every kind of finding that this file makes. */
export const ENDING_KINDS = [
  ...[IGNORES_STDIN_END, IGNORES_SIGTERM, LEFT_BEHIND, STDERR_FLOOD, SLOW_TO_END, EXIT_CODE],
];

/** What a pipe holds on Linux, in bytes. */
const PIPE_BYTES = 65_536;
const SLOW_MS = 1000;

/** How one launch ended, after `stdin_end_ms` and `sigterm_ms` of patience. */
export function checkEnding(end: RawEnd): Outcome[] {
  const { how, exit_code, signal, elapsed_ms } = end.close;
  const evidence = { how, exit_code, signal, elapsed_ms };
  if (end.flooded) return [...around(end), skipped('end', 'not looked at: the doctor ended the server')];
  const found = [
    ...leaving(end.close.how, elapsed_ms, evidence),
    ...(how === 'stdin_end' && exit_code !== 0
      ? [
          finding(
            EXIT_CODE,
            `exits with ${exit_code === null ? signal : `code ${exit_code}`} when stdin ends`,
            evidence,
          ),
        ]
      : []),
    ...around(end),
  ];
  if (end.crashed !== null)
    return [...around(end), skipped('end', 'the server had gone before it was asked to end')];
  if (found.length > 0) return found;
  const words = `exits ${ms(elapsed_ms)} after stdin ends, code 0; leaves no process; ${bytes(end.stderr_bytes)} on stderr`;
  return [passed('end', words, { ...evidence, stderr_bytes: end.stderr_bytes })];
}

function leaving(
  how: RawEnd['close']['how'],
  elapsed_ms: number,
  evidence: Record<string, unknown>,
): Outcome[] {
  if (how === 'sigterm')
    return [
      finding(
        IGNORES_STDIN_END,
        `ran on after stdin ended; SIGTERM ended it, ${ms(elapsed_ms)} in all`,
        evidence,
      ),
    ];
  if (how === 'sigkill')
    return [
      finding(
        IGNORES_SIGTERM,
        `ran on after stdin ended and after SIGTERM; SIGKILL ended it, ${ms(elapsed_ms)} in all`,
        evidence,
      ),
    ];
  if (how === 'stdin_end' && elapsed_ms > SLOW_MS)
    return [finding(SLOW_TO_END, `took ${ms(elapsed_ms)} to exit after stdin ended`, evidence)];
  return [];
}

function around({ left_behind, stderr_bytes, stderr_tail }: RawEnd): Outcome[] {
  const left =
    left_behind.length === 0
      ? []
      : [
          finding(
            LEFT_BEHIND,
            `${counted(left_behind.length, 'process', 'processes')} ran on: ${left_behind.join(', ')}`,
            { pids: left_behind },
          ),
        ];
  if (stderr_bytes <= PIPE_BYTES) return left;
  const what = `${bytes(stderr_bytes)} on stderr in one short session: ${excerpt(stderr_tail)}`;
  return [...left, finding(STDERR_FLOOD, what, { stderr_bytes })];
}
