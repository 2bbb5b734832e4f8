/** The catalog as a list that hosts and providers have to accept: its entries, its schemas, its pages, its constancy. */
import { isObject, type JsonObject } from '../wire/json.js';
import { OutputSchemas } from '../wire/output-schema.js';
import { type FindingKind, finding, type Outcome, passed } from './finding.js';
import { counted, excerpt, listed } from './words.js';

const CATALOG_FAILED: FindingKind = {
  code: 'catalog-failed',
  group: 'catalog',
  severity: 'fatal',
  why: 'without tools/list a host has a server without tools',
  fix: 'answer tools/list with {"tools": […]}',
};
const PAGE_LOOP: FindingKind = {
  code: 'page-loop',
  group: 'catalog',
  severity: 'fatal',
  why: 'a host that follows cursors asks for ever, or gives up with none of the tools',
  fix: 'give a new cursor with each page, and none with the last',
};
const BAD_CURSOR: FindingKind = {
  code: 'bad-cursor',
  group: 'catalog',
  severity: 'fatal',
  why: 'the clients of the official SDK refuse the whole page over it, null included, and have none of its tools',
  fix: 'make nextCursor a string, or leave it out',
};
const NO_TOOLS: FindingKind = {
  code: 'no-tools',
  group: 'catalog',
  severity: 'warning',
  why: 'the server says that it has tools, and lists none: a host shows it as connected and useless',
  fix: 'register tools before the transport connects, or do not declare the capability',
};
const BAD_TOOL: FindingKind = {
  code: 'bad-tool',
  group: 'catalog',
  severity: 'fatal',
  why: 'the clients of the official SDK check the list as a whole: one such entry, and they have none of the tools',
  fix: 'give every tool a name, a description that is text, and an inputSchema with "type": "object"',
};
const INPUT_SCHEMA_BROKEN: FindingKind = {
  code: 'input-schema-broken',
  group: 'catalog',
  severity: 'fatal',
  why: 'a provider that checks schemas refuses every request that offers this tool, whatever it is about',
  fix: 'make inputSchema valid JSON Schema (draft 2020-12)',
};
const OUTPUT_SCHEMA_BROKEN: FindingKind = {
  code: 'output-schema-broken',
  group: 'catalog',
  severity: 'fatal',
  why: 'clients on the v1 SDK compile output schemas when they list, and lose the whole list over one',
  fix: 'make outputSchema valid JSON Schema (draft 2020-12), or leave it out',
};
const TOOL_NAME_TWICE: FindingKind = {
  code: 'tool-name-twice',
  group: 'catalog',
  severity: 'warning',
  why: 'providers refuse a request with two tools of one name; hosts drop one of them, and not always the same',
  fix: 'give each tool a name of its own',
};
const CATALOG_UNSTABLE: FindingKind = {
  code: 'catalog-unstable',
  group: 'catalog',
  severity: 'warning',
  why: 'tools stand at the very front of a prompt: a list that changes from launch to launch makes each cached prompt worthless',
  fix: 'list the same tools in the same order, without times, counts or paths in their descriptions',
};
const ERAS_DIFFER: FindingKind = {
  code: 'eras-differ',
  group: 'catalog',
  severity: 'warning',
  why: 'hosts that get an answer to server/discover never send initialize, and see this other face of the server',
  fix: 'give the same instructions and tools in answer to both',
};

/** Every kind of finding that this file makes. */
export const CATALOG_KINDS = [
  ...[CATALOG_FAILED, PAGE_LOOP, BAD_CURSOR, BAD_TOOL, INPUT_SCHEMA_BROKEN, OUTPUT_SCHEMA_BROKEN],
  ...[NO_TOOLS, TOOL_NAME_TWICE, CATALOG_UNSTABLE, ERAS_DIFFER],
];

/** A catalog as one launch listed it. */
export interface Listing {
  tools: unknown[];
  pages: number;
  /** Why the listing ended before its end; null where it did not. */
  failure: string | null;
  /** Whether the server went on giving cursors that it had given before, or without end. */
  endless: boolean;
  /** A `nextCursor` that is no string, as JSON; null where there was none. */
  bad_cursor: string | null;
}

/** The listing as a whole: whether it came, and ended. */
export function checkListing({ tools, pages, failure, endless, bad_cursor }: Listing): Outcome[] {
  const evidence = { tools: tools.length, pages, failure, bad_cursor };
  if (endless)
    return [
      finding(
        PAGE_LOOP,
        `${failure ?? 'tools/list does not end'} (${counted(tools.length, 'tool')} by then)`,
        evidence,
      ),
    ];
  if (failure !== null) return [finding(CATALOG_FAILED, failure, evidence)];
  if (bad_cursor !== null)
    return [
      finding(
        BAD_CURSOR,
        `nextCursor is ${bad_cursor}, no string, after ${counted(tools.length, 'tool')}`,
        evidence,
      ),
    ];
  if (tools.length === 0) return [finding(NO_TOOLS, 'tools/list gives an empty list', evidence)];
  const ends = pages === 1 ? 'not paged' : `${pages} pages, which end`;
  return [passed('catalog', `${counted(tools.length, 'tool')}, ${ends}`, evidence)];
}

/** The entries of the list, one by one. */
export function checkTools(tools: unknown[]): Outcome[] {
  const bad = tools.flatMap((tool, at) => {
    const reason = reasonAgainst(tool);
    return reason === null ? [] : [{ tool: nameOf(tool) ?? `entry ${at + 1}`, reason }];
  });
  const sound = tools.filter(isObject).filter((tool) => reasonAgainst(tool) === null);
  const twice = sound.map(nameOf).filter((name, at, names) => names.indexOf(name) !== at);
  const found = [
    ...several(BAD_TOOL, bad),
    ...several(
      INPUT_SCHEMA_BROKEN,
      sound.flatMap((tool) => brokenSchema(tool, 'inputSchema')),
    ),
    ...several(
      OUTPUT_SCHEMA_BROKEN,
      sound.flatMap((tool) => brokenSchema(tool, 'outputSchema')),
    ),
    ...several(
      TOOL_NAME_TWICE,
      twice.map((name) => ({ tool: name ?? '', reason: 'stands there twice' })),
    ),
  ];
  if (found.length > 0 || tools.length === 0) return found;
  const outputs = sound.filter(({ outputSchema }) => outputSchema !== undefined).length;
  const what = `${counted(sound.length, 'input schema')} and ${counted(outputs, 'output schema')} compile`;
  return [passed('catalog', what, { input_schemas: sound.length, output_schemas: outputs })];
}

/** The digests of the catalogs of several launches, after this request. */
export function checkConstancy(digests: string[], request: string): Outcome[] {
  if (digests.length < 2) return [];
  const different = new Set(digests).size;
  const evidence = { launches: digests.length, different };
  if (different === 1)
    return [passed('catalog', `the same in ${digests.length} launches with ${request}`, evidence)];
  return [
    finding(
      CATALOG_UNSTABLE,
      `${different} different catalogs in ${digests.length} launches with ${request}`,
      evidence,
    ),
  ];
}

/** What a server shows of itself in one era. */
export interface Face {
  instructions: string | null;
  names: string[];
}

/** Both eras, where a server speaks both. */
export function checkEras(legacy: Face, modern: Face): Outcome[] {
  const missing = legacy.names.filter((name) => !modern.names.includes(name));
  const added = modern.names.filter((name) => !legacy.names.includes(name));
  const words = [
    ...(legacy.instructions === modern.instructions ? [] : [instructionsWords(legacy, modern)]),
    ...(missing.length === 0 ? [] : [`tools after initialize alone: ${listed(missing)}`]),
    ...(added.length === 0 ? [] : [`tools after server/discover alone: ${listed(added)}`]),
  ];
  if (words.length === 0)
    return [passed('catalog', 'the same tools and instructions whatever the handshake', {})];
  return [
    finding(ERAS_DIFFER, words.join('; '), {
      missing,
      added,
      instructions: [legacy.instructions, modern.instructions],
    }),
  ];
}

function instructionsWords(legacy: Face, modern: Face): string {
  if (modern.instructions === null) return 'instructions after initialize alone';
  return legacy.instructions === null
    ? 'instructions after server/discover alone'
    : 'other instructions in each era';
}

function reasonAgainst(tool: unknown): string | null {
  if (!isObject(tool)) return 'is no object';
  if (typeof tool.name !== 'string') return 'has no name';
  if (tool.description !== undefined && typeof tool.description !== 'string')
    return 'has a description that is no text';
  const { inputSchema: schema } = tool;
  if (!isObject(schema)) return 'has no inputSchema';
  return schema.type === 'object' ? null : `has an inputSchema of type ${excerpt(String(schema.type))}`;
}

function brokenSchema(tool: JsonObject, key: 'inputSchema' | 'outputSchema') {
  if (tool[key] === undefined) return [];
  const schemas = new OutputSchemas();
  schemas.learn([{ name: 'schema', outputSchema: tool[key] }]);
  const { schema_verdict, schema_detail } = schemas.check('schema', { structuredContent: {} });
  if (schema_verdict !== 'schema_broken') return [];
  return [{ tool: nameOf(tool) ?? '', reason: `has an ${key} that does not compile: ${schema_detail}` }];
}

function several(kind: FindingKind, entries: { tool: string; reason: string }[]): Outcome[] {
  const [first] = entries;
  if (first === undefined) return [];
  const more = entries.length > 1 ? `; and ${counted(entries.length - 1, 'other')}` : '';
  return [finding(kind, `${excerpt(first.tool)} ${first.reason}${more}`, { tools: entries })];
}

function nameOf(tool: unknown): string | undefined {
  return isObject(tool) && typeof tool.name === 'string' ? tool.name : undefined;
}
