/** A sound notes server on the SDK that most servers use, and the mistakes that authors make around it. */
import { fileURLToPath } from 'node:url';
import { program } from '../wire/stand-in.test.support.js';
import type { DoctorOptions, Examination } from './examine.js';
import { examine } from './examine.js';
import type { Finding } from './finding.js';

/** The project's root: from there the SDK is found. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SDK = '@modelcontextprotocol/sdk/server';

/** A server with one tool. `before` runs before anything is loaded, `after` once the transport is connected. */
export function notesServer({ before = '', after = '' } = {}): [string, ...string[]] {
  return program(`${before};
    (async () => {
      const { McpServer } = await import('${SDK}/mcp.js');
      const { StdioServerTransport } = await import('${SDK}/stdio.js');
      const instructions = 'Searches local Markdown notes about llamas. Use it when the user asks about their notes.';
      const server = new McpServer({ name: 'notes', version: '1.0.0' }, { instructions });
      const about = { description: 'Full-text search over llama notes; returns titles.', annotations: { readOnlyHint: true } };
      server.registerTool('search_notes', about, async () => ({ content: [{ type: 'text', text: 'Llamas hum.' }] }));
      await server.connect(new StdioServerTransport());
      ${after}
    })()`);
}

/** An examination that is quick, and otherwise as the command makes it. */
export function examined(
  argv: [string, ...string[]],
  more: Partial<DoctorOptions> = {},
): Promise<Examination> {
  const patient = {
    name: null,
    spec: { argv, env: {}, cwd: ROOT },
    outcomes: [],
    written: null,
    secrets: [],
  };
  return examine(patient, {
    ...{ launches: 1, timeoutMs: 20_000, probeMs: 10_000, graceMs: 500, wish: null },
    waits: { stdin_end_ms: 1000, sigterm_ms: 300 },
    ...{ signal: new AbortController().signal, onStep: () => undefined, ...more },
  });
}

/** The codes of the findings, worst first. */
export function codesOf({ findings }: Examination): string[] {
  return findings.map(({ code }) => code);
}

/** The finding with this code. */
export function found({ findings }: Examination, code: string): Finding {
  const finding = findings.find((each) => each.code === code);
  if (finding === undefined)
    throw new Error(`no ${code} among ${findings.map((each) => each.code).join(', ')}`);
  return finding;
}
