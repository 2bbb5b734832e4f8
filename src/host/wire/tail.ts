/** The last bytes of a stream that is read only in case something goes wrong. */

/** How much of a server's stderr is kept, in bytes. */
const TAIL_BYTES = 8192;

/** Keeps the last bytes pushed, at most `cap`, and counts all of them. */
export class Tail {
  readonly #cap: number;
  #kept: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(cap: number = TAIL_BYTES) {
    this.#cap = cap;
  }

  /** All bytes ever pushed. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#kept = Buffer.from(Buffer.concat([this.#kept, chunk.subarray(-this.#cap)]).subarray(-this.#cap));
  }

  /** The kept bytes as text; a character that was cut at the front is left out. */
  text(): string {
    let start = 0;
    if (this.#total > this.#kept.length) while (isContinuation(this.#kept[start])) start++;
    return this.#kept.toString('utf8', start);
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
