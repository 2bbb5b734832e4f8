/** The environment of a tapped server. */
import { serverEnvironment } from '../wire/environment.js';

/** The usual few variables and those named, where they are set; null stands for the whole environment. */
export function environmentOf(handedOn: string[] | null): Record<string, string> {
  const all = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  if (handedOn === null) return Object.fromEntries(all);
  return serverEnvironment(Object.fromEntries(all.filter(([name]) => handedOn.includes(name))));
}
