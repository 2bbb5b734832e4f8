/** Evidence: whether what a recorded answer rests on still stands in a result. */
import { z } from 'zod';

/** The evidence of a trial whose answer names some. */
export interface EvidenceComparison {
  trial: string;
  /** Ids that stand in a new result. */
  kept: string[];
  /** Ids that stood in a recorded result and stand in no new one. */
  lost: string[];
  /** Ids that stood in no recorded result either: nothing can be said of them. */
  unseen: string[];
}

const answerSchema = z.looseObject({ evidenceIds: z.array(z.string()) });

/** The ids that an answer names as its evidence; null where it names none. */
export function evidenceIn(answer: unknown): string[] | null {
  const ids = [...new Set(answerSchema.safeParse(answer).data?.evidenceIds ?? [])].filter((id) => id !== '');
  return ids.length === 0 ? null : ids;
}

/** Looks for each id in the texts of the results, before and after. Pure. */
export function compareEvidence(
  trial: string,
  ids: string[],
  before: string[],
  after: string[],
): EvidenceComparison {
  const stood = ids.filter((id) => stands(id, before));
  const stays = stood.filter((id) => stands(id, after));
  return {
    trial,
    kept: stays,
    lost: stood.filter((id) => !stays.includes(id)),
    unseen: ids.filter((id) => !stood.includes(id)),
  };
}

/** Whether an id stands in a text by itself: `T1` does not stand in `T11`. */
function stands(id: string, texts: string[]): boolean {
  const escaped = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'u');
  return texts.some((text) => pattern.test(text));
}
