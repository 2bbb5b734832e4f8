/** What a catalog costs: bytes as they were sent and estimated tokens, part by part, with sums that leave nothing out. */
import { advertise } from '../../events/advertise.js';
import { utf8Bytes } from '../../events/bytes.js';
import { elementsOf, membersOf, type Span } from '../../events/json-spans.js';
import { estimateTokens } from '../tokens.js';
import { isObject } from '../wire/json.js';

/** An amount of text. Tokens are an estimate by a local tokenizer. */
export interface Cost {
  bytes: number;
  tokens: number;
}

/** The parts of a tool's JSON; `rest` is everything else of it: other members, keys and punctuation. */
export const PARTS = ['name', 'description', 'input_schema', 'output_schema', 'rest'] as const;

export type Part = (typeof PARTS)[number];

/** A tool as it was sent. `whole` is the sum of its parts. */
export interface ToolCost extends Record<Part, Cost> {
  tool: string;
  whole: Cost;
}

/** The catalog of a server, every page of it. `whole` = `tools` + `around` = what `tools/list` sent, newlines left out. */
export interface CatalogCost {
  rows: ToolCost[];
  /** The sum of the rows, part by part. */
  tools: Record<Part, Cost> & { whole: Cost };
  /** What stands around the tools in the replies: brackets, commas, the message itself. */
  around: Cost;
  whole: Cost;
  pages: number;
  /** The bare names, one a line. */
  names: Cost;
  instructions: Cost;
  /** Before the first question where a host sends every tool: the tools as a model is offered them, and the instructions. */
  upfront: Cost;
  /** The same where a host defers tools: full names, one a line, and the instructions; marked tools come whole. */
  deferred: Cost;
  /** Tools that ask to be sent at once even where others are deferred. */
  always_loaded: string[];
}

const MEMBERS: Record<string, Part> = {
  name: 'name',
  description: 'description',
  inputSchema: 'input_schema',
  outputSchema: 'output_schema',
};
const ALWAYS_LOAD = 'anthropic/alwaysLoad';

/** The cost of a catalog. `replies` are the answers to `tools/list` as bytes; `server` is the name that hosts put before tools. */
export function catalogCost(replies: Buffer[], instructions: string | null, server: string): CatalogCost {
  const pages = replies.map(pageOf);
  const rows = pages.flatMap((page) => page.tools.map((span) => toolCost(page.bytes, span)));
  const parts = perPart((part) => sum(rows.map((row) => row[part])));
  const tools = { ...parts, whole: sum(rows.map(({ whole }) => whole)) };
  const around = sum(
    pages.map(({ bytes, tools: spans }) => outside(bytes, { start: 0, end: bytes.length }, spans)),
  );
  const listed = pages.flatMap(({ bytes, tools: spans }) => spans.map((span) => valueAt(bytes, span)));
  const said = cost(instructions ?? '');
  const always_loaded = listed.filter(isMarked).map(nameOf);
  return {
    ...{ rows, tools, around, whole: sum([tools.whole, around]), pages: pages.length },
    names: cost(rows.map(({ tool }) => tool).join('\n')),
    instructions: said,
    upfront: sum([offered(listed), said]),
    deferred: sum([
      cost(
        listed
          .filter((tool) => !isMarked(tool))
          .map((tool) => fullName(server, nameOf(tool)))
          .join('\n'),
      ),
      offered(listed.filter(isMarked)),
      said,
    ]),
    always_loaded,
  };
}

/** The name under which Claude Code lists a tool: characters other than letters, digits, `_` and `-` become `_`. */
export function fullName(server: string, tool: string): string {
  return `mcp__${server.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__${tool}`;
}

/** A text in bytes and estimated tokens. */
export function cost(text: string): Cost {
  return { bytes: utf8Bytes(text), tokens: text === '' ? 0 : estimateTokens(text) };
}

interface Page {
  bytes: Buffer;
  tools: Span[];
}

/** Where the tools stand in a reply. Bytes are read as Latin-1, so that places are counted in bytes. */
function pageOf(bytes: Buffer): Page {
  const json = bytes.toString('latin1');
  const result = membersOf(json, json.indexOf('{')).findLast(({ key }) => key === 'result');
  const tools = result && membersOf(json, result.value.start).findLast(({ key }) => key === 'tools');
  return { bytes, tools: tools === undefined ? [] : elementsOf(json, tools.value.start) };
}

function toolCost(bytes: Buffer, span: Span): ToolCost {
  const json = bytes.toString('latin1', span.start, span.end);
  const places = new Map<Part, Span>();
  for (const { key, value } of json.startsWith('{') ? membersOf(json, 0) : []) {
    const part = MEMBERS[key];
    if (part !== undefined)
      places.set(part, { start: span.start + value.start, end: span.start + value.end });
  }
  const parts = perPart((part) => {
    const place = places.get(part) ?? { start: 0, end: 0 };
    return part === 'rest'
      ? outside(bytes, span, [...places.values()])
      : sizeOf(bytes.subarray(place.start, place.end));
  });
  return { tool: nameOf(valueAt(bytes, span)), ...parts, whole: sum(Object.values(parts)) };
}

/** What stands within a span and outside of others. */
function outside(bytes: Buffer, whole: Span, inner: Span[]): Cost {
  const spans = [...inner].sort((a, b) => a.start - b.start);
  const starts = [whole.start, ...spans.map(({ end }) => end)];
  const ends = [...spans.map(({ start }) => start), whole.end];
  return sizeOf(Buffer.concat(starts.map((start, at) => bytes.subarray(start, ends[at]))));
}

function sizeOf(bytes: Buffer): Cost {
  return { bytes: bytes.length, tokens: cost(bytes.toString('utf8')).tokens };
}

function valueAt(bytes: Buffer, { start, end }: Span): unknown {
  return JSON.parse(bytes.toString('utf8', start, end));
}

/** Tools as a Messages endpoint takes them, counted one by one as the estimate of a request does. */
function offered(tools: unknown[]): Cost {
  return sum(advertise(tools, null).map((tool) => cost(JSON.stringify(tool))));
}

function isMarked(tool: unknown): boolean {
  return isObject(tool) && isObject(tool._meta) && tool._meta[ALWAYS_LOAD] === true;
}

function nameOf(tool: unknown): string {
  return isObject(tool) && typeof tool.name === 'string' ? tool.name : '(no name)';
}

function sum(costs: Cost[]): Cost {
  return costs.reduce(
    (total, each) => ({ bytes: total.bytes + each.bytes, tokens: total.tokens + each.tokens }),
    { bytes: 0, tokens: 0 },
  );
}

function perPart(costOf: (part: Part) => Cost): Record<Part, Cost> {
  return {
    name: costOf('name'),
    description: costOf('description'),
    input_schema: costOf('input_schema'),
    output_schema: costOf('output_schema'),
    rest: costOf('rest'),
  };
}
