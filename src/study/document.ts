/** Reading YAML and JSON documents against a schema, with the line of whatever is wrong. */
import { readFileSync, statSync } from 'node:fs';
import { isNode, LineCounter, parseDocument as parseYaml } from 'yaml';
import type { z } from 'zod';
import { Problem } from '../events/problem.js';

/** The largest study, task, key or script file that is read: 4 MiB. */
export const DOCUMENT_LIMIT = 4 * 1024 * 1024;

/** The bytes of an input file. Throws `INPUT_MISSING` or `INPUT_TOO_LARGE` (over `limit` bytes). */
export function readInput(file: string, limit: number = DOCUMENT_LIMIT): Buffer {
  try {
    const { size } = statSync(file);
    if (size > limit) throw tooLarge(file, size, limit);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
    const what = code === 'ENOENT' ? 'there is no such file' : `this file cannot be read (${code})`;
    throw new Problem({ code: 'INPUT_MISSING', what, todo: 'check the name and the permissions', file });
  }
}

/** The value of a document that fits the schema. Throws `code` with the line of the first thing that does not. */
export function parseInput<T extends z.ZodType>(
  bytes: Uint8Array,
  file: string,
  schema: T,
  code: string,
): z.infer<T> {
  const { value, lineOf } = parseText(decode(bytes, file, code), file, code);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  const at = path.length === 0 ? 'the document' : `\`${path.join('.')}\``;
  throw new Problem({
    code,
    what: `${at}: ${issue?.message ?? 'does not fit'}`,
    todo: 'correct it and run again',
    file,
    line: lineOf(path),
  });
}

export interface Parsed {
  value: unknown;
  /** The 1-based line of the value at a path, or of the nearest one that contains it. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Parses YAML, or JSON strictly where the file is called `.json`. Throws `code` with a line. */
export function parseText(text: string, file: string, code: string): Parsed {
  const todo = 'correct it and run again';
  if (text.trim() === '') throw new Problem({ code, what: 'this file is empty', todo, file, line: 1 });
  const counter = new LineCounter();
  const document = parseYaml(text, { lineCounter: counter, uniqueKeys: true });
  const error = document.errors[0];
  const strict = file.endsWith('.json') ? jsonError(text) : null;
  if (error !== undefined || strict !== null) {
    const line =
      error === undefined ? lineAt(text, strict?.position ?? 0) : counter.linePos(error.pos[0]).line;
    throw new Problem({ code, what: strict?.message ?? firstLine(error?.message ?? ''), todo, file, line });
  }
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node: unknown = document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
    }
    return 1;
  };
  const value: unknown = file.endsWith('.json') ? JSON.parse(text) : document.toJS({ maxAliasCount: 100 });
  return { value, lineOf };
}

function jsonError(text: string): { message: string; position: number } | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    return {
      message: firstLine(message),
      position: position === undefined ? text.length - 1 : Number(position),
    };
  }
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/:$/, '');
}

function decode(bytes: Uint8Array, file: string, code: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem({ code, what: 'this file is not valid UTF-8', todo: 'save it as UTF-8', file });
  }
}

function tooLarge(file: string, size: number, limit: number): Problem {
  const what = `this file has ${size.toLocaleString('en-US')} bytes; at most ${limit.toLocaleString('en-US')} are read`;
  return new Problem({ code: 'INPUT_TOO_LARGE', what, todo: 'use a smaller file', file });
}
