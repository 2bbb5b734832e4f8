/** Specification: which evidence of an answer is still there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareEvidence, evidenceIn } from './evidence.js';

describe('the evidence of an answer', () => {
  it('is the list of ids that it names', () => {
    assert.deepEqual(evidenceIn({ answer: '6', evidenceIds: ['T1', 'T2', 'T1', ''] }), ['T1', 'T2']);
  });

  it('is none where the answer names none, or names something else', () => {
    assert.deepEqual(
      [{}, 'T1', undefined, { evidenceIds: [] }, { evidenceIds: [1] }].map(evidenceIn),
      Array(5).fill(null),
    );
  });

  it('is kept, lost, or was never in a result', () => {
    assert.deepEqual(compareEvidence('t', ['T1', 'T2', 'T3'], ['{"id":"T1"}', 'T2.'], ['see T1']), {
      ...{ trial: 't', kept: ['T1'], lost: ['T2'], unseen: ['T3'] },
    });
  });

  it('stands by itself: T1 is not in T11, in XT1 or in T1-b', () => {
    assert.deepEqual(compareEvidence('t', ['T1'], ['T1'], ['T11 XT1 T1-b éT1']).lost, ['T1']);
  });

  it('may hold any character', () => {
    const ids = ['a.b', 'c*(d', 'docs/é-1', '[x]'];
    assert.deepEqual(compareEvidence('t', ids, [ids.join(' ')], ['"a.b" "c*(d" <docs/é-1> [x]']).kept, ids);
    assert.deepEqual(compareEvidence('t', ['a.b'], ['a.b'], ['axb']).lost, ['a.b']);
  });
});
