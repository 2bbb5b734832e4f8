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
 * Ends what is left of a group whose leader is gone: gives it `patienceMs` to end by itself, then SIGKILL.
 * Returns the process ids that had to be killed. Dead processes that nobody has collected do not count.
 */
export async function sweepGroup(group: number, patienceMs: number): Promise<number[]> {
  if (await goneWithin(group, patienceMs)) return [];
  const left = livingMembers(group);
  signalGroup(group, 'SIGKILL');
  await goneWithin(group, KILL_WAIT_MS);
  return left;
}

async function goneWithin(group: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (livingMembers(group).length > 0) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** The group's process ids that still run. Without /proc (not Linux) the group's own number stands for all of them. */
export function livingMembers(group: number): number[] {
  if (!signalGroup(group, 0)) return [];
  if (!existsSync('/proc/self/stat')) return [group];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => runsInGroup(pid, group))
    .map(Number);
}

function runsInGroup(pid: string, group: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return false; // it ended between the listing and the look
  }
  // The name stands in parentheses and may hold anything; state, parent and group follow the last one.
  const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state !== 'Z' && state !== 'X' && Number(member) === group;
}
