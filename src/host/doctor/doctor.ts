/** The doctor: examines one server after another, and ends at once on a signal, with every server that it started. */
import { onSignals } from '../signals.js';
import { type DoctorOptions, type Examination, examine } from './examine.js';
import type { Patient } from './host-config.js';

/** What was examined, and the signal that ended it early. */
export interface Visit {
  servers: Examination[];
  /** Fatal findings of all servers. */
  fatal: number;
  signal: string | null;
}

/** Examines servers in turn; `onStep` hears what is under way, `onExamined` each result as it comes. */
export async function visit(
  patients: Patient[],
  options: Omit<DoctorOptions, 'signal'>,
  onExamined: (examination: Examination) => Promise<void>,
): Promise<Visit> {
  const abort = new AbortController();
  const release = onSignals((signal) => abort.abort(signal));
  const servers: Examination[] = [];
  try {
    for (const patient of patients) {
      const onStep = (what: string) =>
        options.onStep(patient.name === null ? what : `${patient.name}: ${what}`);
      const examination = await examine(patient, { ...options, onStep, signal: abort.signal });
      servers.push(examination);
      await onExamined(examination);
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    release();
  }
  const fatal = servers.reduce((sum, { counts }) => sum + counts.fatal, 0);
  return { servers, fatal, signal: abort.signal.aborted ? String(abort.signal.reason) : null };
}
