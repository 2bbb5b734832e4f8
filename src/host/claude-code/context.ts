/** What the trials of a run under Claude Code share. */
import type { RunContext } from '../run.js';
import type { ClaudeCli } from './cli.js';
import { closePlace, type HomeChoice, openPlace, type Place } from './home.js';

export interface ClaudeContext {
  cli: ClaudeCli;
  model: string;
  /** Endpoint in place of the provider's own; null for that. */
  baseURL: string | null;
  /** Whether the model is the embedded scripted one. */
  scripted: boolean;
  /** Whether a recording proxy stands in front of the endpoint. */
  proxy: boolean;
  homes: Homes;
}

/** A run whose host is Claude Code. */
export interface ClaudeRun extends RunContext {
  claude: ClaudeContext;
}

/** Homes that several trials share: one of them at a time, in the order in which they ask. */
export class Homes {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #places = new Map<string, Place>();

  /** Does something in a home once everybody who asked for it before is done. */
  use<T>(choice: HomeChoice, action: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(choice.key) ?? Promise.resolve()).then(() => {
      this.#places.set(choice.key, openPlace(choice));
      return action();
    });
    this.#last.set(
      choice.key,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** Closes all of them, when the run is over. */
  close(evidence: 'logged' | 'needed'): void {
    for (const place of this.#places.values()) closePlace(place, { evidence });
  }
}
