/** What a line is worth: its own bytes judged against the lines before it. */
import { chainHash, GENESIS, hashHolds, PREFIX_BYTES, statedHash } from './chain.js';
import type { Event } from './event.js';
import type { Complaint } from './parse.js';

/** A line that may be relied on as far as its kind says, or why it may not. `docs/verify.md` explains each kind. */
export type Verdict =
  | { kind: 'ok' | 'gap' | 'after-close'; event: Event; detail: string | null }
  | { kind: Complaint['kind'] | 'torn-tail' | 'bad-hash' | 'duplicate-seq'; event: null; detail: string };

/** A line that the next one may be chained to: its h, and the seq of the next where that is known. */
interface Link {
  h: string;
  next: number | null;
}

/** What is known of a log after some of its lines. Changed by `judge` and `pass`. */
export interface Chain {
  /** The run of the log, null until a checked event names it. */
  run: string | null;
  /** The last checked line first, then lines after it that could not be checked, the latest last. Never empty. */
  links: Link[];
  /** The seq that follows the last checked event. */
  next: number;
  /** Lines since then that may have been events. */
  doubtful: number;
  closed: boolean;
}

/** Unchecked lines that a later line is tried against: enough for a damaged stretch, few enough to stay fast. */
const LINKS = 8;

/** The state before the first line of a log. */
export function beginChain(): Chain {
  return { run: null, links: [{ h: GENESIS, next: 0 }], next: 0, doubtful: 0, closed: false };
}

/** Judges a line that holds an event, and moves the chain on. */
export function judge(chain: Chain, event: Event, bytes: Buffer): Verdict {
  const { run, seq } = event;
  if (chain.run !== null && run !== chain.run) {
    pass(chain, bytes);
    return {
      kind: 'bad-schema',
      event: null,
      detail: `run: this log belongs to ${chain.run}, the line to ${run}`,
    };
  }
  if (seq < chain.next) return repeated(seq);
  const link = chain.links.find((candidate) => hashHolds(candidate.h, bytes));
  if (link === undefined) return judgeUnlinked(chain, event, bytes);
  const expected = seq === link.next || seq <= chain.next + chain.doubtful;
  const verdict = expected ? ordinary(chain, event) : gap(chain, event, 'its h fits');
  settle(chain, event);
  return verdict;
}

/** Moves the chain past a line that is not an event: the next one may be chained to the h that it states, or should. */
export function pass(chain: Chain, bytes: Buffer): void {
  const stated = statedHash(bytes);
  const previous = chain.links.at(-1)?.h ?? GENESIS;
  const due = bytes.length > PREFIX_BYTES ? chainHash(previous, bytes.subarray(PREFIX_BYTES)) : null;
  for (const h of [due, stated]) if (h !== null) addLink(chain, { h, next: null });
  if (stated !== null) chain.doubtful += 1;
}

/** An event whose h fits no line before it: lines are missing, or its bytes were changed. */
function judgeUnlinked(chain: Chain, event: Event, bytes: Buffer): Verdict {
  if (chain.links.some((link) => link.h === event.h && link.next !== null)) return repeated(event.seq);
  if (event.seq > chain.next + chain.doubtful) {
    const verdict = gap(chain, event, 'its h cannot be checked without the line before');
    addLink(chain, { h: event.h, next: event.seq + 1 });
    chain.doubtful += 1;
    return verdict;
  }
  pass(chain, bytes);
  return {
    kind: 'bad-hash',
    event: null,
    detail: 'h does not fit the bytes of the line and the line before',
  };
}

function repeated(seq: number): Verdict {
  return { kind: 'duplicate-seq', event: null, detail: `seq ${seq} was written before` };
}

function ordinary(chain: Chain, event: Event): Verdict {
  const after = chain.closed && event.type !== 'run_resumed' && event.type !== 'log_repaired';
  if (after) return { kind: 'after-close', event, detail: 'the run was closed before' };
  return { kind: 'ok', event, detail: null };
}

function gap(chain: Chain, event: Event, why: string): Verdict {
  return { kind: 'gap', event, detail: `seq ${chain.next} was expected, ${event.seq} found; ${why}` };
}

/** Takes a checked event as the new end of the chain. */
function settle(chain: Chain, event: Event): void {
  chain.run = event.run;
  chain.links = [{ h: event.h, next: event.seq + 1 }];
  chain.next = event.seq + 1;
  chain.doubtful = 0;
  chain.closed = event.type === 'run_close' || (chain.closed && event.type !== 'run_resumed');
}

function addLink(chain: Chain, link: Link): void {
  chain.links.push(link);
  if (chain.links.length > LINKS) chain.links.splice(1, 1);
}
