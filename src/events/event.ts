/** Every event of format version 1, as one union. */
import { z } from 'zod';
import { grade, override } from './schema/grade.js';
import { launch, launchEnd } from './schema/launch.js';
import { logRepaired, runClose, runInterrupted, runOpen, runResumed } from './schema/run.js';
import {
  catalog,
  close,
  fault,
  handshake,
  message,
  modelTurn,
  toolCall,
  trialOpen,
  turnRequest,
} from './schema/trial.js';

/** The schema of one line of a log. Strict: an unknown field is an error. */
export const eventSchema = z.discriminatedUnion('type', [
  runOpen,
  trialOpen,
  launch,
  handshake,
  catalog,
  turnRequest,
  modelTurn,
  toolCall,
  fault,
  message,
  launchEnd,
  close,
  runInterrupted,
  runResumed,
  logRepaired,
  runClose,
  grade,
  override,
]);

export type Event = z.infer<typeof eventSchema>;
export type EventType = Event['type'];
/** An event of one type: `EventOf<'tool_call'>`. */
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

type Stamp = 'h' | 'v' | 'run' | 'seq' | 'at' | 'mono_ns';
type Unstamped<E> = E extends Event ? Omit<E, Stamp> : never;
/** An event before the log writer stamped it. */
export type EventBody = Unstamped<Event>;
export type BodyOf<T extends EventType> = Omit<EventOf<T>, Stamp>;

/** The fields of an event type in the order in which they are written. */
export function fieldOrder(type: EventType): string[] {
  const option = eventSchema.options.find((candidate) => candidate.shape.type.value === type);
  return option === undefined ? [] : Object.keys(option.shape);
}
