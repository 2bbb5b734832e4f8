/** What a launch leaves in its home and in the files of its output: read whole, for the log and for what is made of it. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of one file. */
export interface Found {
  /** Path below the home; `stdout` and `stderr` for the output. */
  file: string;
  bytes: Buffer;
}

/** What one launch left, as bytes. */
export interface Left {
  stream: Buffer;
  stderr: Buffer;
  /** The session's own first, those of sub-agents after it. */
  transcripts: Found[];
  mcpLogs: Found[];
  /** Files of which only the beginning was read. */
  cut: string[];
}

/** More of one file is not read: a log that is longer is no log of a trial. 64 MiB. */
export const READ_LIMIT = 64 * 1024 * 1024;

/** The files below a home that a launch writes to, by their paths in it. */
export function filesOf(home: string): Set<string> {
  return new Set([...transcriptsIn(home), ...mcpLogsIn(home)]);
}

/** Reads what a launch left. Of a home that is kept, `before` names the files of earlier launches. */
export function readLeft(
  { home, stdout, stderr }: { home: string; stdout: string; stderr: string },
  before: Set<string>,
): Left {
  const cut: string[] = [];
  const read = (file: string, path: string): Buffer => {
    const { bytes, isCut } = beginningOf(path);
    if (isCut) cut.push(file);
    return bytes;
  };
  const found = (files: string[]) =>
    files.filter((file) => !before.has(file)).map((file) => ({ file, bytes: read(file, join(home, file)) }));
  return {
    ...{ stream: read('stdout', stdout), stderr: read('stderr', stderr) },
    ...{ transcripts: found(transcriptsIn(home)), mcpLogs: found(mcpLogsIn(home)), cut },
  };
}

const PROJECTS = '.claude/projects';
const CACHE = '.cache/claude-cli-nodejs';

/** `PROJECT/SESSION.jsonl`, and deeper those of sub-agents: the nearest come first. */
function transcriptsIn(home: string): string[] {
  const depth = (file: string) => file.split('/').length;
  return jsonlBelow(home, PROJECTS).sort((one, other) => depth(one) - depth(other));
}

function mcpLogsIn(home: string): string[] {
  return jsonlBelow(home, CACHE).filter((file) => /\/mcp-logs-[^/]+\/[^/]+$/.test(file));
}

function jsonlBelow(home: string, folder: string): string[] {
  if (!existsSync(join(home, folder))) return [];
  return readdirSync(join(home, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((file) => file.endsWith('.jsonl'))
    .sort();
}

function beginningOf(path: string): { bytes: Buffer; isCut: boolean } {
  if (!existsSync(path)) return { bytes: Buffer.alloc(0), isCut: false };
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, READ_LIMIT));
    let at = 0;
    for (let count = -1; count !== 0 && at < bytes.length; at += count)
      count = readSync(descriptor, bytes, at, bytes.length - at, at);
    return { bytes: bytes.subarray(0, at), isCut: size > READ_LIMIT };
  } finally {
    closeSync(descriptor);
  }
}
