/** A problem that a person must fix: where it is, what is wrong, what to do, and the exit code it means. */

/** Exit codes of a problem: 2 is bad usage or input, 3 is incomplete or unverifiable. Never 1: that is a verdict. */
export type ProblemExit = 2 | 3;

export interface ProblemFacts {
  /** A stable name of the problem, in capitals: `INVALID_ALLOWLIST`. */
  code: string;
  /** What is wrong, in words, without the place. */
  what: string;
  /** What the person should do next. */
  todo: string;
  /** The file as the person named it. */
  file?: string | undefined;
  /** 1-based line in that file. */
  line?: number | undefined;
  exit?: ProblemExit;
}

/** Thrown for anything that a person must fix. Its message reads `file:line: CODE: what is wrong: what to do`. */
export class Problem extends Error {
  readonly facts: ProblemFacts;

  constructor(facts: ProblemFacts) {
    const place =
      facts.file === undefined ? '' : `${facts.file}${facts.line === undefined ? '' : `:${facts.line}`}: `;
    super(`${place}${facts.code}: ${facts.what}: ${facts.todo}`);
    this.name = 'Problem';
    this.facts = facts;
  }

  get code(): string {
    return this.facts.code;
  }

  get exit(): ProblemExit {
    return this.facts.exit ?? 2;
  }
}
