/** The result of a call: what is sent twice, errors that do not say so, size, and what its schema promised. */
import { joinedText, jsonOf } from '../../events/answer.js';
import { utf8Bytes } from '../../events/bytes.js';
import { estimateTokens } from '../tokens.js';
import { isObject, type JsonObject } from '../wire/json.js';
import type { SchemaVerdict } from '../wire/output-schema.js';
import { type FindingKind, finding, type Outcome, passed } from './finding.js';
import { bytes, excerpt, integer } from './words.js';

const CONTENT_TWICE: FindingKind = {
  code: 'content-twice',
  group: 'results',
  severity: 'note',
  why: 'the same answer crosses the wire as text and as structuredContent, and a host that forwards both pays for both',
  fix: 'keep the text for older hosts but short, or leave structuredContent out where nothing reads it',
};
const ERROR_WITHOUT_FLAG: FindingKind = {
  code: 'error-without-flag',
  group: 'results',
  severity: 'warning',
  why: 'without isError a host shows a failure as a success, and a model builds its answer on it',
  fix: 'set isError: true in the result of a call that failed',
};
const RESULT_TOO_LARGE: FindingKind = {
  code: 'result-too-large',
  group: 'results',
  severity: 'warning',
  why: 'Claude Code takes 25,000 tokens of a result by default, and puts a larger one aside or refuses it',
  fix: 'filter, page and project in the server, so that a call returns what was asked for',
};
const RESULT_LARGE: FindingKind = {
  code: 'result-large',
  group: 'results',
  severity: 'note',
  why: 'every later turn of the conversation pays for this text again',
  fix: 'return fewer fields or rows by default, and more on request',
};
const RESULT_LEAVES_SCHEMA: FindingKind = {
  code: 'result-leaves-schema',
  group: 'results',
  severity: 'fatal',
  why: 'clients of the official SDK check a result against the output schema, throw, and lose the result',
  fix: 'return structuredContent that fits outputSchema, or leave the schema out',
};
const UNKNOWN_TOOL_ACCEPTED: FindingKind = {
  code: 'unknown-tool-accepted',
  group: 'results',
  severity: 'warning',
  why: 'a model that misspells a tool is told that it worked',
  fix: 'answer a call of an unknown tool with error -32602, or with isError: true',
};
const CALL_FAILED: FindingKind = {
  code: 'call-failed',
  group: 'results',
  severity: 'warning',
  why: 'a call that ends in a protocol error, or not at all, gives a model nothing to read and nothing to correct',
  fix: 'answer with a result: isError: true and a text that says what to do differently',
};

/** Every kind of finding that this file makes. */
export const RESULT_KINDS = [
  ...[RESULT_LEAVES_SCHEMA, ERROR_WITHOUT_FLAG, RESULT_TOO_LARGE, UNKNOWN_TOOL_ACCEPTED, CALL_FAILED],
  ...[CONTENT_TWICE, RESULT_LARGE],
];

/** The most tokens of a result that Claude Code takes by default (`MAX_MCP_OUTPUT_TOKENS`). */
const TOKEN_LIMIT = 25_000;
const LARGE_BYTES = 10_000;

/** A result as it came, and the verdict on its structured content. */
export interface CallResult {
  tool: string;
  result: JsonObject;
  /** The whole reply on the wire. */
  wire_bytes: number;
  schema: SchemaVerdict;
}

/** The sizes of a result: of the wire message, of its parts as JSON, and of the text that a model would read. */
export function resultFacts({ tool, result, wire_bytes, schema }: CallResult) {
  const { content, structuredContent: structured } = result;
  const text = joinedText(Array.isArray(content) ? content : []);
  return {
    ...{ tool, wire_bytes, is_error: result.isError === true, ...schema },
    content_bytes: content === undefined ? 0 : utf8Bytes(JSON.stringify(content)),
    structured_bytes: structured === undefined ? 0 : utf8Bytes(JSON.stringify(structured)),
    ...{ text_bytes: utf8Bytes(text), text_tokens: estimateTokens(text) },
  };
}

/** One result. */
export function checkResult(call: CallResult): Outcome[] {
  const facts = resultFacts(call);
  const { tool, content_bytes, structured_bytes, text_bytes, text_tokens } = facts;
  const sign = facts.is_error ? null : readsLikeError(call.result);
  const leaves = facts.schema_verdict === 'invalid' || facts.schema_verdict === 'missing';
  const sizes = `${bytes(text_bytes)} of text, ~${integer(text_tokens)} tokens`;
  const rest = Math.max(content_bytes - text_bytes, structured_bytes);
  const more =
    rest > LARGE_BYTES ? `, ${bytes(content_bytes)} of content, ${bytes(structured_bytes)} structured` : '';
  const found = [
    ...(leaves ? [finding(RESULT_LEAVES_SCHEMA, `${tool}: ${facts.schema_detail}`, facts)] : []),
    ...(sign === null ? [] : [finding(ERROR_WITHOUT_FLAG, `${tool}: no isError, though ${sign}`, facts)]),
    ...(text_tokens > TOKEN_LIMIT
      ? [finding(RESULT_TOO_LARGE, `${tool}: ${sizes}`, facts)]
      : text_bytes > LARGE_BYTES || rest > LARGE_BYTES
        ? [finding(RESULT_LARGE, `${tool}: ${sizes}${more}`, facts)]
        : []),
    ...(structured_bytes > 0 && text_bytes > 0
      ? [
          finding(
            CONTENT_TWICE,
            `${tool}: content ${bytes(content_bytes)} and structuredContent ${bytes(structured_bytes)}`,
            facts,
          ),
        ]
      : []),
  ];
  return found.length > 0
    ? found
    : [passed('results', `${tool}: ${sizes}, ${bytes(facts.wire_bytes)} on the wire`, facts)];
}

/** The answer to a call of a tool that does not exist; `reply` is the JSON-RPC message. */
export function checkUnknownTool(reply: JsonObject): Outcome[] {
  if ('error' in reply || (isObject(reply.result) && reply.result.isError === true))
    return [passed('results', 'a call of an unknown tool is answered with an error', {})];
  if (!isObject(reply.result)) return [];
  const what = `a call of a tool that does not exist succeeds: ${excerpt(JSON.stringify(reply.result))}`;
  return [finding(UNKNOWN_TOOL_ACCEPTED, what, { result: reply.result })];
}

/** A call that had no result. */
export function callFailed(tool: string, message: string): Outcome {
  return finding(CALL_FAILED, message, { tool });
}

/** Beginnings of a text, after white space and marks, that tell of a failure. */
const FAILURES = [
  /(?:(?:internal|unexpected|fatal|unknown|server) )*(?:error|exception)[*_]*(?:\s*[:!([–—-]|\s+(?:occurred|while|when|reading|fetching|calling|executing|parsing|processing|\d)|\s*$)/,
  /[a-z]*(?:error|exception):/,
  /traceback \(/,
  /(?:failed|failure)(?: to\b|:)/,
  /(?:unable to|could not|cannot|can't|invalid|unauthorized|forbidden|access denied|permission denied|timed out)\b/,
  /not found\b/,
];
const FAILURE = new RegExp(
  `^[\\s*#>\`"'[\\]❌⚠✗]*(?:${FAILURES.map(({ source }) => source).join('|')})`,
  'iu',
);

/** Why a result reads like an error, in words; null where it does not. `docs/doctor.md` has the rule. */
export function readsLikeError({ content, structuredContent }: JsonObject): string | null {
  const text = joinedText(Array.isArray(content) ? content : []);
  if (FAILURE.test(text.trimStart().split('\n')[0] ?? '')) return `its text begins ${excerpt(text)}`;
  const key = failureKey(structuredContent) ?? failureKey(jsonOf(text));
  return key === null ? null : `it says ${key}`;
}

function failureKey(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { error, errors, success, ok, status } = value;
  if (typeof error === 'string' ? error !== '' : isObject(error))
    return `"error": ${excerpt(JSON.stringify(error))}`;
  if (Array.isArray(errors) && errors.length > 0) return `"errors": ${excerpt(JSON.stringify(errors))}`;
  if (success === false) return '"success": false';
  if (ok === false) return '"ok": false';
  return status === 'error' ? '"status": "error"' : null;
}
