/** Whether a text has one of the accepted forms in it, and which. */
import type { AnswerKind } from '../asked.js';
import type { Key } from '../key.js';
import type { Form } from './form.js';
import { numbersIn } from './numbers.js';
import { patternIn } from './pattern.js';
import { phraseIn } from './phrases.js';
import { hasUnit, isGlued } from './units.js';

/** The form that an answer has, and the part of the answer that has it. */
export interface Matched {
  form: Form;
  text: string;
}

/**
 * The forms of a key. An answer as text has nothing to be equal to: where its key has no forms, the expected answer is the
 * one. An answer in JSON is right, too, where it equals the expected one.
 */
export function formsOf(key: Key, answer: AnswerKind): Form[] {
  return key.accept ?? (answer === 'text' ? [{ text: key.expectedAnswer }] : []);
}

/** The first form that a text has, null where it has none. */
export function matchOf(text: string, forms: Form[]): Matched | null {
  for (const form of forms) {
    const found = partOf(text, form);
    if (found !== null) return { form, text: found };
  }
  return null;
}

/** A form as a person wrote it: `{"number":4096,"unit":"tokens"}`. */
export function formInWords(form: Form): string {
  return JSON.stringify(form);
}

/** The part of a text that has the form, null where none does. */
function partOf(text: string, form: Form): string | null {
  if (form.pattern !== undefined) return patternIn(text, form.pattern, form.flags);
  if (form.number !== undefined) return numberIn(text, { ...form, number: form.number });
  return form.text === undefined ? null : phraseIn(text, form.text);
}

function numberIn(text: string, { number, unit, tolerance = 0 }: Form & { number: number }): string | null {
  const units = unit === undefined || typeof unit === 'object' ? unit : [unit];
  const found = numbersIn(text).find(
    (token) =>
      isWithin(token.value, number, tolerance) &&
      (units === undefined ? !isGlued(text, token) : hasUnit(text, token, units)),
  );
  return found?.text ?? null;
}

/** The last digit of a binary fraction decides nothing: 1.1 is within 0.1 of 1. */
function isWithin(value: number, wanted: number, tolerance: number): boolean {
  const slack = tolerance === 0 ? 0 : 4 * Number.EPSILON * Math.max(Math.abs(value), Math.abs(wanted));
  return Math.abs(value - wanted) <= tolerance + slack;
}
