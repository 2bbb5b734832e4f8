/** What the doctor says: a finding with its evidence, a check that passed with its figure, or a check that was not made. */

/** `fatal`: a host cannot use the server, or loses what it sends. `warning`: it costs or hides something. `note`: worth knowing. */
export type Severity = 'fatal' | 'warning' | 'note';

/** What a check is about. */
export type Group = 'launch' | 'stdout' | 'catalog' | 'findability' | 'results' | 'end';

/** A kind of finding. `docs/doctor.md` has an entry for each. */
export interface FindingKind {
  code: string;
  group: Group;
  severity: Severity;
  /** Why it matters, as one sentence. */
  why: string;
  /** What the author of the server should do. */
  fix: string;
}

/** Figures behind a finding or a passed check, as JSON. */
export type Evidence = Record<string, unknown>;

/** A kind of finding, met in this server. `what` is one line with the evidence in words. */
export interface Finding extends FindingKind {
  kind: 'finding';
  what: string;
  evidence: Evidence;
}

/** A check that found nothing wrong. */
export interface Passed {
  kind: 'ok';
  group: Group;
  what: string;
  evidence: Evidence;
}

/** A check that was not made, and why. */
export interface Skipped {
  kind: 'skipped';
  group: Group;
  what: string;
}

/** What a check gives. */
export type Outcome = Finding | Passed | Skipped;

/** A finding of this kind; `fix` may say more than the kind does, where the cause is known. */
export function finding(kind: FindingKind, what: string, evidence: Evidence, fix = kind.fix): Finding {
  return { kind: 'finding', ...kind, fix, what, evidence };
}

/** A passed check. */
export function passed(group: Group, what: string, evidence: Evidence): Passed {
  return { kind: 'ok', group, what, evidence };
}

/** A check that was not made. */
export function skipped(group: Group, what: string): Skipped {
  return { kind: 'skipped', group, what };
}

/** True for a finding. */
export function isFinding(outcome: Outcome): outcome is Finding {
  return outcome.kind === 'finding';
}

const ORDER: Record<Severity, number> = { fatal: 0, warning: 1, note: 2 };

/** The findings, worst first, otherwise in the order in which they were made. */
export function worstFirst(outcomes: Outcome[]): Finding[] {
  return outcomes.filter(isFinding).sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}
