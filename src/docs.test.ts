/** The examples of docs/study.md are read by the code that reads a user's own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseScript } from './host/scripted/script.js';
import { formSchema } from './study/accept/form.js';
import { parseInput } from './study/document.js';
import { studySchema } from './study/schema.js';

const TEXT = readFileSync(new URL('../docs/study.md', import.meta.url), 'utf8');

function example(name: string): string {
  return new RegExp(`^\`\`\`yaml ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(TEXT)?.[1] ?? '';
}

describe('docs/study.md', () => {
  it('has a study.yaml that fits the schema', () => {
    const { value } = parseInput(Buffer.from(example('study')), 'study.yaml', studySchema, 'INVALID_STUDY');
    assert.deepEqual(Object.keys(value.conditions), ['baseline', 'optimized']);
  });

  it('has a study of Claude Code that fits it, too', () => {
    const { value } = parseInput(Buffer.from(example('claude')), 'study.yaml', studySchema, 'INVALID_STUDY');
    assert.deepEqual(Object.keys(value.conditions), ['none', 'clear', 'vague', 'upfront', 'again']);
  });

  it('has accepted forms that are some', () => {
    const text = /^```json accept\n([\s\S]*?)^```$/m.exec(TEXT)?.[1] ?? '';
    assert.equal(formSchema.array().parse(JSON.parse(text)).length, 4);
  });

  it('has a script that can be followed', () => {
    assert.equal(parseScript(example('script'), 'script.yaml').entries[0]?.steps.length, 3);
  });
});
