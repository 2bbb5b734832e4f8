/** The JSON Schema of study.yaml, for editors. */
import { z } from 'zod';
import { studySchema } from './schema.js';

/** `docs/study.schema.json` as a value: what a person may write, so fields that have a default are optional. */
export function studyJsonSchema(): unknown {
  return {
    ...z.toJSONSchema(studySchema, { target: 'draft-7', io: 'input' }),
    title: 'study.yaml of measure',
  };
}
