/** Loading a study: what is refused before anything is spent, and what a study becomes. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadStudy, studyFile, studyNameOf } from './load.js';
import {
  AGGREGATE,
  FIELDS,
  folderFor,
  LATER_PAGE,
  LOOKUP,
  lines,
  problemOf,
  problemOfStudy,
  ROWS,
  STUDY,
  studyFolder,
} from './study-fixture.test.support.js';

const CLAUDE = `name: small
host: claude-code
answer: text
tasks: tasks.json
servers:
  s1: { command: [measure, serve, notes, notes], called: notes }
conditions:
  none: {}
  upfront: { server: s1, tool_search: false, home: kept, settings: { MAX_THINKING_TOKENS: "0" } }
`;
const again = 'correct it and run again';

describe('a study', () => {
  it('is loaded with its conditions resolved and its files frozen', (test) => {
    const folder = studyFolder(test);
    const study = loadStudy(folder);
    assert.deepEqual(study.conditions, [
      {
        ...{ name: 'baseline', server: 'records', controls: [], tools: null, select: [] },
        ...{ tool_search: true, home: 'fresh', settings: {} },
      },
      {
        ...{ name: 'optimized', server: 'records', tools: null, select: ['cache'] },
        ...{ tool_search: true, home: 'fresh', settings: {} },
        controls: ['filter', 'count', 'paginate', 'select', 'cache'],
      },
    ]);
    assert.deepEqual(
      study.inputs.map((input) => [input.name, input.path.replace(folder, '')]),
      [
        ['study', '/study.yaml'],
        ['tasks', '/tasks.json'],
        ['snapshot', '/snapshot.json'],
        ['fields', '/fields.json'],
      ],
    );
    assert.deepEqual(
      study.tasks.map((task) => [task.id, task.independent_count]),
      [
        ['lookup', null],
        ['aggregate', 3],
        ['later_page', null],
      ],
    );
  });

  it('may be the one that ships', () => {
    const shipped = fileURLToPath(new URL('../../data/context-controls', import.meta.url));
    const { conditions, tasks } = loadStudy(shipped);
    assert.deepEqual([conditions.length, tasks.length], [7, 3]);
  });

  it('has its controls in one order, however they are listed', (test) => {
    const yaml = STUDY.replace('controls: all', 'controls: [cache, filter]');
    const [, optimized] = loadStudy(studyFolder(test, { 'study.yaml': yaml })).conditions;
    assert.deepEqual([optimized?.controls, optimized?.select], [['filter', 'cache'], []]);
  });

  it('may be JSON, named study.json', (test) => {
    const folder = studyFolder(test);
    rmSync(join(folder, 'study.yaml'));
    const servers = { records: { command: ['measure'] } };
    const conditions = { baseline: { server: 'records' } };
    const definition = { name: 'plain', system: 'Answer.', tasks: 'tasks.json', servers, conditions };
    writeFileSync(join(folder, 'study.json'), JSON.stringify(definition));
    const { file, definition: read, records } = loadStudy(folder);
    assert.deepEqual([file, read.limits.max_turns, records], [join(folder, 'study.json'), 12, null]);
  });

  it('of Claude Code may do without a system text and, in a condition, without a server', (test) => {
    const yaml = CLAUDE;
    const { definition, conditions } = loadStudy(studyFolder(test, { 'study.yaml': yaml }));
    const { system, answer, claude_code, limits, servers } = definition;
    assert.deepEqual([system, answer, servers.s1?.called], [undefined, 'text', 'notes']);
    assert.deepEqual(claude_code.disallowed_tools, ['WebSearch', 'WebFetch', 'Agent', 'Task']);
    assert.deepEqual([limits.trial_timeout_ms, limits.launch_retries], [300_000, 2]);
    assert.deepEqual(conditions, [
      {
        ...{ name: 'none', server: null, controls: [], tools: null, select: [] },
        ...{ tool_search: true, home: 'fresh', settings: {} },
      },
      {
        ...{ name: 'upfront', server: 's1', controls: [], tools: null, select: [] },
        ...{ tool_search: false, home: 'kept', settings: { MAX_THINKING_TOKENS: '0' } },
      },
    ]);
  });

  it('goes by the name of its folder until it can be read', () => {
    assert.equal(studyNameOf('/a/my study/study.yaml'), 'my study');
    assert.equal(studyNameOf('/a/my study'), 'my study');
    assert.equal(studyNameOf('/a/naming.yml'), 'naming');
  });
});

describe('the file of a study', () => {
  it('is missing where the path leads nowhere', (test) => {
    const path = join(folderFor(test), 'gone');
    assert.equal(
      problemOf(() => loadStudy(path)),
      `${path}: INPUT_MISSING: there is no such file: check the name and the permissions of the file`,
    );
  });

  it('is missing where a folder has none', (test) => {
    const folder = folderFor(test);
    assert.equal(
      problemOf(() => studyFile(folder)),
      `${folder}: STUDY_MISSING: there is no study.yaml in this folder: name a study, or make one with \`measure init DIR\``,
    );
  });

  it('is no file where it is a folder', (test) => {
    const folder = folderFor(test);
    mkdirSync(join(folder, 'study.yaml'));
    assert.match(
      problemOf(() => loadStudy(folder)),
      /study\.yaml: INPUT_MISSING: it is not a file: /,
    );
  });

  it('may be empty, malformed, or not UTF-8, and is refused at the line', (test) => {
    assert.equal(
      problemOfStudy(test, { 'study.yaml': '' }),
      `study.yaml:1: INVALID_STUDY: this file is empty: ${again}`,
    );
    assert.match(
      problemOfStudy(test, { 'study.yaml': 'name: x\nb: [\n' }),
      /^study\.yaml:2: INVALID_STUDY: /,
    );
    assert.equal(
      problemOfStudy(test, { 'study.yaml': Buffer.from('name: x\ntitle: \xff\n', 'latin1') }),
      'study.yaml:2: INVALID_STUDY: this line is not valid UTF-8: save the file as UTF-8',
    );
  });

  it('is refused over 4 MiB', (test) => {
    assert.equal(
      problemOfStudy(test, { 'study.yaml': '#'.repeat(4194305) }),
      'study.yaml: INPUT_TOO_LARGE: it has 4194305 bytes, over the limit of 4194304: give a smaller extract',
    );
  });
});

describe('INVALID_STUDY', () => {
  const said = (line: number, what: string, todo = again) =>
    `study.yaml:${line}: INVALID_STUDY: ${what}: ${todo}`;

  it('refuses a field that nobody knows', (test) => {
    const yaml = STUDY.replace('kind: records', 'kinds: records');
    assert.equal(
      problemOfStudy(test, { 'study.yaml': yaml }),
      said(2, '`kinds` is not a field that is known here'),
    );
  });

  it('refuses a study without tasks, system, servers or conditions', (test) => {
    const without = (line: string) => ({ 'study.yaml': STUDY.replace(line, '') });
    assert.equal(problemOfStudy(test, without('tasks: tasks.json\n')), said(1, '`tasks` is missing'));
    assert.equal(
      problemOfStudy(test, without('system: Answer in JSON.\n')),
      said(1, '`system` is missing', 'write it; only a study of host claude-code may leave it out'),
    );
    const bare = {
      'study.yaml': 'name: small\nsystem: Answer.\ntasks: tasks.json\nservers: {}\nconditions: {}\n',
    };
    assert.equal(problemOfStudy(test, bare), said(5, '`conditions` must have at least one condition'));
  });

  it('refuses a server that is not there', (test) => {
    const yaml = STUDY.replace('    server: records\n    controls', '    server: record\n    controls');
    const what = 'condition "optimized" names the server "record", which is not under `servers`';
    assert.equal(problemOfStudy(test, { 'study.yaml': yaml }), said(16, what, 'use one of: records'));
  });

  it('refuses a condition without a server, unless the host is Claude Code', (test) => {
    const yaml = STUDY.replace('  baseline:\n    server: records\n', '  baseline: {}\n');
    const problem = said(13, 'condition "baseline" has no server', 'use one of: records');
    assert.equal(problemOfStudy(test, { 'study.yaml': yaml }), problem);
  });

  it('refuses a variable of Claude Code that is a credential, or that measure sets', (test) => {
    const setting = (name: string) => ({ 'study.yaml': `${STUDY}    settings: { ${name}: x }\n` });
    const place = `\`conditions.optimized.settings.`;
    assert.equal(
      problemOfStudy(test, setting('ANTHROPIC_API_KEY')),
      said(18, `${place}ANTHROPIC_API_KEY\` is not a name: it is that of a credential, which no study holds`),
    );
    assert.equal(
      problemOfStudy(test, setting('HOME')),
      said(18, `${place}HOME\` is not a name: measure sets that variable itself`),
    );
    assert.equal(
      problemOfStudy(test, setting('A=B')),
      said(18, `${place}A=B\` is not a name: it has letters, digits and "_" only, no digit first`),
    );
  });

  it('refuses a control that nobody knows, or that is named twice', (test) => {
    const controls = (list: string) => ({
      'study.yaml': STUDY.replace('controls: all', `controls: ${list}`),
    });
    const known = 'filter, count, paginate, select, cache';
    assert.equal(
      problemOfStudy(test, controls('[count, filtr]')),
      said(17, `\`conditions.optimized.controls.1\` must be one of ${known}, not the text "filtr"`),
    );
    assert.equal(
      problemOfStudy(test, controls('some')),
      said(
        17,
        '`conditions.optimized.controls` must be one of none, all, not the text "some", or must be a list, not the text "some"',
      ),
    );
    assert.equal(
      problemOfStudy(test, controls('[filter, filter]')),
      said(17, '`conditions.optimized.controls` names a control twice'),
    );
  });

  it('refuses the control select where nothing is selected', (test) => {
    assert.equal(
      problemOfStudy(test, { 'study.yaml': STUDY.replace('select: [cache]\n', '') }),
      said(
        16,
        'condition "optimized" has the control `select`, but the study selects nothing',
        'list the fields to leave out under `select`',
      ),
    );
  });

  it('refuses a name that would not do in a path', (test) => {
    const yaml = STUDY.replace('  baseline:', '  ../base line:');
    const what =
      '`conditions.../base line` is not a name: it has letters, digits, ".", "_" and "-" only, a letter or digit first';
    assert.equal(problemOfStudy(test, { 'study.yaml': yaml }), said(13, what));
  });

  it('refuses a number for a name, and says how to write it', (test) => {
    const yaml = STUDY.replace('name: small', 'name: 2026');
    assert.equal(
      problemOfStudy(test, { 'study.yaml': yaml }),
      said(1, '`name` must be a text, not 2026: put it in quotes'),
    );
  });

  it('refuses limits that make no sense', (test) => {
    const limits = (line: string) => ({ 'study.yaml': `${STUDY}limits:\n  ${line}\n` });
    assert.equal(
      problemOfStudy(test, limits('max_turns: 0')),
      said(19, '`limits.max_turns` must be at least 1'),
    );
    assert.equal(
      problemOfStudy(test, limits('retries: 21')),
      said(19, '`limits.retries` must be at most 20'),
    );
    assert.equal(
      problemOfStudy(test, limits('max_tokens: many')),
      said(19, '`limits.max_tokens` must be a number, not the text "many"'),
    );
    assert.equal(
      problemOfStudy(test, limits('max_turns: 1.5')),
      said(19, '`limits.max_turns` must be a whole number, not 1.5'),
    );
    assert.equal(
      problemOfStudy(test, limits('max_turn: 3')),
      said(19, '`limits.max_turn` is not a field that is known here'),
    );
  });

  it('refuses a phrasing that does not ask the question, or asks it twice', (test) => {
    const phrasing = (text: string) => ({ 'study.yaml': `${STUDY}phrasings:\n  short: "${text}"\n` });
    const what = '`phrasings.short` must have {question} in it exactly once';
    assert.equal(problemOfStudy(test, phrasing('Briefly?')), said(19, what));
    assert.equal(problemOfStudy(test, phrasing('{question} {question}')), said(19, what));
    const none = { 'study.yaml': `${STUDY}phrasings: {}\n` };
    assert.equal(problemOfStudy(test, none), said(18, '`phrasings` must have at least one phrasing'));
  });

  it('refuses a probe of a condition that is not there', (test) => {
    const probe =
      'probes:\n  warm:\n    condition: optimised\n    tool: t\n    arguments: {}\n    expect: [{}]\n';
    const what = 'probe "warm" names the condition "optimised", which is not under `conditions`';
    assert.equal(
      problemOfStudy(test, { 'study.yaml': STUDY + probe }),
      said(20, what, 'use one of: baseline, optimized'),
    );
  });

  it('refuses an input with a name that measure uses itself', (test) => {
    const input = (name: string) => ({
      'study.yaml': STUDY.replace('inputs:\n', `inputs:\n  ${name}: x.json\n`),
    });
    const todo = 'call it something else';
    assert.equal(
      problemOfStudy(test, input('tasks')),
      said(5, 'an input cannot be called "tasks": measure uses that name', todo),
    );
    assert.equal(
      problemOfStudy(test, input('fields_sha256')),
      said(5, 'an input cannot be called "fields_sha256": measure uses that name', todo),
    );
  });

  it('refuses a records study without its two inputs', (test) => {
    const yaml = STUDY.replace('  fields: fields.json\n', '');
    const what = 'a records study needs the inputs `snapshot` and `fields`';
    assert.equal(problemOfStudy(test, { 'study.yaml': yaml }), said(4, what, 'name both under `inputs`'));
  });
});

describe('the inputs of a records study', () => {
  it('are refused where one is missing', (test) => {
    const folder = studyFolder(test);
    rmSync(join(folder, 'snapshot.json'));
    assert.equal(
      problemOf(() => loadStudy(folder)),
      `${folder}/snapshot.json: INPUT_MISSING: there is no such file: check the name and the permissions of the file`,
    );
  });

  it('are refused with INVALID_ALLOWLIST: an unknown field, id or revision missing, one repeated, no list', (test) => {
    const fields = (list: unknown) => problemOfStudy(test, { 'fields.json': JSON.stringify(list) });
    const said = (what: string) =>
      `fields.json: INVALID_ALLOWLIST: ${what}: list the fields that may be shown, id and revision among them`;
    assert.equal(fields([...FIELDS, 'secret']), said('no record has a field "secret"'));
    assert.equal(fields(['revision', 'status']), said('id is missing'));
    assert.equal(fields(['id', 'status']), said('revision is missing'));
    assert.equal(fields([...FIELDS, 'status']), said('"status" is repeated'));
    assert.equal(fields({ id: true }), said('it is not an array of strings'));
    assert.equal(fields([]), said('id is missing'));
  });

  it('are refused at the line where they are not JSON', (test) => {
    assert.match(
      problemOfStudy(test, { 'fields.json': '["id",\n]' }),
      /^fields\.json:2: INVALID_ALLOWLIST: it is not JSON/,
    );
    assert.match(
      problemOfStudy(test, { 'fields.json': '' }),
      /^fields\.json:1: INVALID_ALLOWLIST: it is empty/,
    );
    assert.match(
      problemOfStudy(test, { 'snapshot.json': '[\n{"id"}]' }),
      /^snapshot\.json:2: INVALID_SNAPSHOT: /,
    );
    assert.match(
      problemOfStudy(test, { 'tasks.json': '[\n{},\n]' }),
      /^tasks\.json:3: INVALID_TASKS: it is not JSON/,
    );
    assert.equal(
      problemOfStudy(test, { 'tasks.json': '\n' }),
      `tasks.json:1: INVALID_TASKS: this file is empty: ${again}`,
    );
  });

  it('are refused where a key contradicts the records', (test) => {
    const tasks = lines([LOOKUP, { ...AGGREGATE, expectedAnswer: '2' }, LATER_PAGE]);
    assert.match(problemOfStudy(test, { 'tasks.json': tasks }), /^tasks\.json:3: AGGREGATE_KEY_MISMATCH: /);
  });

  it('count against the allow-list: a field that may not be shown cannot be asked for', (test) => {
    const files = {
      'fields.json': JSON.stringify(['id', 'revision', 'status']),
      'snapshot.json': lines(ROWS),
    };
    assert.match(problemOfStudy(test, files), /^tasks\.json:2: LOOKUP_DETAIL_FIELD_REQUIRED: /);
  });
});
