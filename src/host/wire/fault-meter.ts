/** A bound on faults: a server may do the same wrong thing without end, and a log must not grow with it for ever. */
import { createHash, type Hash } from 'node:crypto';
import { type Fault, type FaultCode, faultOf } from './fault.js';

/** So many faults of one code are told one by one. */
const TOLD = 10_000;

interface Rest {
  first: Fault;
  count: number;
  bytes: number;
  hash: Hash;
}

/** Passes faults on; of those that come after the 10,000th of their code it keeps the sum. */
export class FaultMeter {
  readonly #next: (fault: Fault) => void;
  readonly #told = new Map<FaultCode, number>();
  readonly #rests = new Map<FaultCode, Rest>();

  constructor(next: (fault: Fault) => void) {
    this.#next = next;
  }

  take(fault: Fault): void {
    const told = this.#told.get(fault.code) ?? 0;
    if (told < TOLD) {
      this.#told.set(fault.code, told + 1);
      this.#next(fault);
      return;
    }
    const rest = this.#rests.get(fault.code) ?? {
      first: fault,
      count: 0,
      bytes: 0,
      hash: createHash('sha256'),
    };
    rest.count += 1;
    rest.bytes += fault.bytes_length;
    rest.hash.update(fault.sha256);
    this.#rests.set(fault.code, rest);
  }

  /** Tells the sum of each code. Its hash is over the hashes, as hex digits, of what each of them was about. */
  end(): void {
    for (const [code, { first, count, bytes, hash }] of this.#rests) {
      const message = `${count} more of the kind: ${first.message}`;
      const { text } = first;
      const sum = { ...faultOf(code, first.severity, message, Buffer.alloc(0)), text };
      this.#next({ ...sum, bytes_length: bytes, sha256: hash.digest('hex') });
    }
    this.#rests.clear();
  }
}
