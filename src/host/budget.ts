/** The budget of a run: a model call that could pass it is not made. */
import { NO_USAGE, totalInput, type Usage } from '../events/usage.js';
import type { ModelPrice } from './prices.js';

export interface BudgetLimits {
  /** Input and output tokens, null for no limit. */
  tokens: number | null;
  /** US dollars at list price, null for no limit. */
  usd: number | null;
}

/** What has been spent, with calls that may have been billed counted at their bound, and what is set aside. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #price: ModelPrice | null;
  #tokens = 0;
  #usd = 0;
  /** Set aside for calls under way. */
  #held = { tokens: 0, usd: 0 };

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
    const { tokens, usd } = this.#limits;
    const call = { tokens: inputTokens + outputTokens, usd: this.#costOf(inputTokens, outputTokens) };
    const held = this.#held;
    if (tokens !== null && this.#tokens + held.tokens + call.tokens > tokens) {
      const aside = held.tokens === 0 ? '' : `, ${held.tokens} are set aside for calls under way,`;
      return `${this.#tokens} tokens are spent${aside} and the next call could take ${call.tokens}; the budget is ${tokens} tokens`;
    }
    // Written so that a cost which is not a number is refused too.
    if (usd !== null && !(this.#usd + held.usd + call.usd <= usd)) {
      const aside = held.usd === 0 ? '' : `, $${held.usd.toFixed(4)} is set aside for calls under way,`;
      return `$${this.#usd.toFixed(4)} is spent${aside} and the next call could cost $${call.usd.toFixed(4)}; the budget is $${usd}`;
    }
    return null;
  }

  /**
   * Sets the bound of a call aside until it is known what it took, so that calls side by side do not pass the budget
   * together. Settled with its usage, or with null where that is not known: then it counts at its bound.
   */
  hold(inputTokens: number, outputTokens: number): (usage: Usage | null) => void {
    const call = { tokens: inputTokens + outputTokens, usd: this.#costOf(inputTokens, outputTokens) };
    this.#held = { tokens: this.#held.tokens + call.tokens, usd: this.#held.usd + call.usd };
    return (usage) => {
      this.#held = { tokens: this.#held.tokens - call.tokens, usd: this.#held.usd - call.usd };
      this.spend(usage ?? boundOf(inputTokens, outputTokens));
    };
  }

  spend(usage: Usage): void {
    this.#tokens += totalInput(usage) + usage.output_tokens;
    this.#usd += this.#price?.cost(usage) ?? 0;
  }

  #costOf(inputTokens: number, outputTokens: number): number {
    return this.#price?.cost(boundOf(inputTokens, outputTokens)) ?? 0;
  }
}

/** The dearest usage within a bound: requests of this host carry no cache marks, so input is billed at the plain price. */
function boundOf(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, input_tokens: inputTokens, output_tokens: outputTokens };
}
