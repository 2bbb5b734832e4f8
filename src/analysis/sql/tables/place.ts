/** The columns that say where an event of a trial belongs; every table of such events begins with them. */
import type { Event } from '../../../events/event.js';
import type { Logged } from '../run-record.js';
import { type ColumnOf, text, time, whole } from '../table.js';

/** run, seq, at. */
export function stampColumns<E extends Event>(): ColumnOf<Logged<E>>[] {
  return [
    text('run', 'Run id', ({ run }) => run),
    whole('seq', 'Event in the log of the run', ({ event }) => event.seq),
    time('at', 'When the event was written', ({ event }) => event.at),
  ];
}

/** run, seq, at, and the attempt at a trial that the event belongs to. */
export function placeColumns<E extends Event>(): ColumnOf<Logged<E>>[] {
  return [
    ...stampColumns<E>(),
    text('trial', 'Trial id', ({ event }) => ('trial' in event ? event.trial : null)),
    whole(
      'trial_attempt',
      'Attempt at the trial: trials.attempt',
      ({ attempt }) => attempt?.open.attempt ?? null,
    ),
    text(
      'purpose',
      '`trial`, or `probe`, which never counts in totals',
      ({ attempt }) => attempt?.open.purpose ?? null,
    ),
    text('condition', 'Condition', ({ attempt }) => attempt?.open.condition ?? null),
    text('task', 'Task id, NULL for a probe', ({ attempt }) => attempt?.open.task ?? null),
  ];
}
