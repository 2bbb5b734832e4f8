/** The pieces of a damaged line: whole events that stand among its bytes are found again. */
import { openingAfter } from './chain.js';
import type { Line } from './lines.js';

/** A piece of a line, with its bytes. */
export interface Piece extends Line {
  bytes: Buffer;
}

/** Cuts a line before each opening of an event, and NULs off both ends of what that leaves. No byte is lost. */
export function* piecesOf(line: Piece): Generator<Piece> {
  const { bytes } = line;
  let from = 0;
  while (from < bytes.length) {
    const to = openingAfter(bytes, from + 1);
    for (const end of nulEdges(bytes, from, to)) {
      yield pieceOf(line, from, end);
      from = end;
    }
  }
}

/** The places after the leading NULs, before the trailing NULs, and at the end: each once, in order. */
function nulEdges(bytes: Buffer, from: number, to: number): number[] {
  let head = from;
  while (head < to && bytes[head] === 0) head += 1;
  let tail = to;
  while (tail > head && bytes[tail - 1] === 0) tail -= 1;
  return [...new Set([head, tail, to])].filter((edge) => edge > from);
}

function pieceOf(line: Piece, from: number, to: number): Piece {
  const newline = line.newline && to === line.bytes.length;
  const { number, offset } = line;
  const length = to - from + (newline ? 1 : 0);
  return { number, offset: offset + from, length, newline, bytes: line.bytes.subarray(from, to) };
}
