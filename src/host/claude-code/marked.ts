/** Processes known by a variable of their environment, which whatever they start inherits, wherever it goes. */
import { readdirSync, readFileSync } from 'node:fs';

/** More rounds than a family that starts others while it is killed needs. */
const ROUNDS = 20;

/**
 * Sends SIGKILL to every process of ours that carries `NAME=value`, until there is none. Gives their ids. Without /proc
 * (not Linux) nothing is found.
 */
export function killMarked(marker: string): number[] {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = marked(marker).filter((pid) => !killed.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      kill(pid);
      killed.add(pid);
    }
  }
  return [...killed];
}

/** Ids of the processes that carry it, but for our own. */
export function marked(marker: string): number[] {
  return processes().filter((pid) => pid !== process.pid && environmentOf(pid).includes(marker));
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // there is no /proc
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return []; // it has ended, or is somebody else's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}
