/** The endpoint and its credentials, out of the environment. */
import { Problem } from '../events/problem.js';
import { type Secret, secretsOf } from './redaction.js';

/** Variables that each hold one credential of the model's endpoint. */
export const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/** The key of the endpoint. Throws `API_KEY_REQUIRED`, or `API_KEY_INVALID` without saying what the key is. */
export function apiKeyIn(env: NodeJS.ProcessEnv): string {
  const key = env.ANTHROPIC_API_KEY?.trim() ?? '';
  const todo = 'set it to a key of the endpoint, or use --host scripted';
  if (key === '') throw new Problem({ code: 'API_KEY_REQUIRED', what: 'ANTHROPIC_API_KEY is not set', todo });
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const what = 'ANTHROPIC_API_KEY holds characters that no HTTP header can carry';
  throw new Problem({ code: 'API_KEY_INVALID', what, todo });
}

/** Throws `API_KEY_REQUIRED` where no variable holds a credential that Claude Code could use. */
export function assertCredential(env: NodeJS.ProcessEnv): void {
  if (CREDENTIALS.some((name) => (env[name]?.trim() ?? '') !== '')) return;
  const what = `none of ${CREDENTIALS.join(', ')} is set`;
  const todo = 'set one of them, or use --model scripted; a login in your own home is not used';
  throw new Problem({ code: 'API_KEY_REQUIRED', what, todo });
}

/** The endpoint that ANTHROPIC_BASE_URL names, null where it is not set. Throws `BASE_URL_INVALID`. */
export function baseUrlIn(env: NodeJS.ProcessEnv): string | null {
  const text = env.ANTHROPIC_BASE_URL?.trim() ?? '';
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const sound = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (sound && url.username === '' && url.password === '') return text;
  const what = sound
    ? 'ANTHROPIC_BASE_URL holds a user name or password'
    : 'ANTHROPIC_BASE_URL is not the http or https address of an endpoint';
  const todo = 'set it to an address such as http://127.0.0.1:8080, and the key to ANTHROPIC_API_KEY';
  throw new Problem({ code: 'BASE_URL_INVALID', what, todo });
}

/** The credentials in an environment. What is short or a plain word is none: a local endpoint takes any key. */
export function secretsIn(env: NodeJS.ProcessEnv): Secret[] {
  const headers = (env.ANTHROPIC_CUSTOM_HEADERS ?? '').split('\n').map((line) => {
    const [name = '', ...value] = line.split(':');
    return { name: `ANTHROPIC_CUSTOM_HEADERS ${name.trim()}`, text: value.join(':').trim() };
  });
  const named = CREDENTIALS.map((name) => ({ name, text: env[name]?.trim() ?? '' }));
  const carried = headers.filter(({ name }) => /auth|key|token|secret|cookie/i.test(name));
  const told = [...named, ...carried].filter(({ text }) => text.length >= 8 && /[^a-z]/i.test(text));
  return told.flatMap(({ name, text }) => secretsOf(name, text));
}
