/** The direction of imports, and the one door by which each outside package enters. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url));

/** Which layers a layer may import. */
const MAY_IMPORT: Record<string, string[]> = {
  events: ['events'],
  study: ['study', 'events'],
  host: ['host', 'study', 'events'],
  server: ['server', 'study', 'events'],
  analysis: ['analysis', 'study', 'events'],
  cli: ['cli', 'analysis', 'host', 'study', 'events'],
  commands: ['commands', 'cli', 'analysis', 'host', 'server', 'study', 'events'],
};

/** Where an outside package may be imported: paths below src that begin so. */
const DOORS: Record<string, string[]> = {
  '@anthropic-ai/sdk': ['host/messages.ts'],
  '@modelcontextprotocol/client': ['host/'],
  '@modelcontextprotocol/server': ['server/'],
  '@modelcontextprotocol/sdk': ['server/notes/'],
  'node:child_process': ['host/'],
  '@duckdb/node-api': ['analysis/sql/'],
  '@oclif/core': ['commands/', 'cli/'],
  ajv: ['study/conform.ts', 'host/wire/output-schema.ts'],
  arquero: ['analysis/pairs.ts'],
  re2js: ['study/accept/pattern.ts'],
  'eventsource-parser': ['host/wire/sse.ts'],
  jsonata: ['host/scripted/'],
  'gpt-tokenizer': ['host/tokens.ts'],
  '@pydantic/genai-prices': ['host/prices.ts'],
};

interface Import {
  file: string;
  target: string;
}

function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
  return [...text.matchAll(pattern)].flatMap((match) => match[1] ?? []);
}

function allImports(): Import[] {
  const files = readdirSync(SOURCE, { recursive: true }).map(String);
  return files
    .filter((file) => file.endsWith('.ts') && !/\.test(\.support)?\.ts$/.test(file))
    .flatMap((file) =>
      importsOf(readFileSync(join(SOURCE, file), 'utf8')).map((target) => ({ file, target })),
    );
}

const layerOf = (file: string) => file.split('/')[0] ?? '';
const packageOf = (target: string) =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

function crossing({ file, target }: Import): boolean {
  if (!target.startsWith('.')) return false;
  const layer = layerOf(relative(SOURCE, join(SOURCE, dirname(file), target)));
  return !(MAY_IMPORT[layerOf(file)] ?? []).includes(layer);
}

function outsideItsDoor({ file, target }: Import): boolean {
  const doors = DOORS[packageOf(target)];
  return doors !== undefined && !doors.some((door) => file.startsWith(door));
}

describe('imports', () => {
  it('are found at all', () => {
    assert.ok(allImports().length > 100);
    assert.deepEqual(importsOf("import { a } from './a.js';\nconst b = await import('../b.js');"), [
      './a.js',
      '../b.js',
    ]);
  });

  it('go in one direction only', () => {
    assert.deepEqual(allImports().filter(crossing), []);
  });

  it('let each outside package in by one door', () => {
    assert.deepEqual(allImports().filter(outsideItsDoor), []);
  });

  it('would be caught where host met analysis, or the events met oclif', () => {
    assert.equal(crossing({ file: 'host/a.ts', target: '../analysis/b.js' }), true);
    assert.equal(outsideItsDoor({ file: 'events/a.ts', target: '@oclif/core' }), true);
  });
});
