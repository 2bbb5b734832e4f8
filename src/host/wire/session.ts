/** A session with a connected server: its catalog, its tools, its end. */
import { jsonOf } from '../../events/answer.js';
import { saysTheSame } from '../json-text.js';
import type { CatalogPage, Handshake, McpSession, SessionOptions, ToolReply } from '../mcp.js';
import { type Answer, ask, fail, type Line } from './ask.js';
import type { CloseFacts } from './child.js';
import { type RawExchange, ServerFailure } from './failure.js';
import { faultOf } from './fault.js';
import type { JsonObject } from './json.js';
import { OutputSchemas } from './output-schema.js';

/** Longer results are not looked through for what JSON.parse does not keep. */
const LOSSY_LIMIT = 1024 * 1024;
const LOSSY =
  'the result holds a number or a repeated key that JSON.parse does not keep: what is made of it is rounded, its bytes are kept';

/** A catalog longer than this is taken for one without end. */
const PAGE_LIMIT = 1000;
/** And so is one that takes longer than so many pages may. */
const LISTING_PAGES = 10;

/** See `McpSession`, which says what each method promises. */
export class WireSession implements McpSession {
  readonly handshake: Handshake;
  readonly #line: Line;
  readonly #options: SessionOptions;
  readonly #schemas = new OutputSchemas();

  constructor(line: Line, handshake: Handshake, options: SessionOptions) {
    this.#line = line;
    this.handshake = handshake;
    this.#options = options;
  }

  async *pages(): AsyncGenerator<CatalogPage> {
    const seen = new Set<string>();
    const started = performance.now();
    let cursor: string | null = null;
    for (let page = 1; page <= PAGE_LIMIT; page++) {
      const listed: CatalogPage = await this.#page(page, cursor);
      yield listed;
      cursor = listed.next_cursor;
      if (cursor === null) return;
      if (seen.has(cursor)) throw this.#endless(`page ${page} repeats the cursor ${JSON.stringify(cursor)}`);
      seen.add(cursor);
      const elapsed = performance.now() - started;
      if (elapsed > (this.#options.listingTimeoutMs ?? this.#pageTimeoutMs * LISTING_PAGES))
        throw this.#endless(`${page} pages in ${Math.round(elapsed)} ms, and more to come`);
    }
    throw this.#endless(`more than ${PAGE_LIMIT} pages`);
  }

  async call(tool: string, args: JsonObject, timeoutMs: number): Promise<ToolReply> {
    const { result, line, wire, raw, elapsed_ms } = await ask(
      this.#line,
      'tools/call',
      { name: tool, arguments: args },
      timeoutMs,
    );
    const { content, structuredContent: structured } = result;
    if (!Array.isArray(content)) {
      this.#options.onFault(
        faultOf('NO_CONTENT', 'warning', `the result of ${tool} has no content array`, line),
      );
    }
    if (line.length <= LOSSY_LIMIT && !isKeptWhole(line))
      this.#options.onFault(faultOf('LOSSY_JSON', 'warning', LOSSY, line));
    const blocks: unknown[] = Array.isArray(content) ? content : [];
    const schema = this.#schemas.check(tool, result);
    return {
      result,
      is_error: result.isError === true,
      content: blocks,
      structured,
      schema,
      wire,
      raw,
      elapsed_ms,
    };
  }

  async close(): Promise<CloseFacts> {
    const facts = await this.#line.transport.end();
    await this.#line.client.close();
    return facts;
  }

  killNow(): void {
    this.#line.transport.killNow();
  }

  stderrTail(): string {
    return this.#line.transport.stderrTail();
  }

  get #pageTimeoutMs(): number {
    return this.#options.pageTimeoutMs ?? this.#options.connectTimeoutMs;
  }

  async #page(page: number, cursor: string | null): Promise<CatalogPage> {
    const params = cursor === null ? {} : { cursor };
    const asked = ask(this.#line, 'tools/list', params, this.#pageTimeoutMs);
    const answer = await asked.catch((error: unknown) => {
      if (error instanceof ServerFailure) this.#passOn(error.raw);
      throw error;
    });
    const { tools } = answer.result;
    const { wire, raw, elapsed_ms } = answer;
    if (!Array.isArray(tools)) {
      this.#passOn(raw);
      throw fail(this.#line, 'PROTOCOL_ERROR', `page ${page} of tools/list has no tools array`, elapsed_ms, {
        wire,
        raw,
      });
    }
    this.#schemas.learn(tools);
    return { page, tools, next_cursor: this.#nextCursor(answer), wire, raw, elapsed_ms };
  }

  /** An exchange that became no page is messages like others. */
  #passOn(raw: RawExchange | undefined): void {
    if (raw === undefined) return;
    const { onPassing } = this.#options;
    onPassing?.({ direction: 'to_server', kind: 'request', method: 'tools/list', line: raw.request });
    if (raw.response !== null)
      onPassing?.({ direction: 'to_client', kind: 'response', method: null, line: raw.response });
  }

  /** An empty string is a cursor like any other; what is no string ends the listing. */
  #nextCursor({ result, line }: Answer): string | null {
    const cursor = result.nextCursor;
    if (typeof cursor === 'string') return cursor;
    if (cursor !== undefined && cursor !== null) {
      this.#options.onFault(
        faultOf('BAD_CURSOR', 'error', 'nextCursor is no string; the listing ends here', line),
      );
    }
    return null;
  }

  #endless(what: string): Error {
    this.#options.onFault(faultOf('PAGE_LOOP', 'error', `tools/list does not end: ${what}`, Buffer.alloc(0)));
    return fail(this.#line, 'PROTOCOL_ERROR', `tools/list does not end: ${what}`, 0);
  }
}

/** Whether JSON.parse keeps all that a line says. */
function isKeptWhole(line: Buffer): boolean {
  const text = line.toString('utf8');
  const parsed = jsonOf(text);
  return parsed === undefined || saysTheSame(text.trim(), JSON.stringify(parsed));
}
