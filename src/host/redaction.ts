/** Keeping texts out of a log: wherever they stand in an event, and however JSON or a URL spells them. */
import type { EventBody } from '../events/event.js';

/** A text that must not reach a log, and the name of the variable that it came from. */
export interface Secret {
  name: string;
  text: string;
}

/** Variables that are called so hold secrets, whoever is handed them. */
export const SECRET_NAMES = /key|token|secret|passw|auth|cookie|credential/i;

/** Shorter texts are not looked for: they would be found everywhere. */
const SHORTEST = 6;

/**
 * What of a value is secret by itself: the whole, what follows its scheme (`Bearer`), the values of its cookies, and what
 * Basic credentials say when they are decoded.
 */
export function secretsOf(name: string, value: string): Secret[] {
  const whole = value.trim();
  const [scheme = '', ...rest] = whole.split(/\s+/);
  const parts = rest.flatMap((word) => word.split(/[;,]/));
  const cookies = whole.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));
  const basic = /^basic$/i.test(scheme) ? Buffer.from(rest.join(''), 'base64').toString('utf8') : '';
  const password = basic.slice(basic.indexOf(':') + 1);
  const texts = [whole, rest.join(' '), ...parts, ...cookies, basic, password];
  const distinct = [...new Set(texts)].filter((text) => text.length >= SHORTEST);
  return distinct.sort((a, b) => b.length - a.length).map((text) => ({ name, text }));
}

/** The event without these texts; the same object where it holds none of them. */
export function redacted(body: EventBody, secrets: Secret[]): EventBody {
  if (secrets.length === 0) return body;
  const whole = withoutCuts(withoutBase64(body, secrets), secrets);
  const json = JSON.stringify(whole);
  return cover(json, secrets) === json ? whole : rebuilt(whole, secrets);
}

/** The same for the bytes of a message; all other bytes stay what they are. */
export function redactedBytes(bytes: Buffer, secrets: Secret[]): Buffer {
  if (!mayHold(bytes, secrets)) return bytes;
  const raw = secrets.map(({ name, text }) => ({ name, text: Buffer.from(text, 'utf8').toString('latin1') }));
  const text = bytes.toString('latin1');
  const covered = cover(text, raw);
  return covered === text ? bytes : Buffer.from(covered, 'latin1');
}

/** Looked at without a copy: messages may be large. */
function mayHold(bytes: Buffer, secrets: Secret[]): boolean {
  if (secrets.length === 0) return false;
  const escapes = ['\\', '%'].some((mark) => bytes.includes(mark));
  return escapes || secrets.some(({ text }) => bytes.includes(text));
}

/** Replaces the texts in every string below a value, names of fields too. */
export function rebuilt<T>(value: T, secrets: Secret[]): T;
export function rebuilt(value: unknown, secrets: Secret[]): unknown {
  if (typeof value === 'string') return cover(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => rebuilt(inner, secrets));
  const entries = Object.entries(value).map(([key, inner]) => [cover(key, secrets), rebuilt(inner, secrets)]);
  return Object.fromEntries(entries);
}

function cover(text: string, secrets: Secret[]): string {
  let covered = text;
  for (const secret of secrets) {
    const mark = () => `[redacted: ${secret.name}]`;
    covered = covered.replaceAll(secret.text, mark);
    if (mayBeSpelt(covered, secret)) covered = covered.replace(patternOf(secret.text), mark);
  }
  return covered;
}

/** Looking for every spelling takes long: without an escape there is none but the plain one. */
function mayBeSpelt(text: string, { text: secret }: Secret): boolean {
  return /\\u00|\\\/|%[0-9a-f]{2}/i.test(text) || (/["\\]/.test(secret) && text.includes('\\'));
}

const patterns = new Map<string, RegExp>();

/** Each character plain, as JSON may escape it, however often, or as a URL encodes it. */
function patternOf(text: string): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const pattern = new RegExp([...text].map(spellings).join(''), 'gi');
  patterns.set(text, pattern);
  return pattern;
}

function spellings(character: string): string {
  const plain = character.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
  const units = [...character.split('')].map((unit) => `\\\\+u${hex(unit.charCodeAt(0), 4)}`).join('');
  const encoded = [...Buffer.from(character, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join('');
  const escaped = /["\\/]/.test(character) ? `\\\\*${plain}` : plain;
  return `(?:${escaped}|${units}|${encoded})`;
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0');
}

/** A fault shows bytes that are no text in base64, which hides what they say. */
function withoutBase64(body: EventBody, secrets: Secret[]): EventBody {
  if (body.type !== 'fault' || body.base64 === null) return body;
  const bytes = Buffer.from(body.base64, 'base64');
  const clean = redactedBytes(bytes, secrets);
  return clean === bytes ? body : { ...body, base64: clean.toString('base64') };
}

/** Texts that were cut may end, or begin, in the middle of a secret. */
function withoutCuts(body: EventBody, secrets: Secret[]): EventBody {
  const clean = (text: string | null) => (text === null ? null : withoutEnds(text, secrets));
  switch (body.type) {
    case 'fault':
      return same(body, { ...body, message: clean(body.message) ?? '', text: clean(body.text) });
    case 'close':
      return same(body, { ...body, message: clean(body.message), stderr_tail: clean(body.stderr_tail) });
    case 'run_close':
      return same(body, { ...body, message: clean(body.message) });
    default:
      return body;
  }
}

function same<T extends object>(before: T, after: T): T {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

function withoutEnds(text: string, secrets: Secret[]): string {
  return secrets.reduce((rest, secret) => withoutEnd(rest, secret), text);
}

function withoutEnd(text: string, { name, text: secret }: Secret): string {
  const mark = `[redacted: ${name}]`;
  const [body, ellipsis] = text.endsWith('…') ? [text.slice(0, -1), '…'] : [text, ''];
  for (let length = secret.length - 1; length >= SHORTEST; length -= 1) {
    const [front, back] = [secret.slice(0, length), secret.slice(-length)];
    if (body.endsWith(front)) return `${body.slice(0, -length)}${mark}${ellipsis}`;
    if (text.startsWith(back)) return `${mark}${text.slice(length)}`;
  }
  return text;
}
