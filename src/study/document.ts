/** Reading YAML and JSON documents against a schema, with the line of whatever is wrong. */
import { CST, type Document, isAlias, isMap, isNode, isScalar, Lexer, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { deeperThan } from '../events/depth.js';
import { Problem } from '../events/problem.js';
import { check } from './issue.js';
import { decodeText, jsonFault, readBounded } from './json-file.js';
import { lineOf as lineAt } from './json-place.js';

/** The largest study, task, key or script file that is read: 4 MiB. */
export const DOCUMENT_LIMIT = 4 * 1024 * 1024;
/** The most levels of nesting that are read: readers of YAML recurse, and a stack that overflows ends the process. */
const DEPTH_LIMIT = 100;
const ADVICE = 'correct it and run again';

/** Gives the 1-based line of the key or entry at a path, or of the nearest thing that contains it. */
export type LineOf = (path: readonly PropertyKey[]) => number;

/** The bytes of an input file. Throws `INPUT_MISSING` (no such regular file), `INPUT_TOO_LARGE` (over `limit` bytes). */
export function readInput(file: string, limit: number = DOCUMENT_LIMIT): Buffer {
  return readBounded(file, { limit, missing: 'INPUT_MISSING', tooLarge: 'INPUT_TOO_LARGE' });
}

/** The value of a document that fits the schema. Throws `code` with the line of the first thing that does not. */
export function parseInput<T extends z.ZodType>(
  bytes: Uint8Array,
  file: string,
  schema: T,
  code: string,
): { value: z.infer<T>; lineOf: LineOf } {
  const { value, lineOf } = parseText(decodeText(bytes, file, code), file, code);
  const checked = check(schema, value);
  if ('data' in checked) return { value: checked.data, lineOf };
  const { path, what } = checked;
  const at = path.length === 0 ? 'the document' : `\`${path.join('.')}\``;
  throw new Problem({ code, what: `${at} ${what}`, todo: ADVICE, file, line: lineOf(path) });
}

/**
 * Parses YAML, or JSON strictly where the file is called `.json`. Neither may repeat a key, be nested over 100 levels
 * deep, or spend aliases without end. Throws `code` with a line.
 */
export function parseText(text: string, file: string, code: string): { value: unknown; lineOf: LineOf } {
  const refuse = (what: string, offset = 0): Problem =>
    new Problem({
      code,
      what,
      todo: ADVICE,
      file,
      line: lineAt(text, Math.min(offset, text.trimEnd().length)),
    });
  const json = file.toLowerCase().endsWith('.json');
  if (text.trim() === '') throw refuse('this file is empty');
  if (json ? deeperThan(Buffer.from(text), DEPTH_LIMIT) : isDeepYaml(text)) {
    throw refuse(`this file is nested more than ${DEPTH_LIMIT} levels deep`);
  }
  const fault = json ? jsonFault(text) : undefined;
  if (fault !== undefined) throw refuse(`it is not JSON: ${fault.what}`, fault.offset);
  // In JSON these stand between tokens only, and YAML takes a lone CR for text.
  const plain = json ? text.replaceAll(/[\r\t]/g, ' ') : text;
  const document = parseDocument(plain, { logLevel: 'error', prettyErrors: false });
  const error = document.errors.find((each) => !json || each.code === 'DUPLICATE_KEY');
  if (error !== undefined) throw refuse(inWords(error), error.pos[0]);
  const value: unknown = json ? JSON.parse(text) : plainValue(document, refuse);
  return { value, lineOf: (path) => lineAt(text, offsetOf(document, path)) };
}

function inWords({ code, message }: { code: string; message: string }): string {
  if (code === 'DUPLICATE_KEY') return 'this key stands there twice';
  return code === 'MULTIPLE_DOCS' ? 'a second document begins here, and only one is read' : message;
}

/** Counts brackets, and dashes and question marks that stand in one line. Deeper indentation than any limit is too long. */
function isDeepYaml(text: string): boolean {
  let open = 0;
  let inLine = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'flow-seq-start' || type === 'flow-map-start') open += 1;
    if (type === 'flow-seq-end' || type === 'flow-map-end') open -= 1;
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') inLine += 1;
    if (type === 'newline') inLine = 0;
    if (open + inLine > DEPTH_LIMIT) return true;
  }
  return false;
}

/** The value of a YAML document, its aliases filled in: at most 100 of them, those within aliases counted too. */
function plainValue(document: Document.Parsed, refuse: (what: string, offset: number) => Problem): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const { offset, name } = troubledAlias(document);
    throw refuse(
      name === null ? 'its aliases are too many' : `no anchor &${name} stands before this`,
      offset,
    );
  }
}

/** The first alias without an anchor; or the first alias of all, without a name. */
function troubledAlias(document: Document.Parsed): { offset: number; name: string | null } {
  let first: number | null = null;
  let lost: { offset: number; name: string } | null = null;
  visit(document, {
    Alias(_key, alias) {
      const offset = alias.range?.[0] ?? 0;
      first ??= offset;
      if (alias.resolve(document) === undefined) lost ??= { offset, name: alias.source };
    },
  });
  return lost ?? { offset: first ?? 0, name: null };
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent: unknown = document.getIn(path.slice(0, depth - 1), true);
    const last = path[depth - 1];
    const keys = isMap(parent) ? parent.items.map((pair) => pair.key) : [];
    const key = keys.find((each) => isScalar(each) && String(each.value) === String(last));
    const node: unknown = key ?? document.getIn(path.slice(0, depth), true);
    if (isNode(node) && !isAlias(parent) && node.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}
