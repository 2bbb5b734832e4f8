/** Questions and keys: the question may not change, the key may, so they are hashed apart. */
import { z } from 'zod';
import { sha256 } from '../events/bytes.js';
import { type Form, formSchema } from './accept/form.js';
import { type ToolPath, toolPathSchema } from './tool-path.js';

export const TASK_KINDS = ['lookup', 'aggregate', 'later_page'] as const;

const text = z.string().refine((value) => value.trim() !== '', 'is empty');

const evidenceIds = z.array(z.string());
const requiredCaveats = z.array(text);

/** One entry of a tasks file. Further fields are kept for a script and mean nothing to grading. */
const anyTask = z.looseObject({
  id: text.optional(),
  kind: text.optional(),
  question: text,
  expectedAnswer: text,
  accept: z.array(formSchema).min(1).nullish(),
  evidenceIds: evidenceIds.default([]),
  requiredCaveats: requiredCaveats.default([]),
  detailField: z.string().nullish(),
  aggregateField: z.string().nullish(),
  aggregateValue: z.string().nullish(),
  toolPath: toolPathSchema.nullish(),
});
const recordsTask = anyTask.extend({ evidenceIds: evidenceIds.min(1), requiredCaveats });

export type TaskEntry = z.infer<typeof anyTask>;

/**
 * What an entry must look like. The kinds of a records study need evidence and a list of caveats wherever they stand, also
 * in a file of keys that is read without the study; other tasks may leave both out.
 */
export function taskSchemaOf(kind: string | undefined): z.ZodType<TaskEntry> {
  return TASK_KINDS.some((known) => known === kind) ? recordsTask : anyTask;
}

/** What an answer is judged by. */
export interface Key {
  kind: string | null;
  expectedAnswer: string;
  evidenceIds: string[];
  requiredCaveats: string[];
  detailField: string | null;
  aggregateField: string | null;
  aggregateValue: string | null;
  /** Absent where the task has none of its own: then it is no part of the digest. */
  toolPath?: ToolPath;
  /** Forms of which any makes an answer right; absent where there are none, and then no part of the digest. */
  accept?: Form[];
}

/** The id of a task: its own, or else its kind, or else its place from 1. */
export function taskId(entry: TaskEntry, index: number): string {
  return entry.id ?? entry.kind ?? `task-${index + 1}`;
}

export function keyOf(entry: TaskEntry): Key {
  return {
    kind: entry.kind ?? null,
    expectedAnswer: entry.expectedAnswer,
    evidenceIds: entry.evidenceIds,
    requiredCaveats: entry.requiredCaveats,
    detailField: entry.detailField ?? null,
    aggregateField: entry.aggregateField ?? null,
    aggregateValue: entry.aggregateValue ?? null,
    ...(entry.toolPath ? { toolPath: entry.toolPath } : {}),
    ...(entry.accept ? { accept: entry.accept } : {}),
  };
}

/** SHA-256 of the question's UTF-8 bytes. */
export function questionDigest(question: string): string {
  return sha256(question);
}

/** SHA-256 of the key as JSON, its fields in the order of `Key`. */
export function keyDigest(key: Key): string {
  return sha256(JSON.stringify(key));
}
