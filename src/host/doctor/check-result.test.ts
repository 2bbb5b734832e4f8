/** Results: sizes, errors that do not say so, and promises of a schema. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkResult, checkUnknownTool, readsLikeError, resultFacts } from './check-result.js';
import type { Outcome } from './finding.js';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const noSchema = { schema_verdict: 'no_schema', schema_detail: null } as const;
const call = (result: Record<string, unknown>) => ({ tool: 't', result, wire_bytes: 100, schema: noSchema });
const said = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => [outcome.kind === 'finding' ? outcome.code : outcome.kind, outcome.what]);

describe('a result', () => {
  it('that is small and says it once is well', () => {
    assert.deepEqual(said(checkResult(call(text('Llamas hum.')))), [
      ['ok', 't: 11 B of text, ~5 tokens, 100 B on the wire'],
    ]);
  });

  it('that is sent as text and as structured content is measured twice', () => {
    const twice = call({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    assert.deepEqual(said(checkResult(twice)), [
      ['content-twice', 't: content 36 B and structuredContent 7 B'],
    ]);
    const { content_bytes, structured_bytes, text_bytes } = resultFacts(twice);
    assert.deepEqual([content_bytes, structured_bytes, text_bytes], [36, 7, 7]);
  });

  it('is noted over 10,000 bytes and warned about over 25,000 tokens', () => {
    assert.equal(said(checkResult(call(text('a '.repeat(5001)))))[0]?.[0], 'result-large');
    assert.equal(said(checkResult(call(text('a '.repeat(26_000)))))[0]?.[0], 'result-too-large');
    assert.equal(said(checkResult(call(text('a '.repeat(5000)))))[0]?.[0], 'ok');
  });

  it('is noted, too, where an image or structured content is what is large', () => {
    const image = { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(20_000) }] };
    assert.deepEqual(said(checkResult(call(image)))[0], [
      'result-large',
      't: 0 B of text, ~0 tokens, 20,051 B of content, 0 B structured',
    ]);
    const rows = { ...text('see rows'), structuredContent: { rows: 'a'.repeat(20_000) } };
    assert.equal(said(checkResult(call(rows)))[0]?.[0], 'result-large');
  });

  it('that leaves its schema is lost by clients', () => {
    const schema = {
      schema_verdict: 'invalid',
      schema_detail: 'structuredContent/n must be number',
    } as const;
    assert.deepEqual(said(checkResult({ ...call(text('x')), schema })), [
      ['result-leaves-schema', 't: structuredContent/n must be number'],
    ]);
  });

  it('that tells of a failure without isError is warned about, and with it is not', () => {
    assert.deepEqual(said(checkResult(call(text('Error: no such note')))), [
      ['error-without-flag', 't: no isError, though its text begins "Error: no such note"'],
    ]);
    assert.equal(said(checkResult(call({ ...text('Error: no such note'), isError: true })))[0]?.[0], 'ok');
  });

  it('without content is measured all the same', () => {
    assert.deepEqual(said(checkResult(call({}))), [['ok', 't: 0 B of text, ~0 tokens, 100 B on the wire']]);
  });
});

describe('a text that reads like an error', () => {
  const reads = (value: string) => readsLikeError(text(value)) !== null;

  it('begins like one', () => {
    const errors = [
      ...['Error: x', 'ERROR - x', '❌ Failed to read', 'Traceback (most recent call last):', 'TypeError: x'],
      ...[
        'Could not connect',
        'Internal server error',
        'Invalid path',
        'Not found',
        '**Error** (404)',
        'Error',
      ],
    ];
    assert.deepEqual(
      errors.filter((value) => !reads(value)),
      [],
    );
  });

  it('is JSON that says so', () => {
    const errors = [
      '{"error":"x"}',
      '{"error":{"code":1}}',
      '{"success":false}',
      '{"ok":false}',
      '{"errors":["x"]}',
    ];
    assert.deepEqual(
      errors.filter((value) => !reads(value)),
      [],
    );
  });

  it('is none where it only speaks of errors, or names them as absent', () => {
    const fine = [
      'Error handling in Go',
      'Errors are rare',
      'Found 3 errors',
      '{"error":null}',
      '{"errors":[]}',
      'ok',
    ];
    assert.deepEqual(fine.filter(reads), []);
  });
});

describe('a call of a tool that does not exist', () => {
  it('is answered with an error of either kind', () => {
    assert.equal(checkUnknownTool({ error: { code: -32602 } })[0]?.kind, 'ok');
    assert.equal(checkUnknownTool({ result: { isError: true } })[0]?.kind, 'ok');
  });

  it('does not succeed', () => {
    assert.deepEqual(said(checkUnknownTool({ result: { content: [] } })), [
      ['unknown-tool-accepted', 'a call of a tool that does not exist succeeds: "{"content":[]}"'],
    ]);
  });
});
