/** Which file a server really is: the program that an argument list starts, and its digest. */

import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, resolve } from 'node:path';
import type { ChildSpec } from './child.js';

/** Real path and SHA-256 of a program's file. */
export interface Program {
  path: string;
  sha256: string;
}

/** Files from this size on are hashed once a process and size, inode and change time: a trial must not pay for it. */
const REMEMBER_FROM_BYTES = 4 * 1024 * 1024;
const remembered = new Map<string, string>();

/**
 * The file that `argv` starts: its first word looked up as the system does, along the PATH of the server's own
 * environment, links resolved. Where that is node and a script follows (flags may stand between), the script
 * is the program: node itself is named by the versions of the run. Null where no file is found.
 */
export async function findProgram(spec: ChildSpec): Promise<Program | null> {
  const [command, ...args] = spec.argv;
  const executable = await locate(command, spec);
  if (executable === null) return null;
  const script = /^node(\.exe)?$/.test(basename(executable)) ? await scriptOf(args, spec.cwd) : null;
  const path = script ?? executable;
  return { path, sha256: await digestOf(path) };
}

async function locate(command: string, spec: ChildSpec): Promise<string | null> {
  if (command.includes('/')) return realFile(resolve(spec.cwd, command));
  for (const folder of (spec.env.PATH ?? '').split(delimiter)) {
    const found = await realFile(resolve(spec.cwd, folder, command));
    if (found !== null) return found;
  }
  return null;
}

async function scriptOf(args: string[], cwd: string): Promise<string | null> {
  const first = args.findIndex((arg, at) => !arg.startsWith('-') && !TAKES_VALUE.test(args[at - 1] ?? ''));
  const script = args[first];
  if (script === undefined || args.slice(0, first).some((arg) => INLINE.test(arg))) return null;
  return realFile(resolve(cwd, script), constants.R_OK);
}

/** Flags of node whose value is the next word. */
const TAKES_VALUE = /^(-r|--require|--import|--loader|--experimental-loader|-C|--conditions)$/;
/** Flags of node that carry the program itself, so that no file does. */
const INLINE = /^(-[ep]+|--eval|--print)$/;

/** The real path of a file that may be used so, or null. */
async function realFile(path: string, mode: number = constants.X_OK): Promise<string | null> {
  try {
    await access(path, mode);
    return (await stat(path)).isFile() ? await realpath(path) : null;
  } catch {
    return null; // not there, or not ours to use: the next place may have it
  }
}

async function digestOf(path: string): Promise<string> {
  const { size, ino, ctimeMs } = await stat(path);
  const key = `${path}:${size}:${ino}:${ctimeMs}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  const digest = hash.digest('hex');
  if (size >= REMEMBER_FROM_BYTES) remembered.set(key, digest);
  return digest;
}
