/** What one launch of Claude Code left behind, as bytes and as the tap's events. */
import type { BodyOf } from '../../events/event.js';

/** An event that the tap in front of the server wrote, with the trial's id and its payloads in it. */
export type TappedBody =
  | BodyOf<'handshake'>
  | BodyOf<'catalog'>
  | BodyOf<'tool_call'>
  | BodyOf<'message'>
  | BodyOf<'fault'>;

/** A file that the host wrote. */
export interface CapturedFile {
  /** Its name, without the folders of the machine. */
  file: string;
  bytes: Buffer;
}

export interface Capture {
  /** Standard output: one JSON object a line. */
  stream: Buffer;
  stderr: Buffer;
  /** The session's own first, those of sub-agents after it. */
  transcripts: CapturedFile[];
  mcpLogs: CapturedFile[];
  exit: {
    exit_code: number | null;
    signal: string | null;
    how: 'exited' | 'timeout' | 'interrupted';
    elapsed_ms: number;
  };
  /** In the order of the tap's log. */
  tapped: TappedBody[];
}
