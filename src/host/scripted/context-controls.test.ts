/** Specification: the script of the context-controls study, against tools of a few lines over known records. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type ContentBlock, nextMessage } from './model.js';
import { type MessagesRequest, readRequest } from './request.js';
import { parseScript } from './script.js';

const STUDY = new URL('../../../data/context-controls/', import.meta.url);
const SCRIPT = parseScript(read('script.yaml'), 'script.yaml');
const ROWS = z.array(z.record(z.string(), z.string()));

/** Twelve tickets: odd ones open, T03 and T07 to T12 of team `web`, each with a detail that holds a caveat. */
const TICKETS = Array.from({ length: 12 }, (_, index) => {
  const number = String(index + 1).padStart(2, '0');
  const team = index === 2 || index > 5 ? 'web' : 'core';
  const status = index % 2 === 0 ? 'open' : 'closed';
  return { id: `T${number}`, revision: 'r1', status, team, detail: `cause ${number}, checked by hand` };
});
const LOOKUP = {
  kind: 'lookup',
  question: 'What caused T07?',
  expectedAnswer: 'cause 07',
  evidenceIds: ['T07'],
  requiredCaveats: ['checked by hand'],
  detailField: 'detail',
};
const AGGREGATE = {
  kind: 'aggregate',
  question: 'How many are open?',
  expectedAnswer: '6',
  evidenceIds: ['T01', 'T11'],
  requiredCaveats: [],
  aggregateField: 'status',
  aggregateValue: 'open',
};
const LATER_PAGE = {
  kind: 'later_page',
  question: 'What caused the last one of web?',
  expectedAnswer: 'cause 12',
  evidenceIds: ['T12'],
  requiredCaveats: [],
};
const HINTED = { ...LATER_PAGE, scripted: { matchField: 'team', matchValue: 'web', answerField: 'detail' } };

const BASELINE = ['list_records', 'exact_record'];
const OPTIMIZED = ['find_records', 'count_by_field', 'exact_record'];
const WITHOUT_FILTER = ['list_records', 'count_by_field', 'exact_record'];
const WITHOUT_COUNT = ['find_records', 'exact_record'];

describe('the script of the context controls', () => {
  it('looks up in two steps: a brief search, then the exact record', async () => {
    const { path, answer } = await follow(LOOKUP, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path, [
      'find_records {"matchField":"id","matchValue":"T07","fields":[]}',
      'exact_record {"id":"T07"}',
    ]);
    assert.deepEqual(answer, { answer: 'cause 07', evidenceIds: ['T07'], caveats: ['checked by hand'] });
  });

  it('searches by the hint of a lookup, page after page, until the evidence is seen', async () => {
    const task = { ...LOOKUP, scripted: { matchField: 'revision', matchValue: 'r1' } };
    const { path } = await follow(task, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path, [
      'find_records {"matchField":"revision","matchValue":"r1","fields":[]}',
      'find_records {"matchField":"revision","matchValue":"r1","fields":[],"cursor":"5"}',
      'exact_record {"id":"T07"}',
    ]);
  });

  it('never searches for the detail itself', async () => {
    const task = { ...LOOKUP, scripted: { matchField: 'detail', matchValue: 'cause 07, checked by hand' } };
    const { path } = await follow(task, OPTIMIZED, pagesOf(5));
    assert.equal(path[0], 'find_records {"matchField":"id","matchValue":"T07","fields":[]}');
  });

  it('looks up in the whole list where that is all there is', async () => {
    const { path, answer } = await follow(LOOKUP, BASELINE, pagesOf(5));
    assert.deepEqual(path, ['list_records {}']);
    assert.deepEqual(answer, { answer: 'cause 07', evidenceIds: ['T07'], caveats: ['checked by hand'] });
  });

  it('says what the record says, not what was expected, when they differ', async () => {
    const broken = pagesOf(
      5,
      TICKETS.map((row) => ({ ...row, detail: 'unknown' })),
    );
    const { answer } = await follow(LOOKUP, OPTIMIZED, broken);
    assert.deepEqual(answer, { answer: 'unknown', evidenceIds: ['T07'], caveats: [] });
  });

  it('says the whole value of a lookup with hints, so that a longer wrong one is wrong', async () => {
    const lying = pagesOf(
      5,
      TICKETS.map((row) => ({ ...row, detail: 'cause 071' })),
    );
    const task = { ...LOOKUP, scripted: { matchField: 'id', matchValue: 'T07' } };
    const { answer } = await follow(task, OPTIMIZED, lying);
    assert.deepEqual(answer, { answer: 'cause 071', evidenceIds: ['T07'], caveats: [] });
  });

  it('makes nothing up when the evidence is not there', async () => {
    const { answer } = await follow(LOOKUP, OPTIMIZED, pagesOf(5, []));
    assert.deepEqual(answer, { answer: 'not in the records received', evidenceIds: [], caveats: [] });
  });

  it('counts with the counting tool, over as many pages as the evidence needs', async () => {
    const { path, answer } = await follow(AGGREGATE, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path, [
      'count_by_field {"field":"status","value":"open"}',
      'count_by_field {"field":"status","value":"open","cursor":"5"}',
    ]);
    assert.deepEqual(answer, { answer: '6', evidenceIds: ['T01', 'T11'], caveats: [] });
  });

  it('counts what it received when the server lost a record', async () => {
    const broken = pagesOf(5, TICKETS.slice(1));
    const answers = [BASELINE, OPTIMIZED, WITHOUT_FILTER, WITHOUT_COUNT].map((tools) =>
      follow(AGGREGATE, tools, broken),
    );
    const expected = { answer: '5', evidenceIds: ['T11'], caveats: [] };
    assert.deepEqual(
      (await Promise.all(answers)).map(({ answer }) => answer),
      Array(4).fill(expected),
    );
  });

  it('fetches exact records where a count owes a caveat', async () => {
    const task = { ...AGGREGATE, requiredCaveats: ['checked by hand', 'never said'] };
    const { path, answer } = await follow(task, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path.slice(2), ['exact_record {"id":"T01"} + exact_record {"id":"T11"}']);
    assert.deepEqual(answer, { answer: '6', evidenceIds: ['T01', 'T11'], caveats: ['checked by hand'] });
  });

  it('pages by the hint of a later page and answers with its field', async () => {
    const { path, answer } = await follow(HINTED, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path, [
      'find_records {"matchField":"team","matchValue":"web","fields":["detail"]}',
      'find_records {"matchField":"team","matchValue":"web","fields":["detail"],"cursor":"5"}',
    ]);
    assert.deepEqual(answer, { answer: 'cause 12, checked by hand', evidenceIds: ['T12'], caveats: [] });
  });

  it('finds out by counting which field needs a later page', async () => {
    const { path, answer } = await follow(LATER_PAGE, OPTIMIZED, pagesOf(5));
    assert.deepEqual(path, [
      'exact_record {"id":"T12"}',
      'count_by_field {"field":"revision","value":"r1"} + count_by_field {"field":"status","value":"closed"} + ' +
        'count_by_field {"field":"team","value":"web"} + ' +
        'count_by_field {"field":"detail","value":"cause 12, checked by hand"}',
      'find_records {"matchField":"status","matchValue":"closed","fields":[]}',
      'find_records {"matchField":"status","matchValue":"closed","fields":[],"cursor":"5"}',
    ]);
    assert.deepEqual(answer, { answer: 'cause 12', evidenceIds: ['T12'], caveats: [] });
  });

  it('finds out by searching where nothing counts, and goes on from the first page it has', async () => {
    const { path, answer } = await follow(LATER_PAGE, WITHOUT_COUNT, pagesOf(5));
    assert.equal(path.length, 3);
    assert.equal(
      path[2],
      'find_records {"matchField":"status","matchValue":"closed","fields":[],"cursor":"5"}',
    );
    assert.deepEqual(answer, { answer: 'cause 12', evidenceIds: ['T12'], caveats: [] });
  });

  it('answers a later page with the id when the evidence does not hold the expected words', async () => {
    const { answer } = await follow({ ...LATER_PAGE, expectedAnswer: 'T12 of web' }, BASELINE, pagesOf(5));
    assert.deepEqual(answer, { answer: 'T12', evidenceIds: ['T12'], caveats: [] });
  });

  it('gives up in time: the answer is the twelfth turn at the latest', async () => {
    const { path, answer } = await follow({ ...AGGREGATE, evidenceIds: ['T99'] }, OPTIMIZED, () => ({
      count: 99,
      auditIds: ['T01'],
      moreAvailable: true,
      nextCursor: 'again',
    }));
    assert.equal(path.length, 11);
    assert.deepEqual(answer, { answer: '99', evidenceIds: [], caveats: [] });
  });

  it('answers the questions of the study under every condition, with its hints and without', async () => {
    const rows = ROWS.parse(JSON.parse(read('snapshot.json')));
    const tasks = z
      .array(z.looseObject({ expectedAnswer: z.string() }))
      .parse(JSON.parse(read('tasks.json')));
    const unaided = tasks.map(({ scripted: _, ...task }) => task);
    const conditions = [BASELINE, OPTIMIZED, WITHOUT_FILTER, WITHOUT_COUNT].flatMap((tools) => [
      { tools, server: pagesOf(5, rows) },
      { tools, server: pagesOf(rows.length, rows) },
    ]);
    const trials = conditions.flatMap(({ tools, server }) =>
      [...tasks, ...unaided].map(async (task) => {
        const { answer } = await follow(task, tools, server);
        return verdict(task, answer);
      }),
    );
    assert.deepEqual(await Promise.all(trials), Array(48).fill('right'));
  });
});

type Server = (tool: string, given: Record<string, unknown>) => object;
type Task = Record<string, unknown>;

/** The four tools over these rows, without the parts of a result that do not matter here. */
function pagesOf(size: number, rows: Record<string, string>[] = TICKETS): Server {
  const page = (matches: Record<string, string>[], cursor: unknown) => {
    const start = Number(cursor ?? 0);
    const moreAvailable = start + size < matches.length;
    const nextCursor = moreAvailable ? String(start + size) : null;
    return { shown: matches.slice(start, start + size), paging: { moreAvailable, nextCursor } };
  };
  const tools: Record<string, (given: Record<string, unknown>) => object> = {
    list_records: () => ({ total: rows.length, rows }),
    exact_record: ({ id }) => ({ row: rows.find((row) => row.id === id) ?? null }),
    count_by_field: ({ field, value, cursor }) => {
      const matches = rows.filter((row) => row[String(field)] === value);
      const { shown, paging } = page(matches, cursor);
      return { count: matches.length, auditIds: shown.map(({ id }) => id), ...paging };
    },
    find_records: ({ matchField, matchValue, fields, cursor }) => {
      const matches = rows.filter((row) => row[String(matchField)] === matchValue);
      const { shown, paging } = page(matches, cursor);
      const names = ['id', 'revision', String(matchField), ...z.array(z.string()).parse(fields)];
      return { totalMatches: matches.length, rows: shown.map((row) => project(row, names)), ...paging };
    },
  };
  return (tool, given) => tools[tool]?.(given) ?? {};
}

function project(row: Record<string, string>, names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

interface Followed {
  /** The calls of each turn. */
  path: string[];
  answer: unknown;
}

/** Follows the script from the question to the answer. */
function follow(task: Task, tools: string[], server: Server): Promise<Followed> {
  const question = String(task.question);
  return goOn(task, tools, server, [{ role: 'user', content: question }], []);
}

async function goOn(
  task: Task,
  names: string[],
  server: Server,
  messages: object[],
  path: string[],
): Promise<Followed> {
  const tools = names.map((name) => ({ name, input_schema: { type: 'object' } }));
  const request: MessagesRequest = readRequest({ model: 'm', max_tokens: 9, messages, tools });
  const { kind, question } = z.looseObject({ kind: z.string(), question: z.string() }).parse(task);
  const said = await nextMessage(
    { script: SCRIPT, tasks: [{ id: kind, kind, prompt: question, task }], answer: 'json' },
    request,
  );
  const uses = said.content.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) return { path, answer: JSON.parse(textOf(said.content)) };
  const results = uses.map(({ id, name, input }) => {
    return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(server(name, input)) };
  });
  const talk = [
    ...messages,
    { role: 'assistant', content: said.content },
    { role: 'user', content: results },
  ];
  const calls = uses.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(' + ');
  return goOn(task, names, server, talk, [...path, calls]);
}

function textOf(content: ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** `right` where the answer is the expected one with all evidence and all caveats, otherwise the answer. */
function verdict(task: Task, answer: unknown): unknown {
  const wanted = {
    answer: task.expectedAnswer,
    evidenceIds: task.evidenceIds,
    caveats: task.requiredCaveats,
  };
  return JSON.stringify(answer) === JSON.stringify(wanted) ? 'right' : answer;
}

function read(name: string): string {
  return readFileSync(new URL(name, STUDY), 'utf8');
}
