/** Accepted forms of an answer: data of a key, each of which makes an answer right. */
import { z } from 'zod';
import { patternFault } from './pattern.js';
import { plainWords } from './phrases.js';

const filled = z.string().refine((value) => value.trim() !== '', 'is empty');

const fields = z.strictObject({
  pattern: filled
    .superRefine((pattern, context) => {
      const fault = patternFault(pattern);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .optional()
    .describe('Regular expression of RE2, found anywhere in the answer'),
  flags: z.literal('i').optional().describe('Of a pattern: i: whatever the case'),
  number: z.number().optional().describe('A number that stands in the answer as a whole'),
  unit: z
    .union([filled, z.array(filled).min(1)])
    .optional()
    .describe('Of a number: the unit that it must have, or several of which one will do'),
  tolerance: z
    .number()
    .nonnegative()
    .optional()
    .describe('Of a number: how far the one in the answer may be off'),
  text: z
    .string()
    .refine((value) => plainWords(value) !== '', 'is empty')
    .optional()
    .describe('Words that stand in the answer as a whole, whatever the case'),
});

/** One accepted form. Exactly one of `pattern`, `number` and `text` is there. */
export const formSchema = fields.superRefine((form, context) => {
  const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
  const kinds = [form.pattern, form.number, form.text].filter((value) => value !== undefined);
  if (kinds.length !== 1) refuse('has exactly one of `pattern`, `number` and `text`');
  if (form.flags !== undefined && form.pattern === undefined) refuse('goes with a `pattern`', 'flags');
  if (form.unit !== undefined && form.number === undefined) refuse('goes with a `number`', 'unit');
  if (form.tolerance !== undefined && form.number === undefined) refuse('goes with a `number`', 'tolerance');
});

export type Form = z.infer<typeof formSchema>;
