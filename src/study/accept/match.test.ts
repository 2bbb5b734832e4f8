/** Accepted forms: what each takes for an answer, and what it does not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formSchema } from './form.js';
import { formsOf, matchOf } from './match.js';

const found = (form: unknown, text: string) => matchOf(text, [formSchema.parse(form)])?.text ?? null;
const problems = (form: unknown) =>
  formSchema.safeParse(form).error?.issues.map(({ path, message }) => [path.join('.'), message]);

describe('a number', () => {
  it('is the same one however it is written', () => {
    assert.equal(found({ number: 1242 }, 'There were 1,242 of them.'), '1,242');
    assert.equal(found({ number: 1242 }, '1242.00'), '1242.00');
    assert.equal(found({ number: 4096 }, 'It is 4,096 tokens'), '4,096');
    assert.equal(found({ number: 6.27 }, 'USD 6.27 in all'), '6.27');
  });

  it('is no part of another one, and no other sign', () => {
    assert.equal(found({ number: 5 }, '25 and 52, v5, -5, 5.1'), null);
    assert.equal(found({ number: -5 }, 'It fell to -5 °C'), '-5');
    assert.equal(found({ number: -5 }, '5'), null);
  });

  it('with letters at its end is another word, unless they are its unit', () => {
    assert.equal(found({ number: 64 }, 'the 64K minimum'), null);
    assert.equal(found({ number: 64, unit: 'K' }, 'the 64K minimum'), '64');
    assert.equal(found({ number: 64, unit: 'K' }, 'the 64Kib minimum'), null);
  });

  it('with a unit must have it, or one of several', () => {
    const form = { number: 30, unit: ['s', 'seconds', 'second'] };
    assert.equal(found(form, 'after 30 s'), '30');
    assert.equal(found(form, 'after **30** seconds'), '30');
    assert.equal(found(form, 'a 30-second time-out'), '30');
    assert.equal(found(form, 'after 30\u00a0Seconds'), '30');
    assert.equal(found(form, 'after 30 minutes'), null);
    assert.equal(found(form, '30'), null);
  });

  it('with a unit may have it before, as a currency or a label', () => {
    assert.equal(found({ number: 6.27, unit: ['$', 'USD'] }, 'It cost $6.27.'), '6.27');
    assert.equal(found({ number: 6.27, unit: ['$', 'USD'] }, 'It cost USD 6.27.'), '6.27');
    assert.equal(found({ number: 13486, unit: 'tokens' }, 'Input tokens: 13,486'), '13,486');
    assert.equal(found({ number: 13486, unit: 'tokens' }, '| tokens | 13,486 |'), '13,486');
    assert.equal(found({ number: 12, unit: 'ms' }, 'took 5 ms 12 times'), null);
  });

  it('of per cent has its sign or its word', () => {
    const form = { number: 46, unit: '%' };
    assert.equal(found(form, '46%'), '46');
    assert.equal(found(form, '46 per cent'), '46');
    assert.equal(found({ number: 46, unit: 'percent' }, '46.0 %'), '46.0');
    assert.equal(found(form, '46 of them'), null);
  });

  it('may be off by a tolerance', () => {
    const form = { number: 1, tolerance: 0.1 };
    assert.deepEqual(
      ['0.9', '1.1', '1.11', '0.8'].map((text) => found(form, text)),
      ['0.9', '1.1', null, null],
    );
  });
});

describe('a text', () => {
  it('is found whatever the case, the quotes, the dashes, the line breaks and the emphasis', () => {
    assert.equal(found({ text: 'legacy peer' }, 'a “**Legacy**\n peer”'), 'legacy peer');
    assert.equal(found({ text: "won't stop—ever" }, 'It WON’T stop–ever.'), "won't stop-ever");
    assert.equal(found({ text: 'fdatasync' }, 'calls `fdatasync`.'), 'fdatasync');
  });

  it('begins and ends where words do', () => {
    assert.equal(found({ text: 'cat' }, 'concatenate, cats, cat_1, cät'), null);
    assert.equal(found({ text: 'cat' }, 'concatenate a cat'), 'cat');
    assert.equal(found({ text: '-32022' }, 'error -32022'), '-32022');
    assert.equal(found({ text: 'Ghent' }, 'İ Ghent 😀'), 'ghent');
  });
});

describe('a pattern', () => {
  it('is found anywhere, with its own flags only', () => {
    assert.equal(found({ pattern: 'all (of the )?120' }, 'so all of the 120 passed'), 'all of the 120');
    assert.equal(found({ pattern: 'none' }, 'None'), null);
    assert.equal(found({ pattern: 'none', flags: 'i' }, 'None'), 'None');
  });

  it('takes time that grows with the text alone', () => {
    const begun = performance.now();
    assert.equal(found({ pattern: '(a+)+$' }, `${'a'.repeat(50_000)}b`), null);
    assert.ok(performance.now() - begun < 5000);
  });

  it('is refused where it has what RE2 has not', () => {
    const said = 'is no pattern of RE2, which has neither lookaround nor backreferences: ';
    assert.deepEqual(problems({ pattern: '(?=a)b' }), [
      ['pattern', `${said}invalid or unsupported Perl syntax: \`(?=\``],
    ]);
    assert.deepEqual(problems({ pattern: '(a)\\1' }), [
      ['pattern', `${said}invalid escape sequence: \`\\1\``],
    ]);
  });
});

describe('a form', () => {
  it('is exactly one of the three, with what belongs to it', () => {
    const one = 'has exactly one of `pattern`, `number` and `text`';
    assert.deepEqual(problems({}), [['', one]]);
    assert.deepEqual(problems({ number: 5, text: '5' }), [['', one]]);
    assert.deepEqual(problems({ text: '5', unit: 'ms' }), [['unit', 'goes with a `number`']]);
    assert.deepEqual(problems({ number: 5, flags: 'i' }), [['flags', 'goes with a `pattern`']]);
    assert.deepEqual(problems({ text: ' ** ' }), [['text', 'is empty']]);
  });
});

describe('the forms of a key', () => {
  const key = {
    ...{ kind: null, expectedAnswer: '5', evidenceIds: [], requiredCaveats: [], detailField: null },
    ...{ aggregateField: null, aggregateValue: null },
  };

  it('are its own; for an answer as text, the expected answer where it has none', () => {
    assert.deepEqual(formsOf({ ...key, accept: [{ number: 5 }] }, 'text'), [{ number: 5 }]);
    assert.deepEqual(formsOf(key, 'text'), [{ text: '5' }]);
    assert.deepEqual(formsOf(key, 'json'), []);
  });

  it('are tried in order, and the first that fits is told', () => {
    const forms = [{ text: 'five' }, { number: 5 }];
    assert.deepEqual(matchOf('5 (five)', forms), { form: { text: 'five' }, text: 'five' });
    assert.deepEqual(matchOf('5', forms), { form: { number: 5 }, text: '5' });
    assert.equal(matchOf('', forms), null);
  });
});
