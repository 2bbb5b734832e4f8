/** What the doctor is doing, on stderr: a spinner on a terminal, nothing elsewhere. */
import type { Ora } from 'ora';

export interface Steps {
  show(what: string): void;
  /** Clears the line, so that a result can be printed; the next step shows again. */
  pause(): void;
  stop(): void;
}

/** Steps on a terminal. After `stop` nothing more is written. */
export function openSteps(stream: NodeJS.WriteStream): Steps {
  let spinner: Ora | null = null;
  let text = 'starting';
  let stopped = false;
  if (stream.isTTY && stream.columns > 0) {
    void import('ora').then(({ default: ora }) => {
      const color = process.env.NO_COLOR ? false : 'cyan';
      if (!stopped) spinner = ora({ stream, discardStdin: false, text, color }).start();
    });
  }
  return {
    show(what) {
      text = what;
      if (spinner !== null) spinner.start(what);
    },
    pause() {
      spinner?.stop();
    },
    stop() {
      stopped = true;
      spinner?.stop();
    },
  };
}
