/** Compiles TypeScript, bundles the servers for a quick start, and writes the command manifest. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, must, ROOT } from './install.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');

/** Builds, unless everything is newer than its sources. */
export async function build() {
  install();
  if (isFresh()) return;
  removeOrphans();
  must(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', ROOT]);
  await bundleServers();
  await writeManifest();
  writeFileSync(STAMP, '');
}

/** Whether every source is older than the last whole build. */
function isFresh() {
  if (!existsSync(STAMP)) return false;
  const built = statSync(STAMP).mtimeMs;
  const sources = ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'scripts'];
  return sources.every((name) => newest(join(ROOT, name)) < built) && orphans().length === 0;
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Compiled files whose source is gone: a deleted test or command must not go on running. */
function orphans() {
  if (!existsSync(DIST)) return [];
  return readdirSync(DIST, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.js') || name.endsWith('.d.ts'))
    .filter((name) => !existsSync(join(ROOT, 'src', name.replace(/(\.d\.ts|\.js)$/, '.ts'))))
    .map((name) => join(DIST, name));
}

function removeOrphans() {
  for (const file of orphans()) rmSync(file);
}

/** What a host starts as a server has to be there at once: each in one file. */
async function bundleServers() {
  const { build: bundle } = await import('esbuild');
  const options = {
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  };
  await bundle({
    ...options,
    entryPoints: [join(DIST, 'server', 'records', 'entry.js')],
    outfile: join(DIST, 'records-server.mjs'),
    // The server kit's stand-ins for one platform, without the schema validator that these servers never use.
    alias: { '@modelcontextprotocol/server/_shims': join(DIST, 'server', 'records', 'shims.js') },
  });
  // Beside the modules that find the package's own folder by their place.
  await bundle({
    ...options,
    entryPoints: [join(DIST, 'server', 'notes', 'entry.js')],
    outfile: join(DIST, 'server', 'notes-server.mjs'),
    banner: { js: REQUIRE },
  });
  const parts = { tap: 'entry.js', 'tap-thread': 'thread.js' };
  for (const [name, file] of Object.entries(parts)) {
    const entryPoints = [join(DIST, 'host', 'tap', file)];
    const banner = { js: REQUIRE };
    await bundle({ ...options, entryPoints, outfile: join(DIST, 'host', `${name}.mjs`), banner });
  }
}

/** For packages that are no modules. */
const REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/** What the command framework would otherwise find out by loading every command at every start. */
async function writeManifest() {
  const { Config } = await import('@oclif/core');
  const file = join(ROOT, 'oclif.manifest.json');
  rmSync(file, { force: true });
  const config = await Config.load({ root: ROOT });
  const plugin = config.plugins.get(config.pjson.name);
  writeFileSync(file, `${JSON.stringify(plugin.manifest, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build();
  process.stderr.write(`built ${relative(process.cwd(), DIST) || DIST}\n`);
}

export function testFiles() {
  return readdirSync(DIST, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(DIST, name))
    .sort();
}
