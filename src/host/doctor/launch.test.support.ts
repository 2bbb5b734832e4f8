/** Launches as literals: what a test does not name is as it is with a sound server. */
import type { Launch } from './launch.js';
import type { HeardLine, RawEnd, Step } from './raw-server.js';
import { readStdoutLine } from './stdout-line.js';

/** A request and what became of it. */
export function step(method: string, more: Partial<Step> = {}): Step {
  return {
    ...{
      method,
      tool: null,
      outcome: 'answered',
      elapsed_ms: 5,
      reply: null,
      glued: null,
      ping_ms: null,
      late_ms: null,
    },
    ...more,
  };
}

/** How a sound server ends. */
export function ended(more: Partial<RawEnd> = {}): RawEnd {
  return {
    close: { how: 'stdin_end', exit_code: 0, signal: null, elapsed_ms: 12 },
    ...{
      crashed: null,
      flooded: false,
      left_behind: [],
      late_replies: [],
      stdout_bytes: 100,
      tail: '',
      stderr_bytes: 0,
      stderr_tail: '',
    },
    ...more,
  };
}

/** A line that came after so many replies. */
export function heard(text: string | Buffer, replies_before = 0): HeardLine {
  return { ...readStdoutLine(Buffer.from(text)), replies_before };
}

/** A launch that a host makes of a server that it does not know. */
export function firstLaunch(more: Partial<Launch> = {}): Launch {
  return {
    ...{ opening: 'discover', era: 'legacy', respawned: false, lines: [], end: ended(), start_error: null },
    steps: [step('server/discover', { outcome: 'refused' }), step('initialize'), step('tools/list')],
    ...more,
  };
}

/** A launch that a host makes of a server that it remembers. */
export function secondLaunch(more: Partial<Launch> = {}): Launch {
  return firstLaunch({ opening: 'initialize', steps: [step('initialize'), step('tools/list')], ...more });
}
