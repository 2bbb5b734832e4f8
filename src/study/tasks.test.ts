/** Start-up checks of questions and keys, each with its own code and the line of its task. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Asked } from './asked.js';
import {
  AGGREGATE,
  FACTS,
  LATER_PAGE,
  LOOKUP,
  lines,
  problemOf,
  problemOfTasks,
  readTasks,
} from './study-fixture.test.support.js';
import { parseTasks } from './tasks.js';

const without = (entry: object, field: string) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => name !== field));
const problemOfLookup = (change: object) => problemOfTasks({ ...LOOKUP, ...change }, AGGREGATE, LATER_PAGE);
const problemOfAggregate = (change: object) =>
  problemOfTasks(LOOKUP, { ...AGGREGATE, ...change }, LATER_PAGE);
const complete = 'complete the question and its key';

describe('a tasks file of the original format', () => {
  it('is read as it is: three entries, further fields kept aside', () => {
    const [lookup, aggregate, later] = readTasks([
      { ...LOOKUP, reviewer: 'me', weight: 3 },
      AGGREGATE,
      LATER_PAGE,
    ]);
    assert.deepEqual([lookup?.id, aggregate?.id, later?.id], ['lookup', 'aggregate', 'later_page']);
    assert.deepEqual(lookup?.key, {
      kind: 'lookup',
      expectedAnswer: 'one',
      evidenceIds: ['T01'],
      requiredCaveats: [],
      detailField: 'detail',
      aggregateField: null,
      aggregateValue: null,
    });
    assert.deepEqual(lookup?.entry, { ...LOOKUP, reviewer: 'me', weight: 3 });
  });

  it('may have its kinds in any order, and null for a field that its kind does not need', () => {
    const tasks = readTasks([LATER_PAGE, { ...AGGREGATE, detailField: null }, LOOKUP]);
    assert.deepEqual(
      tasks.map((task) => task.id),
      ['later_page', 'aggregate', 'lookup'],
    );
  });

  it('has its aggregate counted from the rows, and from nothing else', () => {
    assert.deepEqual(
      readTasks([LOOKUP, AGGREGATE, LATER_PAGE]).map((task) => task.independent_count),
      [null, 3, null],
    );
  });

  it('may count to zero', () => {
    const none = { ...AGGREGATE, expectedAnswer: '0', aggregateValue: 'constructor' };
    assert.equal(readTasks([LOOKUP, none, LATER_PAGE])[1]?.independent_count, 0);
  });

  it('may begin with a byte order mark and end its lines with CRLF', () => {
    const text = `\ufeff${lines([LOOKUP, AGGREGATE, LATER_PAGE]).replaceAll('\n', '\r\n')}`;
    assert.equal(parseTasks(Buffer.from(text), 'tasks.json', FACTS).length, 3);
  });

  it('says the right line of a file with CRLF', () => {
    const text = lines([LOOKUP, { ...AGGREGATE, question: '' }, LATER_PAGE]).replaceAll('\n', '\r\n');
    const problem = problemOf(() => parseTasks(Buffer.from(text), 'tasks.json', FACTS));
    assert.equal(problem, `tasks.json:3: INVALID_TASK_aggregate: \`question\` is empty: ${complete}`);
  });
});

describe('TASK_KINDS_REQUIRED', () => {
  const needs =
    'a records study has a list of three tasks, one each of the kinds lookup, aggregate, later_page';
  const said = (found: string) =>
    `tasks.json:1: TASK_KINDS_REQUIRED: ${needs}; found: ${found}: give each kind once`;

  it('refuses two tasks', () => {
    assert.equal(problemOfTasks(LOOKUP, AGGREGATE), said('lookup, aggregate'));
  });
  it('refuses four tasks', () => {
    const found = 'lookup, aggregate, later_page, lookup';
    assert.equal(problemOfTasks(LOOKUP, AGGREGATE, LATER_PAGE, LOOKUP), said(found));
  });
  it('refuses a kind twice', () => {
    assert.equal(problemOfTasks(LOOKUP, LOOKUP, LATER_PAGE), said('lookup, lookup, later_page'));
  });
  it('refuses no task at all', () => {
    assert.equal(problemOfTasks(), said('no task'));
  });
  it('refuses entries that are no tasks', () => {
    const found = 'a task without a kind, a task without a kind, a task without a kind';
    assert.equal(problemOfTasks(null, 7, { kind: 5 }), said(found));
  });
  it('refuses a document that is not a list', () => {
    assert.equal(
      problemOf(() => parseTasks(Buffer.from('{"kind":"lookup"}'), 'tasks.json', FACTS)),
      said('no list'),
    );
  });
});

describe('INVALID_TASK_<kind>', () => {
  const said = (what: string) => `tasks.json:2: INVALID_TASK_lookup: ${what}: ${complete}`;

  it('refuses a question that is missing, blank, or no text', () => {
    assert.equal(
      problemOfTasks(without(LOOKUP, 'question'), AGGREGATE, LATER_PAGE),
      said('`question` is missing'),
    );
    assert.equal(problemOfLookup({ question: ' \t' }), said('`question` is empty'));
    assert.equal(problemOfLookup({ question: ['?'] }), said('`question` must be a text, not a list'));
  });

  it('refuses a question without a key: no expected answer, or a blank one', () => {
    assert.equal(
      problemOfTasks(without(LOOKUP, 'expectedAnswer'), AGGREGATE, LATER_PAGE),
      said('`expectedAnswer` is missing'),
    );
    assert.equal(problemOfLookup({ expectedAnswer: '' }), said('`expectedAnswer` is empty'));
  });

  it('says how to write a number that is an answer', () => {
    assert.equal(
      problemOfAggregate({ expectedAnswer: 3 }),
      `tasks.json:3: INVALID_TASK_aggregate: \`expectedAnswer\` must be a text, not 3: put it in quotes: ${complete}`,
    );
  });

  it('refuses evidence that is missing, empty, or no ids', () => {
    assert.equal(
      problemOfTasks(without(LOOKUP, 'evidenceIds'), AGGREGATE, LATER_PAGE),
      said('`evidenceIds` is missing'),
    );
    assert.equal(problemOfLookup({ evidenceIds: [] }), said('`evidenceIds` must have at least 1 entry'));
    assert.equal(
      problemOfLookup({ evidenceIds: 'T01' }),
      said('`evidenceIds` must be a list, not the text "T01"'),
    );
    assert.equal(
      problemOfLookup({ evidenceIds: ['T01', null] }),
      said('`evidenceIds.1` must be a text, not nothing'),
    );
  });

  it('refuses evidence that is not in the snapshot', () => {
    assert.equal(
      problemOfLookup({ evidenceIds: ['T01', 'T99'] }),
      'tasks.json:2: INVALID_TASK_lookup: evidence id "T99" is not in the snapshot: cite ids of the snapshot',
    );
  });

  it('refuses caveats that are missing or blank', () => {
    assert.equal(
      problemOfTasks(without(LOOKUP, 'requiredCaveats'), AGGREGATE, LATER_PAGE),
      said('`requiredCaveats` is missing'),
    );
    assert.equal(
      problemOfLookup({ requiredCaveats: ['as of 2020', ' '] }),
      said('`requiredCaveats.1` is empty'),
    );
  });

  it('names the task that is wrong by its own kind', () => {
    assert.equal(
      problemOfTasks(LOOKUP, AGGREGATE, { ...LATER_PAGE, evidenceIds: [] }),
      `tasks.json:4: INVALID_TASK_later_page: \`evidenceIds\` must have at least 1 entry: ${complete}`,
    );
  });
});

describe('LOOKUP_DETAIL_FIELD_REQUIRED', () => {
  const said = (what: string) =>
    `tasks.json:2: LOOKUP_DETAIL_FIELD_REQUIRED: ${what}: name an allowed field other than id and revision`;

  it('refuses a lookup without one', () => {
    assert.equal(
      problemOfTasks(without(LOOKUP, 'detailField'), AGGREGATE, LATER_PAGE),
      said('`detailField` is missing'),
    );
  });
  it('refuses a field that is not allowed', () => {
    assert.equal(
      problemOfLookup({ detailField: 'secret' }),
      said('`detailField` "secret" is not an allowed field'),
    );
  });
  it('refuses id and revision', () => {
    assert.equal(
      problemOfLookup({ detailField: 'id' }),
      said('`detailField` "id" is in every brief result already'),
    );
    assert.equal(
      problemOfLookup({ detailField: 'revision' }),
      said('`detailField` "revision" is in every brief result already'),
    );
  });
  it('refuses what is no text', () => {
    assert.equal(
      problemOfLookup({ detailField: 7 }),
      `tasks.json:2: LOOKUP_DETAIL_FIELD_REQUIRED: \`detailField\` must be a text, not 7: put it in quotes: ${complete}`,
    );
  });
});

describe('AGGREGATE_DEFINITION_REQUIRED', () => {
  const said =
    'tasks.json:3: AGGREGATE_DEFINITION_REQUIRED: `aggregateField` must be an allowed field and `aggregateValue` a text: say what is counted';

  it('refuses an aggregate without a field or a value', () => {
    assert.equal(problemOfTasks(LOOKUP, without(AGGREGATE, 'aggregateField'), LATER_PAGE), said);
    assert.equal(problemOfTasks(LOOKUP, without(AGGREGATE, 'aggregateValue'), LATER_PAGE), said);
  });
  it('refuses a field that is not allowed', () => {
    assert.equal(problemOfAggregate({ aggregateField: 'tracker' }), said);
  });
  it('refuses a value that is no text', () => {
    assert.equal(
      problemOfAggregate({ aggregateValue: true }),
      `tasks.json:3: AGGREGATE_DEFINITION_REQUIRED: \`aggregateValue\` must be a text, not true: put it in quotes: ${complete}`,
    );
  });
});

describe('AGGREGATE_KEY_MISMATCH', () => {
  it('says the key and the count', () => {
    assert.equal(
      problemOfAggregate({ expectedAnswer: '4' }),
      'tasks.json:3: AGGREGATE_KEY_MISMATCH: the key says "4", but 3 records have status = "open": correct the key or the definition',
    );
  });
  it('takes only the decimal count itself', () => {
    assert.match(
      problemOfAggregate({ expectedAnswer: '03' }),
      /AGGREGATE_KEY_MISMATCH: the key says "03", but 3 /,
    );
  });
  it('is not looked at where there is no snapshot, so that such a key can still grade', () => {
    assert.equal(readTasks([{ ...AGGREGATE, expectedAnswer: '4' }], null)[0]?.independent_count, null);
  });
});

describe('tasks of a plain study', () => {
  const plain = { question: 'Why?', expectedAnswer: 'because', evidenceIds: ['n1'], requiredCaveats: [] };
  const problemOfPlain = (...entries: unknown[]) => problemOf(() => readTasks(entries, null));

  it('go by their id, or their kind, or their place', () => {
    const tasks = readTasks([{ ...plain, id: 'why' }, { ...plain, kind: 'open' }, plain], null);
    assert.deepEqual(
      tasks.map((task) => task.id),
      ['why', 'open', 'task-3'],
    );
  });

  it('are refused where two go by the same id', () => {
    assert.equal(
      problemOfPlain(plain, { ...plain, id: 'a' }, { ...plain, id: 'a' }),
      'tasks.json:4: DUPLICATE_TASK: two tasks are called "a": give each an `id`',
    );
  });

  it('are refused where there is none', () => {
    assert.equal(problemOfPlain(), 'tasks.json:1: INVALID_TASKS: there is no task in this file: add one');
  });

  it('have a code even where they have no kind, or one that is no word', () => {
    assert.equal(
      problemOfPlain({ ...plain, question: '' }),
      `tasks.json:2: INVALID_TASK_unknown: \`question\` is empty: ${complete}`,
    );
    assert.match(problemOfPlain({ ...plain, kind: 'two\nlines', question: '' }), /: INVALID_TASK_unknown: /);
    assert.equal(
      problemOfPlain('Why?'),
      `tasks.json:2: INVALID_TASK_unknown: a task must be a map of fields, not the text "Why?": ${complete}`,
    );
  });

  it('may be written in YAML, and problems name the line of the field', () => {
    const yaml = 'tasks.yaml';
    const text = '- question: Why?\n  expectedAnswer: because\n  evidenceIds: n1\n  requiredCaveats: []\n';
    assert.equal(
      problemOf(() => parseTasks(Buffer.from(text), yaml, null)),
      `tasks.yaml:3: INVALID_TASK_unknown: \`evidenceIds\` must be a list, not the text "n1": ${complete}`,
    );
  });

  it('may leave out evidence and caveats, or have none of them', () => {
    const keys = readTasks(
      [
        { question: 'Why?', expectedAnswer: 'because' },
        { ...plain, evidenceIds: [] },
      ],
      null,
    ).map(({ key }) => [key.evidenceIds, key.requiredCaveats]);
    assert.deepEqual(keys, [
      [[], []],
      [[], []],
    ]);
  });

  it('need both where they are of a kind of the records studies, as in a file of keys for such a run', () => {
    assert.equal(
      problemOfPlain(without(LOOKUP, 'evidenceIds')),
      `tasks.json:2: INVALID_TASK_lookup: \`evidenceIds\` is missing: ${complete}`,
    );
    assert.equal(
      problemOfPlain(without(AGGREGATE, 'requiredCaveats')),
      `tasks.json:2: INVALID_TASK_aggregate: \`requiredCaveats\` is missing: ${complete}`,
    );
  });
});

describe('the tool path of a task', () => {
  const plain = { question: 'Why?', expectedAnswer: 'because' };
  const problemOfPath = (toolPath: unknown) => problemOf(() => readTasks([{ ...plain, toolPath }], null));
  const problemOfStep = (step: object) => problemOfPath({ steps: [{ tool: 'find', ...step }] });
  const said = (what: string) => `tasks.json:2: INVALID_TASK_unknown: ${what}: correct the rule`;

  it('is part of its key, as it stands there', () => {
    const toolPath = {
      steps: [
        { tool: 'find', arguments: { required: ['q'] } },
        { tool: ['read', 'head'], result: {} },
      ],
      forbidden: ['write'],
      controls: ['filter'],
      words: 'a search, then a reading',
    };
    assert.deepEqual(readTasks([{ ...plain, toolPath }], null)[0]?.key.toolPath, toolPath);
  });

  it('may stand in a records study too', () => {
    const toolPath = { steps: [{ tool: 'list_records' }] };
    const [lookup] = readTasks([{ ...LOOKUP, toolPath }, AGGREGATE, LATER_PAGE]);
    assert.deepEqual(lookup?.key.toolPath, toolPath);
  });

  it('is refused without steps, and with a step that names no tool', () => {
    assert.equal(problemOfPath({}), said('`toolPath.steps` is missing'));
    assert.equal(problemOfPath(['find']), said('`toolPath` must be a map of fields, not a list'));
    assert.match(
      problemOfPath({ steps: [{}] }),
      /: `toolPath\.steps\.0\.tool` is missing.*: correct the rule$/,
    );
    assert.equal(problemOfStep({ tool: [] }), said('`toolPath.steps.0.tool` must have at least 1 entry'));
  });

  it('is refused with a field or a control that nobody knows', () => {
    assert.equal(
      problemOfStep({ args: {} }),
      said('`toolPath.steps.0.args` is not a field that is known here'),
    );
    assert.equal(
      problemOfPath({ steps: [], controls: ['sort'] }),
      said(
        '`toolPath.controls.0` must be one of filter, count, paginate, select, cache, not the text "sort"',
      ),
    );
  });

  it('is refused with what is no JSON Schema', () => {
    const of = (field: string, fault: string) =>
      said(`\`toolPath.steps.0.${field}\` is not a JSON Schema: ${fault}`);
    assert.equal(
      problemOfStep({ arguments: 'q' }),
      said('`toolPath.steps.0.arguments` must be a map of names, not the text "q"'),
    );
    assert.equal(
      problemOfStep({ arguments: { requierd: ['q'] } }),
      of('arguments', 'strict mode: unknown keyword: "requierd"'),
    );
    assert.equal(
      problemOfStep({ result: { required: 'q' } }),
      of('result', 'schema is invalid: data/required must be array'),
    );
    assert.equal(
      problemOfStep({ result: { pattern: '(' } }),
      of('result', 'Invalid regular expression: /(/u: Unterminated group'),
    );
    assert.equal(
      problemOfStep({ result: { $ref: 'https://example.org/schema' } }),
      of('result', "can't resolve reference https://example.org/schema from id #"),
    );
  });

  it('is refused with the line of the schema that will not do', () => {
    const text = [
      ...['- question: Why?', '  expectedAnswer: because', '  toolPath:', '    steps:'],
      ...['      - tool: find', '      - tool: read', '        result: { type: objekt }', ''],
    ].join('\n');
    assert.match(
      problemOf(() => parseTasks(Buffer.from(text), 'tasks.yaml', null)),
      /^tasks\.yaml:7: INVALID_TASK_unknown: `toolPath\.steps\.1\.result` is not a JSON Schema: /,
    );
  });
});

describe('accepted forms', () => {
  const QUESTION = 'How many of the 120 replies passed?';
  const asked: Asked = {
    phrasings: [
      { name: 'bare', template: '{question}' },
      { name: 'hinted', template: 'Check my 7 notes. {question}' },
    ],
    answer: 'text',
  };
  const read = (key: object, by: Asked | null = asked) =>
    parseTasks(
      Buffer.from(lines([{ question: QUESTION, expectedAnswer: 'all', ...key }])),
      't.json',
      null,
      by,
    );
  const problem = (key: object) => problemOf(() => read(key));
  const todo = 'write a form that only an answer has: a unit, or a pattern with the words around it';

  it('are part of the key and of its digest', () => {
    const [plain] = read({});
    const [task] = read({ accept: [{ number: 118 }] });
    assert.deepEqual(task?.key.accept, [{ number: 118 }]);
    assert.notEqual(task?.key_sha256, plain?.key_sha256);
    assert.equal(task?.question_sha256, plain?.question_sha256);
  });

  it('are refused where the question has one of them, in whatever phrasing', () => {
    assert.equal(
      problem({ accept: [{ number: 118 }, { number: 120 }] }),
      `t.json:2: ACCEPT_IN_QUESTION: the accepted form {"number":120} finds "120" in the question itself, as "bare" puts it: ${todo}`,
    );
    assert.equal(
      problem({ accept: [{ pattern: '\\d notes' }] }),
      `t.json:2: ACCEPT_IN_QUESTION: the accepted form {"pattern":"\\\\d notes"} finds "7 notes" in the question itself, as "hinted" puts it: ${todo}`,
    );
    assert.match(problem({ accept: [{ text: 'Replies' }] }), /finds "replies" in the question itself/);
  });

  it('are refused at their own line', () => {
    const text = `- question: ${QUESTION}\n  expectedAnswer: all\n  accept:\n    - number: 118\n    - number: 120\n`;
    assert.match(
      problemOf(() => parseTasks(Buffer.from(text), 't.yaml', null, asked)),
      /^t\.yaml:5: ACCEPT_IN_QUESTION: /,
    );
  });

  it('may be the expected answer itself, which is held against the question, too', () => {
    assert.match(problem({ expectedAnswer: '120' }), /^t\.json:2: ACCEPT_IN_QUESTION: .*\{"text":"120"\}/);
    assert.equal(read({ expectedAnswer: '120' }, { ...asked, answer: 'json' }).length, 1);
  });

  it('are not held against questions where nobody says how they are put', () => {
    assert.equal(read({ accept: [{ number: 120 }] }, null).length, 1);
  });

  it('are refused where they are none', () => {
    assert.equal(
      problem({ accept: [{ number: '5' }] }),
      't.json:2: INVALID_TASK_unknown: `accept.0.number` must be a number, not the text "5": correct the form',
    );
    assert.match(
      problem({ accept: [{ pattern: '(?<=a)b' }] }),
      /`accept\.0\.pattern` is no pattern of RE2, which /,
    );
    assert.match(problem({ accept: [] }), /`accept` must have at least 1 entry: correct the form$/);
    assert.match(
      problem({ accept: [{ numbers: 5 }] }),
      /`accept\.0\.numbers` is not a field that is known here/,
    );
  });
});
