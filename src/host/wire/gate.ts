/** A gate: something that happens once and that several parts wait for. */

/** Closed until `open()`; opening twice does nothing. */
export class Gate {
  #release: () => void = () => undefined;
  #isOpen = false;
  readonly opened: Promise<void>;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#release();
  }

  /** True if the gate opens within so many milliseconds. */
  async within(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      // What happened while this process was busy comes first: a turn of the event loop tells.
      timer = setTimeout(() => setImmediate(() => resolve(false)), ms);
    });
    const opened = this.opened.then(() => true);
    return Promise.race([opened, late]).finally(() => clearTimeout(timer));
  }
}
