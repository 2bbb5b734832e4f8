/** What a recording is going to do: the plan, its ceiling, and what stops it before anything is spent. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ceilingOf } from './ceiling.js';
import { prepare, type RecordChoice } from './prepare.js';
import { TASK, writeStudy } from './study.test.support.js';

const ENV = { ANTHROPIC_API_KEY: 'sk-1' };
const conditions = { one: { server: 'tools' }, two: { server: 'tools' }, three: { server: 'tools' } };
const tasks = [
  { id: 'a', ...TASK },
  { id: 'b', ...TASK },
];
const study = (test: TestContext, change: object = {}, limits: Record<string, number> = {}) =>
  writeStudy(test, { conditions, ...change }, limits, tasks);
const plan = (choice: RecordChoice) => prepare(choice, ENV).trials.map((trial) => trial.id);

describe('a plan', () => {
  it('is every task under every condition, as often as there are repetitions', (test) => {
    assert.deepEqual(plan({ study: study(test, { repetitions: 2 }) }), [
      ...[
        'a/one/plain/1',
        'b/one/plain/1',
        'a/two/plain/1',
        'b/two/plain/1',
        'a/three/plain/1',
        'b/three/plain/1',
      ],
      ...[
        'a/one/plain/2',
        'b/one/plain/2',
        'a/two/plain/2',
        'b/two/plain/2',
        'a/three/plain/2',
        'b/three/plain/2',
      ],
    ]);
  });

  it('is narrowed by conditions and tasks, in the order of the study, and widened by repetitions', (test) => {
    const choice = { study: study(test), conditions: ['three', 'one', 'one'], tasks: ['b'], repetitions: 2 };
    assert.deepEqual(plan(choice), ['b/one/plain/1', 'b/three/plain/1', 'b/one/plain/2', 'b/three/plain/2']);
  });

  it('has the order that its seed draws: the same each time, another for another seed', (test) => {
    const shuffled = study(test, { order: 'shuffled' });
    const drawn = plan({ study: shuffled, seed: 7 });
    assert.deepEqual(plan({ study: shuffled, seed: 7 }), drawn);
    assert.notDeepEqual(plan({ study: shuffled, seed: 8 }), drawn);
    assert.deepEqual(drawn.toSorted(), plan({ study: study(test) }).toSorted());
  });

  it('keeps a probe only where its condition is kept', (test) => {
    const probes = { warm: { condition: 'two', tool: 'echo', arguments: {}, expect: [{}] } };
    const probed = study(test, { probes });
    assert.deepEqual(prepare({ study: probed }, ENV).probes, ['warm']);
    assert.deepEqual(prepare({ study: probed, conditions: ['one'] }, ENV).probes, []);
  });

  it('names what there is where a name is unknown', (test) => {
    const folder = study(test);
    assert.throws(() => plan({ study: folder, conditions: ['one', 'four'] }), {
      code: 'CONDITION_UNKNOWN',
      message: `${join(folder, 'study.json')}: CONDITION_UNKNOWN: the study has no condition "four": use one of: one, two, three`,
    });
    assert.throws(() => plan({ study: folder, tasks: ['c'] }), {
      code: 'TASK_UNKNOWN',
      message: /the study has no task "c": use one of: a, b$/,
    });
  });
});

describe('the ceiling', () => {
  it('is trials × turns × attempts, each with a full window and a full answer', (test) => {
    const folder = study(test, {}, { max_turns: 5, retries: 1, max_tokens: 100 });
    assert.deepEqual(ceilingOf(prepare({ study: folder, model: 'claude-opus-4-1' }, ENV)), {
      ...{ trials: 6, probes: 0, attempts: 2, calls: 60, output_tokens: 6000 },
      input_tokens: 12_000_000,
      usd: 180.45,
    });
  });

  it('of a model that nobody lists has no price and no bound of its input', (test) => {
    const { input_tokens, usd, calls } = ceilingOf(prepare({ study: study(test) }, ENV));
    assert.deepEqual([input_tokens, usd, calls], [null, null, 72]);
  });
});

describe('before anything is spent', () => {
  const refusal = (code: string, message: RegExp, choice: RecordChoice, env: NodeJS.ProcessEnv = ENV) =>
    assert.throws(() => prepare(choice, env), { name: 'Problem', code, message });

  it('a model, a key and an address are asked for', (test) => {
    const folder = study(test);
    const nameless = study(test, { model: undefined });
    refusal('MODEL_REQUIRED', /--model/, { study: nameless });
    refusal('MODEL_REQUIRED', /--model/, { study: nameless, model: '' });
    refusal('API_KEY_REQUIRED', /ANTHROPIC_API_KEY is not set/, { study: folder }, {});
    refusal('BASE_URL_INVALID', /ANTHROPIC_BASE_URL/, { study: folder }, { ...ENV, ANTHROPIC_BASE_URL: 'x' });
  });

  it('a script is asked for where the scripted model is to answer', (test) => {
    const folder = study(test);
    refusal('SCRIPT_REQUIRED', /names none.*script: script.yaml/, { study: folder, host: 'scripted' }, {});
    const scripted = study(test, { host: 'scripted', script: 'script.yaml' });
    refusal('INPUT_MISSING', /script\.yaml: .*no such file/, { study: scripted }, {});
  });

  it('a budget in dollars is refused where there is no price', (test) => {
    refusal('UNPRICED_MODEL', /price of "m" is not known.*--budget-tokens/, {
      study: study(test),
      budgetUsd: 1,
    });
  });

  it('a server whose command has a placeholder that means nothing is refused', (test) => {
    const servers = { tools: { command: ['node', '{nothing}'] } };
    refusal('SERVER_PLACEHOLDER', /\{nothing\}.*use one of: study_dir, condition, trial, controls/, {
      study: study(test, { servers }),
    });
  });

  it('a server that would be handed the key is refused', (test) => {
    const servers = { tools: { command: ['node'], env_from: ['LANG', 'ANTHROPIC_API_KEY'] } };
    refusal('SERVER_CREDENTIAL', /"tools" asks for ANTHROPIC_API_KEY/, { study: study(test, { servers }) });
  });

  it('a study that is damaged is refused with its file and line', (test) => {
    const folder = study(test);
    const file = join(folder, 'study.json');
    writeFileSync(file, '{\n "name": "x",\n oops\n}');
    refusal('INVALID_STUDY', /study\.json:3: INVALID_STUDY/, { study: folder });
    rmSync(file);
    refusal('STUDY_MISSING', /no study\.yaml.*measure init/, { study: folder });
    writeFileSync(
      join(folder, 'study.yaml'),
      'name: x\nlimits: {}\ntasks: tasks.json\nsystem: s\nservers: {}\n',
    );
    refusal('INVALID_STUDY', /study\.yaml:\d+: INVALID_STUDY: `conditions`/, { study: folder });
  });

  it('a tasks file without a key, or one that is missing, is refused', (test) => {
    const keyless = writeStudy(test, {}, {}, [{ id: 'a', question: 'How many?' }]);
    refusal('INVALID_TASK_unknown', /tasks\.json:1: .*expectedAnswer/, { study: keyless });
    rmSync(join(keyless, 'tasks.json'));
    refusal('INPUT_MISSING', /tasks\.json: .*no such file/, { study: keyless });
  });
});
