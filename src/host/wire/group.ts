/** Process groups: signalling a server with everything that it started, and seeing what outlived it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
/** How long the kernel may take to end processes that were sent SIGKILL. */
const KILL_WAIT_MS = 2000;

/** Sends a signal (0 only asks) to every process of the group. False when there is none, or none of ours. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))
      return false;
    throw error;
  }
}

/**
 * Ends what is left of a group whose leader is gone, and what it started that left the group: gives them `patienceMs` to
 * end by themselves, then SIGKILL. Returns the process ids that had to be killed. Dead processes that nobody has collected
 * do not count.
 */
export async function sweepGroup(group: number, mark: string, patienceMs: number): Promise<number[]> {
  const living = () => [...new Set([...livingMembers(group), ...marked(mark)])];
  if (await goneWithin(living, patienceMs)) return [];
  const left = living();
  signalGroup(group, 'SIGKILL');
  killMarked(mark);
  await goneWithin(living, KILL_WAIT_MS);
  return left;
}

/** SIGKILL to every process that bears the mark of a server, at once and synchronously. */
export function killMarked(mark: string): void {
  for (const pid of marked(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended between the look and the signal.
    }
  }
}

/** Processes that live and have a variable of this value in their environment. Linux only; none elsewhere. */
export function marked(mark: string): number[] {
  if (mark === '' || !existsSync('/proc/self/environ')) return [];
  return processIds().filter((pid) => bears(pid, mark) && !isDead(pid));
}

function bears(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    return false; // it is not ours, or it ended between the listing and the look
  }
}

async function goneWithin(living: () => number[], ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (living().length > 0) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** The group's process ids that still run. Without /proc (not Linux) the group's own number stands for all of them. */
export function livingMembers(group: number): number[] {
  if (!signalGroup(group, 0)) return [];
  if (!existsSync('/proc/self/stat')) return [group];
  return processIds().filter((pid) => {
    const [, , member] = statOf(pid);
    return Number(member) === group && !isDead(pid);
  });
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function isDead(pid: number): boolean {
  const [state = 'X'] = statOf(pid);
  return state === 'Z' || state === 'X';
}

/** State, parent, group and more of a process; empty where it ended between the listing and the look. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold anything; the rest follows the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
