/** Framing: cuts a stream of byte chunks into lines at byte 0x0A, whatever the chunks are. Pure and synchronous. */
import { createHash, type Hash } from 'node:crypto';

/** The longest line that is kept whole, in bytes without its newline. */
const LINE_CAP_BYTES = 64 * 1024 * 1024;

/** How much of an oversize line is kept, in bytes. */
const HEAD_BYTES = 4096;

/** One whole line, without its newline. The buffer may share memory with the chunk that it came in. */
interface WholeLine {
  kind: 'line';
  bytes: Buffer;
}

/** A line over the cap: its first bytes, its full length and the SHA-256 of all of it (newline excluded). */
export interface OversizeLine {
  kind: 'oversize';
  head: Buffer;
  bytes_length: number;
  sha256: string;
}

/** What a splitter hands out. */
export type FramedLine = WholeLine | OversizeLine;

interface Overflow {
  head: Buffer;
  length: number;
  hash: Hash;
}

/**
 * Cuts chunks into lines. Each byte is looked at once and copied at most once, so that a long line costs
 * time in proportion to its length. A line over the cap is hashed, not kept, and is reported when it ends;
 * the next line is read as usual.
 */
export class LineSplitter {
  readonly #cap: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #overflow: Overflow | undefined;

  constructor(cap: number = LINE_CAP_BYTES) {
    this.#cap = cap;
  }

  /** The lines that this chunk completes, in order. The chunk must not be changed afterwards. */
  push(chunk: Buffer): FramedLine[] {
    const lines: FramedLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, at));
      lines.push(this.#take());
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What came after the last newline, or undefined when there is nothing. The splitter is empty afterwards. */
  end(): FramedLine | undefined {
    return this.#length === 0 && this.#overflow === undefined ? undefined : this.#take();
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#overflow === undefined && this.#length + part.length <= this.#cap) {
      this.#chunks.push(part);
      this.#length += part.length;
      return;
    }
    this.#overflow ??= this.#spill();
    this.#overflow.hash.update(part);
    this.#overflow.length += part.length;
    const { head } = this.#overflow;
    if (head.length < HEAD_BYTES) this.#overflow.head = headOf([head, part]);
  }

  /** Turns what was kept so far into a running hash. */
  #spill(): Overflow {
    const hash = createHash('sha256');
    for (const chunk of this.#chunks) hash.update(chunk);
    const spilled = { head: headOf(this.#chunks), length: this.#length, hash };
    this.#clear();
    return spilled;
  }

  #take(): FramedLine {
    if (this.#overflow !== undefined) {
      const { head, length, hash } = this.#overflow;
      this.#overflow = undefined;
      return { kind: 'oversize', head, bytes_length: length, sha256: hash.digest('hex') };
    }
    const [first] = this.#chunks;
    const bytes =
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#length);
    this.#clear();
    return { kind: 'line', bytes };
  }

  #clear(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}

function headOf(parts: Buffer[]): Buffer {
  const head = Buffer.concat(parts.map((part) => part.subarray(0, HEAD_BYTES)));
  return head.subarray(0, HEAD_BYTES);
}
