/** Tool paths: which calls a right answer needs. Data of a key, or made from it for the kinds of a records study. */
import { z } from 'zod';
import { type JsonSchema, jsonSchema } from './conform.js';
import { CONTROLS } from './controls.js';
import type { Key } from './key.js';

const name = z.string().min(1);

const stepSchema = z.strictObject({
  tool: z
    .union([name, z.array(name).min(1)])
    .describe('The tool that is called, or several of which one will do'),
  arguments: jsonSchema.optional().describe('JSON Schema of the arguments'),
  result: jsonSchema
    .optional()
    .describe('JSON Schema of what the model read: the value of its JSON, or the text where it is none'),
});

/** What a task says under `toolPath`. */
export const toolPathSchema = z.strictObject({
  steps: z
    .array(stepSchema)
    .describe('Each is met by a call that was not an error, after the call that met the step before'),
  forbidden: z.array(name).optional().describe('Tools that may not be called, however they answer'),
  controls: z
    .array(z.enum(CONTROLS))
    .optional()
    .describe('The rule is in force where all of these controls are on; always where there are none'),
  words: name.optional().describe('What is required, for a person: "it requires …"'),
});

export type ToolPath = z.infer<typeof toolPathSchema>;
export type PathStep = ToolPath['steps'][number];

/** The tool path of a key: its own, or else the one of its kind; null where there is none. */
export function toolPathOf(key: Key): ToolPath | null {
  return key.toolPath ?? DEFAULTS.get(key.kind ?? '')?.(key) ?? null;
}

/** The tools that meet a step. */
export function toolsOf({ tool }: PathStep): string[] {
  return typeof tool === 'string' ? [tool] : tool;
}

/** What a tool path requires: its own words, or else the tools in their order. */
export function wordsOf({ words, steps, forbidden = [] }: ToolPath): string {
  if (words !== undefined) return words;
  const calls = steps.map(
    (step) => `${toolsOf(step).join(' or ')}${isBound(step) ? ' as the key says' : ''}`,
  );
  const path = calls.length === 0 ? [] : [calls.join(', then ')];
  return [...path, ...(forbidden.length === 0 ? [] : [`no call of ${forbidden.join(', ')}`])].join(', and ');
}

function isBound({ arguments: given, result }: PathStep): boolean {
  return given !== undefined || result !== undefined;
}

/** The rules for the three kinds of a records study, over the tools of the records server. */
const DEFAULTS = new Map<string, (key: Key) => ToolPath>([
  [
    'lookup',
    (key) => ({
      controls: ['filter'],
      words: 'find_records with brief fields that shows an evidence id, then exact_record of it',
      steps: [
        { tool: 'find_records', arguments: withoutDetail(key), result: showingEvidence(key) },
        { tool: 'exact_record', arguments: having('id', evidence(key)) },
      ],
    }),
  ],
  [
    'aggregate',
    () => ({
      controls: ['count'],
      words: 'a call of count_by_field',
      steps: [{ tool: 'count_by_field' }],
    }),
  ],
  [
    'later_page',
    () => ({
      controls: ['filter', 'paginate'],
      words: 'a continuation: find_records with a cursor',
      steps: [{ tool: 'find_records', arguments: having('cursor', { not: { enum: [null, '', 0, false] } }) }],
    }),
  ],
]);

/** Arguments that neither match on the detail nor ask for it. */
function withoutDetail({ detailField }: Key): JsonSchema {
  const detail = { const: detailField };
  const fields = { not: { type: 'array', contains: detail } };
  return { properties: { matchField: { not: detail }, fields } };
}

/** A result of which one row is evidence. */
function showingEvidence(key: Key): JsonSchema {
  return having('rows', { type: 'array', contains: having('id', evidence(key)) });
}

/** One of the evidence ids; nothing where there are none. */
function evidence({ evidenceIds }: Key): JsonSchema {
  return evidenceIds.length === 0 ? { not: {} } : { enum: evidenceIds };
}

/** An object with such a field. */
function having(field: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', required: [field], properties: { [field]: schema } };
}
