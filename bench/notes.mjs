/**
 * The notes server over 20,000 notes, as ratios within one run: indexing against reading the same files and counting
 * their words in one map; a search against looking through all texts in memory; and its start, with few notes, against
 * a bare Node process. Exits 1 where one of them misses its goal, 2 where it was not built.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

const NOTES = 20_000;
const FOLDERS = 100;
const WORDS = 300;
const VOCABULARY = 60_000;
const ROUNDS = 3;
const STARTS = 9;
const QUERIES = 100;
const MOST_INDEXING = 6;
const LEAST_SEARCH = 10;
const MOST_START = 4;

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const generator = xoroshiro128plus(4);
/** A number from 0 to below 1. */
const random = () => (generator.next() >>> 0) / 2 ** 32;

if (existsSync(path('dist/server/notes-server.mjs'))) await compare();
else {
  console.error('dist/server/notes-server.mjs is missing: run `npm run build` first');
  process.exitCode = 2;
}

async function compare() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'measure-bench-')));
  const root = join(place, 'notes');
  const texts = writeNotes(root);
  const times = { count: [], index: [], look: [], search: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.count.push(countWords(texts.map(({ file }) => file)));
    const { notes, elapsed } = await indexed(root);
    times.index.push(elapsed);
    for (const query of queries(texts)) {
      times.look.push(lookThrough(texts, query));
      times.search.push(await searchFor(notes, query));
    }
    notes.close();
  }
  const few = join(place, 'few');
  mkdirSync(few);
  for (let at = 0; at < 7; at += 1) writeFileSync(join(few, `${at}.md`), texts[at].text);
  const starts = await timeStarts({ few, root });
  rmSync(place, { recursive: true });
  report(times, starts);
}

function report(times, starts) {
  const [count, index] = [median(times.count), median(times.index)];
  const [look, search] = [median(times.look), median(times.search)];
  const indexing = index / count;
  const searching = look / search;
  const starting = starts.few / starts.bare;
  show(count, 'ms', `to read ${NOTES} files and count their words in one map, median of ${ROUNDS}`);
  show(index, 'ms', `to index them; ${Math.round(process.memoryUsage.rss() / 1e6)} MB in all afterwards`);
  show(indexing, '×', `at most ${MOST_INDEXING} is wanted`, 2);
  show(look, 'ms', `to look for three words through all texts, median of ${times.look.length}`, 2);
  show(search, 'ms', 'for a search of three words, with the snippets of ten notes', 2);
  show(searching, '×', `faster; at least ${LEAST_SEARCH} is wanted`, 2);
  show(starts.bare, 'ms', `for a bare node process to start and end, median of ${STARTS}`);
  show(starts.few, 'ms', 'from spawn to the reply to initialize, with 7 notes');
  show(starts.root, 'ms', `with ${NOTES} notes`);
  show(starting, '×', `of a bare start with 7 notes; at most ${MOST_START} is wanted`, 2);
  if (indexing > MOST_INDEXING || searching < LEAST_SEARCH || starting > MOST_START) process.exitCode = 1;
}

function show(value, unit, words, digits = 0) {
  console.log(`${value.toFixed(digits).padStart(7)} ${unit.padEnd(2)}  ${words}`);
}

/** Writes notes of 90 to 510 words, of which few are frequent and many are rare, as in any language. */
function writeNotes(root) {
  const word = () => `w${Math.floor(VOCABULARY ** random()).toString(36)}`;
  const words = (count) => Array.from({ length: count }, word).join(' ');
  for (let at = 0; at < FOLDERS; at += 1) mkdirSync(join(root, `folder ${at}`), { recursive: true });
  return Array.from({ length: NOTES }, (_, at) => {
    const title = words(4);
    const body = words(Math.round(WORDS * (0.3 + 1.4 * random()))).replaceAll(/((?:\S+ ){12})/g, '$1\n');
    const text = `---\ntitle: ${title}\ntags: [a, b]\n---\n# ${title}\n\n${body}\n\n\`\`\`sh\nllama.cpp --ctx-size ${at}\n\`\`\`\n`;
    const file = join(root, `folder ${at % FOLDERS}`, `note ${at}.md`);
    writeFileSync(file, text);
    return { file, text };
  });
}

/** Milliseconds of what no index can do without. */
function countWords(files) {
  const begun = performance.now();
  const counts = new Map();
  for (const file of files) {
    for (const word of readFileSync(file, 'utf8').match(/[\p{L}\p{N}]+/gu))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return performance.now() - begun;
}

async function indexed(root) {
  const { Notes } = await import(path('dist/server/notes/notes.js'));
  const begun = performance.now();
  const notes = new Notes(root, console.error);
  if ((await notes.index()) !== NOTES) throw new Error('not all notes were indexed');
  return { notes, elapsed: performance.now() - begun };
}

/** Three words that stand one after another in some note. */
function queries(texts) {
  return Array.from({ length: QUERIES }, () => {
    const words = texts[Math.floor(random() * NOTES)].text.match(/\bw\w+/g);
    return words.slice(20, 23);
  });
}

function lookThrough(texts, words) {
  const begun = performance.now();
  const found = texts.filter(({ text }) => words.some((word) => text.includes(word)));
  if (found.length === 0) throw new Error('nothing was found');
  return performance.now() - begun;
}

async function searchFor(notes, words) {
  const begun = performance.now();
  const found = await notes.search(words.join(' '), 10);
  if (found.length === 0) throw new Error('nothing was found');
  return performance.now() - begun;
}

/** Medians of a bare start, and of the server's with each folder, interleaved. */
async function timeStarts(folders) {
  const times = { bare: [] };
  for (let round = 0; round < STARTS; round += 1) {
    times.bare.push(await timeToEnd(['-e', '0']));
    for (const [name, folder] of Object.entries(folders)) {
      times[name] ??= [];
      times[name].push(await timeToReply([path('bin/run.js'), 'serve', 'notes', folder]));
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

async function timeToEnd(args) {
  const begun = performance.now();
  await closed(spawn(process.execPath, args, { stdio: 'ignore' }));
  return performance.now() - begun;
}

/** Milliseconds from spawn to the reply to `initialize`; the process has ended when this resolves. */
async function timeToReply(args) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = closed(child);
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const elapsed = performance.now() - begun;
  child.stdin.end();
  await ended;
  return elapsed;
}

function closed(child) {
  return new Promise((resolve) => child.once('close', resolve));
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}
