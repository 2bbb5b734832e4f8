/** The budget of a run: a model call that could pass it is not made. */
import { NO_USAGE, totalInput, type Usage } from '../events/usage.js';
import type { ModelPrice } from './prices.js';

export interface BudgetLimits {
  /** Input and output tokens, null for no limit. */
  tokens: number | null;
  /** US dollars at list price, null for no limit. */
  usd: number | null;
}

/** What has been spent, with calls that may have been billed counted at their bound. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #price: ModelPrice | null;
  #tokens = 0;
  #usd = 0;

  constructor(limits: BudgetLimits, price: ModelPrice | null) {
    this.#limits = limits;
    this.#price = price;
  }

  /** Whether there is a limit at all; without one nothing has to be counted before a call. */
  get isLimited(): boolean {
    return this.#limits.tokens !== null || this.#limits.usd !== null;
  }

  /** Why a call with at most these tokens may not be made; null where it may. */
  refusal(inputTokens: number, outputTokens: number): string | null {
    const bound = boundOf(inputTokens, outputTokens);
    const tokens = this.#tokens + inputTokens + outputTokens;
    if (this.#limits.tokens !== null && tokens > this.#limits.tokens) {
      return `${this.#tokens} tokens are spent and the next call could take ${inputTokens + outputTokens}; the budget is ${this.#limits.tokens} tokens`;
    }
    const cost = this.#price?.cost(bound) ?? 0;
    // Written so that a cost which is not a number is refused too.
    if (this.#limits.usd !== null && !(this.#usd + cost <= this.#limits.usd)) {
      return `$${this.#usd.toFixed(4)} is spent and the next call could cost $${cost.toFixed(4)}; the budget is $${this.#limits.usd}`;
    }
    return null;
  }

  spend(usage: Usage): void {
    this.#tokens += totalInput(usage) + usage.output_tokens;
    this.#usd += this.#price?.cost(usage) ?? 0;
  }

  /** Counts a call whose usage is not known, but which may have been billed, at its bound. */
  spendBound(inputTokens: number, outputTokens: number): void {
    this.spend(boundOf(inputTokens, outputTokens));
  }
}

/** The dearest usage within a bound: requests of this host carry no cache marks, so input is billed at the plain price. */
function boundOf(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, input_tokens: inputTokens, output_tokens: outputTokens };
}
