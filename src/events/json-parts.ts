/** JSON in parts: what JSON.stringify gives, without ever holding a long text of it twice. */
import { createHash } from 'node:crypto';
import { utf8Bytes } from './bytes.js';

/** Texts are cut into pieces of this many UTF-16 units. */
const PIECE = 1024 * 1024;

/** The parts of a list of blocks as JSON: joined, they are what JSON.stringify gives. May be gone through again. */
export function jsonParts(blocks: unknown[]): Iterable<string> {
  return { [Symbol.iterator]: () => listParts(blocks) };
}

/** Size in UTF-8 bytes, and SHA-256, of a list of blocks as JSON. */
export function jsonFacts(blocks: unknown[]): { bytes: number; sha256: string } {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const part of jsonParts(blocks)) {
    hash.update(part, 'utf8');
    bytes += utf8Bytes(part);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function* listParts(blocks: unknown[]): Generator<string> {
  yield '[';
  for (const [index, block] of blocks.entries()) {
    if (index > 0) yield ',';
    if (hasLongText(block)) yield* objectParts(block);
    else yield JSON.stringify(block) ?? 'null';
  }
  yield ']';
}

function hasLongText(block: unknown): block is object {
  return (
    typeof block === 'object' && block !== null && !Array.isArray(block) && Object.values(block).some(isLong)
  );
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > PIECE;
}

function* objectParts(block: object): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(block)) {
    const json = isLong(value) ? '' : JSON.stringify(value);
    if (json === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:${json}`;
    if (isLong(value)) yield* textParts(value);
    separator = ',';
  }
  yield '}';
}

function* textParts(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** A pair of surrogates is one character and stays in one piece. */
function endOfPiece(text: string, from: number): number {
  const to = from + PIECE;
  const pair = /[\ud800-\udbff]/.test(text.charAt(to - 1)) && /[\udc00-\udfff]/.test(text.charAt(to));
  return pair ? to - 1 : to;
}
