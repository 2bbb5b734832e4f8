/** Claude Code as the host of a run: found before it, and put away after it. */
import type { Prepared } from '../prepare.js';
import { killMarked } from '../wire/group.js';
import { type ClaudeCli, findClaude } from './cli.js';
import { type ClaudeContext, Homes } from './context.js';
import { clearWork, markerOf } from './home.js';

/** The command, where Claude Code is the host; else null. Throws what `findClaude` throws. */
export async function claudeOf({ claude }: Prepared, env: NodeJS.ProcessEnv): Promise<ClaudeCli | null> {
  return claude === null ? null : findClaude(claude.command, env);
}

/** What the trials of a run share. Ends and clears away what a killed process of the same run has left. */
export function openClaude(
  { model, baseURL, claude }: Prepared,
  cli: ClaudeCli | null,
  { scripted, runFolder }: { scripted: string | null; runFolder: string },
): ClaudeContext | null {
  if (cli === null) return null;
  killMarked(markerOf(runFolder));
  clearWork(runFolder);
  return {
    ...{ cli, model, baseURL: scripted ?? baseURL, scripted: scripted !== null },
    ...{ proxy: claude?.proxy ?? false, homes: new Homes() },
  };
}

/** Closes the homes that trials share when the run is over; where it was ended, they keep what is not in the log. */
export async function underClaude<T>(claude: ClaudeContext | null, action: () => Promise<T>): Promise<T> {
  try {
    const result = await action();
    claude?.homes.close('logged');
    return result;
  } catch (error) {
    claude?.homes.close('needed');
    throw error;
  }
}
