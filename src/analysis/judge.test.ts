/** The judgement of one receipt: strict about the answer, and silent about what was never reached. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FailureCode } from '../events/failures.js';
import type { ExecutionStatus } from '../events/trial-receipt.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';
import { judge, type Terms } from './judge.js';
import { receiptWith } from './log-fixture.test.support.js';

const key: Key = {
  ...{ kind: 'aggregate', expectedAnswer: '9', evidenceIds: ['T01', 'T02'], requiredCaveats: ['as of 2020'] },
  ...{ detailField: null, aggregateField: 'status', aggregateValue: 'open' },
};
const right = { answer: '9', evidenceIds: ['T01', 'T02'], caveats: ['as of 2020'] };
const terms = (...controls: Control[]): Terms => ({ controls, answer: 'json' });
const judged = (answer: unknown) => judge(receiptWith(answer), key, terms());
const verdict = (change: object) => judged({ ...right, ...change }).verdict;
const ended = (status: ExecutionStatus, failure: FailureCode | null) =>
  judge({ ...receiptWith(undefined), status, failure }, key, terms());

describe('an answer', () => {
  it('passes where answer, evidence and caveats are there, and no path is required', () => {
    assert.deepEqual(judged(right), {
      ...{ verdict: 'pass', execution: 'pass', answer: 'pass', evidence: 'pass', caveats: 'pass' },
      ...{ tool_path: 'not_required', reasons: [] },
    });
  });

  it('must equal the expected text exactly: no number, no space, no other case', () => {
    assert.equal(verdict({ answer: 9 }), 'fail');
    assert.equal(verdict({ answer: '9 ' }), 'fail');
    assert.equal(verdict({ answer: '09' }), 'fail');
    assert.equal(verdict({ answer: ['9'] }), 'fail');
    assert.equal(verdict({ answer: null }), 'fail');
  });

  it('must cite every evidence id, as texts in a list; further ones are allowed', () => {
    assert.equal(verdict({ evidenceIds: ['T02', 'T09', 'T01'] }), 'pass');
    assert.equal(verdict({ evidenceIds: ['T01'] }), 'fail');
    assert.equal(verdict({ evidenceIds: 'T01 T02' }), 'fail');
    assert.equal(verdict({ evidenceIds: { 0: 'T01', 1: 'T02' } }), 'fail');
    assert.equal(verdict({ evidenceIds: [['T01', 'T02']] }), 'fail');
    assert.equal(verdict({ evidenceIds: undefined }), 'fail');
  });

  it('must state every caveat verbatim; further ones are allowed', () => {
    assert.equal(verdict({ caveats: ['and more', 'as of 2020'] }), 'pass');
    assert.equal(verdict({ caveats: ['As of 2020'] }), 'fail');
    assert.equal(verdict({ caveats: ['as of 2020.'] }), 'fail');
    assert.equal(verdict({ caveats: [] }), 'fail');
    assert.equal(verdict({ caveats: 'as of 2020' }), 'fail');
  });

  it('must have a list of caveats even where none is required', () => {
    const none = { ...key, requiredCaveats: [] };
    assert.equal(judge(receiptWith({ ...right, caveats: [] }), none, terms()).verdict, 'pass');
    assert.equal(
      judge(receiptWith({ answer: '9', evidenceIds: ['T01', 'T02'] }), none, terms()).verdict,
      'fail',
    );
  });

  it('may have further fields', () => {
    assert.equal(verdict({ confidence: 1 }), 'pass');
  });

  it('fails in all three where it is no object', () => {
    const checks = (answer: unknown) => {
      const { verdict: said, answer: a, evidence, caveats } = judged(answer);
      return [said, a, evidence, caveats].join(' ');
    };
    assert.equal(checks('9'), 'fail fail fail fail');
    assert.equal(checks(9), 'fail fail fail fail');
    assert.equal(checks(null), 'fail fail fail fail');
    assert.equal(checks([right]), 'fail fail fail fail');
    assert.equal(checks(true), 'fail fail fail fail');
    assert.equal(checks(undefined), 'fail fail fail fail');
  });

  it('fails with each reason in words', () => {
    assert.deepEqual(judged({ answer: 9, evidenceIds: ['T02'] }).reasons, [
      'answer: expected "9", got 9',
      'evidence: "T01" is not cited',
      'caveats: there is no list of them',
      'caveats: "as of 2020" is not stated',
    ]);
  });

  it('fails with its tool path alone where that is the only fault', () => {
    const { verdict: said, answer, tool_path, reasons } = judge(receiptWith(right), key, terms('count'));
    assert.deepEqual([said, answer, tool_path], ['fail', 'pass', 'fail']);
    assert.deepEqual(reasons, ['tool path: it requires a call of count_by_field']);
  });

  it('passes with the required tool path', () => {
    const receipt = receiptWith(right, [{ tool: 'count_by_field' }]);
    assert.deepEqual(judge(receipt, key, terms('count')).tool_path, 'pass');
  });

  it('is shown shortened in a reason', () => {
    const [reason = ''] = judged({ ...right, answer: 'x'.repeat(1000) }).reasons;
    assert.equal(reason.length, 'answer: expected "9", got '.length + 200);
  });
});

describe('a trial that did not complete', () => {
  const notReached = {
    answer: 'not_reached',
    evidence: 'not_reached',
    caveats: 'not_reached',
    tool_path: 'not_reached',
  };

  it('fails where model, tools or answer failed', () => {
    assert.deepEqual(ended('failed', 'NON_JSON_ANSWER'), {
      ...{ verdict: 'fail', execution: 'fail', ...notReached, reasons: ['failure: failed NON_JSON_ANSWER'] },
    });
    const telling: FailureCode[] = [
      ...(['STOP_max_tokens', 'STOP_refusal', 'STOP_pause_turn', 'STOP_stop_sequence'] as const),
      ...(['STOP_model_context_window_exceeded', 'STOP_UNKNOWN', 'EMPTY_TOOL_USE'] as const),
      ...(['TURN_LIMIT', 'TOOL_FAILURE'] as const),
    ];
    assert.deepEqual([...new Set(telling.map((code) => ended('failed', code).verdict))], ['fail']);
  });

  it('is undecided where infrastructure failed', () => {
    const infrastructure: FailureCode[] = [
      ...([
        'SOURCE_CHANGED',
        'ALLOWLIST_CHANGED',
        'TASKS_CHANGED',
        'INPUT_CHANGED',
        'MODEL_TIMEOUT',
      ] as const),
      ...(['MODEL_CONNECTION', 'MODEL_HTTP_ERROR', 'MODEL_BAD_RESPONSE', 'SERVER_START_FAILED'] as const),
      ...(['SERVER_EXITED', 'CONNECT_TIMEOUT', 'PROTOCOL_ERROR', 'CATALOG_ERROR', 'BUDGET_STOP'] as const),
      ...(['CLOSE_ERROR', 'RUNTIME_ERROR'] as const),
    ];
    assert.deepEqual(
      [...new Set(infrastructure.map((code) => ended('failed', code).verdict))],
      ['undecided'],
    );
  });

  it('is undecided where it was skipped, interrupted, or is in doubt', () => {
    assert.deepEqual(ended('skipped', 'PRIOR_FAILURE'), {
      ...{
        verdict: 'undecided',
        execution: 'fail',
        ...notReached,
        reasons: ['failure: skipped PRIOR_FAILURE'],
      },
    });
    assert.deepEqual(ended('interrupted', null).reasons, ['failure: interrupted']);
    assert.equal(ended('interrupted', null).verdict, 'undecided');
    assert.deepEqual(ended('in_doubt', null).reasons, [
      'failure: in_doubt: the last model call may have been billed',
    ]);
    assert.equal(ended('in_doubt', null).verdict, 'undecided');
  });

  it('does not pass even where an answer is known', () => {
    assert.equal(judge({ ...receiptWith(right), status: 'interrupted' }, key, terms()).verdict, 'undecided');
  });

  it('says the message of its failure', () => {
    const receipt = {
      ...receiptWith(undefined),
      status: 'failed' as const,
      failure: 'TOOL_FAILURE' as const,
    };
    assert.deepEqual(judge({ ...receipt, message: 'find_records: INVALID_CURSOR' }, key, terms()).reasons, [
      'failure: failed TOOL_FAILURE: find_records: INVALID_CURSOR',
    ]);
  });

  it('is undecided where a call of it was never answered, and fails where a tool said no', () => {
    const after = (error: string) => ({
      ...receiptWith(undefined, [{ is_error: true, error }]),
      status: 'failed' as const,
      failure: 'TOOL_FAILURE' as const,
    });
    assert.equal(judge(after('CALL_TIMEOUT: server: no answer in 10 s'), key, terms()).verdict, 'undecided');
    assert.equal(
      judge(after('SERVER_EXITED: server: exited with code 3'), key, terms()).verdict,
      'undecided',
    );
    assert.equal(judge(after('PROTOCOL_ERROR: server: invalid params'), key, terms()).verdict, 'fail');
    assert.equal(judge(after('UNADVERTISED_TOOL'), key, terms()).verdict, 'fail');
  });
});

describe('an answer with accepted forms', () => {
  const accepting: Key = { ...key, accept: [{ number: 9 }, { text: 'nine' }] };
  const said = (answer: unknown) => judge(receiptWith({ ...right, answer }), accepting, terms());

  it('passes where it equals the expected one, or has one of the forms, and tells which', () => {
    assert.deepEqual([said('9').verdict, said('9').matched], ['pass', { form: '{"number":9}', text: '9' }]);
    assert.deepEqual(said('Nine of them').matched, { form: '{"text":"nine"}', text: 'nine' });
  });

  it('fails where it has none, and says so', () => {
    const { verdict: failed, matched, reasons } = said('19');
    assert.deepEqual([failed, matched], ['fail', null]);
    assert.deepEqual(reasons, ['answer: expected "9" or an accepted form, got "19"']);
  });

  it('has no form where it is no text', () => {
    assert.equal(said(9).verdict, 'fail');
  });
});

describe('an answer as text', () => {
  const text: Terms = { controls: [], answer: 'text' };
  const asked: Key = { ...key, evidenceIds: [], requiredCaveats: [], accept: [{ number: 9, unit: 'runs' }] };
  const said = (answer_text: string | null, by: Key = asked) =>
    judge({ ...receiptWith(undefined), answer_text }, by, text);

  it('is right where a form stands in it, and nothing is asked of evidence and caveats', () => {
    assert.deepEqual(said('It took **9 runs**, says the note.'), {
      ...{ verdict: 'pass', execution: 'pass', answer: 'pass', evidence: 'not_required' },
      ...{ caveats: 'not_required', tool_path: 'not_required', reasons: [] },
      matched: { form: '{"number":9,"unit":"runs"}', text: '9' },
    });
  });

  it('is wrong where none does', () => {
    assert.deepEqual(said('I cannot find your notes.').reasons, [
      'answer: expected "9", in its form, got "I cannot find your notes."',
    ]);
  });

  it('is wrong, and said to be none, where it is empty', () => {
    assert.deepEqual(said('\n').reasons, ['answer: expected "9", in its form, there is no answer']);
    assert.deepEqual(said(null).reasons, ['answer: expected "9", in its form, there is no answer']);
  });

  it('is held against the expected answer as words, where the key has no forms', () => {
    const { accept: _accept, ...plain } = asked;
    assert.equal(said('Nine, or 9.', plain).verdict, 'pass');
    assert.equal(said('Nineteen, or 19.', plain).verdict, 'fail');
  });

  it('must have the evidence and the caveats that the key asks for in it, as words', () => {
    const strict: Key = { ...asked, evidenceIds: ['T01'], requiredCaveats: ['as of 2020'] };
    assert.equal(said('9 runs (T01), as of\n2020', strict).verdict, 'pass');
    assert.deepEqual(said('9 runs (T011), as of 2020', strict).reasons, ['evidence: "T01" is not cited']);
  });

  it('of a trial that did not complete is not looked at', () => {
    const receipt = { ...receiptWith(undefined), answer_text: '9 runs', status: 'failed' as const };
    assert.equal(judge({ ...receipt, failure: 'SERVER_EXITED' }, asked, text).verdict, 'undecided');
    assert.equal(judge({ ...receipt, failure: 'TURN_LIMIT' }, asked, text).verdict, 'fail');
  });
});
