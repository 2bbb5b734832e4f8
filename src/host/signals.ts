/** SIGINT, SIGTERM and SIGHUP while a run is under way. */

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type EndingSignal = keyof typeof NUMBERS;

/** The exit code of a process that a signal ended: 128 + n. */
export function signalExit(signal: string): number {
  return 128 + (Object.entries(NUMBERS).find(([name]) => name === signal)?.[1] ?? 0);
}

/** Calls `end` on the first of them; a second one exits at once. Gives a function that takes the handlers off. */
export function onSignals(end: (signal: EndingSignal) => void): () => void {
  let seen = false;
  const handlers = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map((signal) => {
    const handler = () => {
      if (seen) process.exit(signalExit(signal));
      seen = true;
      end(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}
