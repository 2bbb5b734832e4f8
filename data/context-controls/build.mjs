// Builds snapshot.json and fields.json from @mdn/browser-compat-data; with --check compares and exits 1 on a difference.
import { readFileSync, writeFileSync } from 'node:fs';

const VERSION = '8.1.9';
const COUNT = 100;

/** Browsers with a field of their own, and how notes and histories call them. */
const BROWSERS = {
  chrome: 'Chrome',
  chrome_android: 'Chrome Android',
  edge: 'Edge',
  firefox: 'Firefox',
  firefox_android: 'Firefox for Android',
  safari: 'Safari',
  safari_ios: 'Safari on iOS',
};
const DESKTOP = ['chrome', 'edge', 'firefox', 'safari'];
const MOBILE = ['chrome_android', 'firefox_android', 'safari_ios'];

/** What a tool may return: every field of a record but `tracker`. */
const FIELDS = [
  ...['id', 'revision', 'name', 'group', 'spec', 'status', 'web_feature'],
  ...Object.keys(BROWSERS),
  ...['note', 'note_mobile', 'history', 'subfeatures', 'spec_url', 'mdn_url'],
];

const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ', '#39': "'" };

const files = { 'snapshot.json': snapshotText(), 'fields.json': `${JSON.stringify(FIELDS)}\n` };
if (process.argv.includes('--check')) check(files);
else write(files);

function write(texts) {
  for (const [name, text] of Object.entries(texts)) writeFileSync(new URL(name, import.meta.url), text);
}

function check(texts) {
  const differing = Object.keys(texts).filter(
    (name) => readFileSync(new URL(name, import.meta.url), 'utf8') !== texts[name],
  );
  for (const name of differing) console.error(`${name} differs from what build.mjs makes of ${VERSION}`);
  process.exitCode = differing.length > 0 ? 1 : 0;
}

/** The snapshot, one record a line, in the order of ids. */
function snapshotText() {
  const order = new Intl.Collator('en');
  const records = chosen(loadPackage())
    .map(([key, feature]) => recordOf(key, feature))
    .sort((a, b) => order.compare(a.id, b.id));
  if (records.length !== COUNT) throw new Error(`${records.length} features were chosen, ${COUNT} expected`);
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}

function loadPackage() {
  const data = JSON.parse(readFileSync(new URL(import.meta.resolve('@mdn/browser-compat-data')), 'utf8'));
  const found = data.__meta.version;
  if (found !== VERSION)
    throw new Error(`@mdn/browser-compat-data ${VERSION} is needed, ${found} is installed`);
  return data;
}

/** Pseudo-classes and pseudo-elements of elements that a specification defines and MDN documents by name. */
function chosen(data) {
  return Object.entries(data.css.selectors).filter(([, { __compat: compat }]) => {
    if (!compat?.spec_url || !compat.mdn_url || !compat.description) return false;
    return nameOf(compat).startsWith(':') && specOf(compat) !== 'css-page';
  });
}

function recordOf(key, feature) {
  const compat = feature.__compat;
  const name = nameOf(compat);
  const versions = Object.keys(BROWSERS).map((browser) => [
    browser,
    versionOf(statementsOf(compat, browser)),
  ]);
  const record = {
    id: `css.selectors.${key}`,
    revision: VERSION,
    name,
    group: name.startsWith('::') ? 'pseudo-element' : 'pseudo-class',
    spec: specOf(compat),
    status: statusOf(compat.status),
    web_feature: (compat.tags ?? []).map((tag) => tag.replace('web-features:', '')).join(' '),
    ...Object.fromEntries(versions),
    note: noteOf(compat, DESKTOP),
    note_mobile: noteOf(compat, MOBILE),
    history: historyOf(compat),
    subfeatures: subfeaturesOf(feature),
    spec_url: [compat.spec_url].flat().join(' '),
    mdn_url: compat.mdn_url,
    tracker: trackerOf(compat),
  };
  return Object.fromEntries(Object.entries(record).filter(([field, value]) => value || field === 'note'));
}

/** The selector as written in CSS: what the description marks as code. */
function nameOf(compat) {
  return plain(/<code>(.*?)<\/code>/.exec(compat.description)?.[1] ?? '');
}

/** The short name, without its level, of the specification that is listed first. */
function specOf(compat) {
  const url = new URL([compat.spec_url].flat()[0]);
  if (url.host === 'html.spec.whatwg.org') return 'html';
  return url.pathname.split('/').filter(Boolean).at(-1).replace(/-\d+$/, '');
}

function statusOf({ deprecated, experimental, standard_track: standard }) {
  if (deprecated) return 'deprecated';
  if (!standard) return 'non-standard';
  return experimental ? 'experimental' : 'standard';
}

function statementsOf(compat, browser) {
  return [compat.support[browser]].flat();
}

/** The first version that supports the feature by default, under its own name and still; else `no`. */
function versionOf(statements) {
  const current = statements.find((s) => !s.flags && !aliasOf(s) && !s.version_removed);
  if (!current || current.version_added === false) return 'no';
  if (typeof current.version_added !== 'string') throw new Error('a version is neither a string nor false');
  return current.version_added;
}

function aliasOf({ prefix, alternative_name: alternative }) {
  return alternative ? `as ${alternative}` : prefix && `with prefix ${prefix}`;
}

/** Every note, after the browsers that it is about; the same note is written once. */
function noteOf(compat, browsers) {
  const about = new Map();
  for (const browser of browsers) {
    for (const statement of statementsOf(compat, browser)) {
      for (const note of [statement.notes ?? []].flat().map(plain)) {
        about.set(note, [...(about.get(note) ?? []), headOf(browser, statement)]);
      }
    }
  }
  return [...about].map(([note, heads]) => `${heads.join('; ')}: ${note}`).join(' | ');
}

function headOf(browser, statement) {
  const partial = statement.partial_implementation && 'partial implementation';
  return [BROWSERS[browser], aliasOf(statement), partial].filter(Boolean).join(', ');
}

/** All support statements of the desktop browsers for which one version does not say everything. */
function historyOf(compat) {
  return DESKTOP.filter((browser) => {
    const [first, ...more] = statementsOf(compat, browser);
    return more.length > 0 || first.flags || first.partial_implementation || aliasOf(first);
  })
    .map((browser) => `${BROWSERS[browser]}: ${statementsOf(compat, browser).map(statementText).join(', ')}`)
    .join('; ');
}

function statementText(statement) {
  const { version_added: added, version_last: last, flags = [], partial_implementation: partial } = statement;
  return [
    last ? `${added} to ${last}` : `from ${added}`,
    aliasOf(statement),
    ...flags.map((flag) => `behind ${flag.name}`),
    partial && '(partial)',
  ]
    .filter(Boolean)
    .join(' ');
}

function subfeaturesOf(feature) {
  return Object.entries(feature)
    .filter(([key, child]) => key !== '__compat' && child.__compat)
    .map(([key, { __compat: compat }]) => {
      const versions = DESKTOP.map((b) => `${BROWSERS[b]} ${versionOf(statementsOf(compat, b))}`);
      return `${plain(compat.description ?? key)}: ${versions.join(', ')}`;
    })
    .join('; ');
}

/** Links to browsers' bug trackers, from `impl_url` and from notes, each once. */
function trackerOf(compat) {
  const statements = Object.keys(BROWSERS).flatMap((browser) => statementsOf(compat, browser));
  const links = statements.flatMap((s) => [s.impl_url ?? [], s.notes ?? []].flat(2));
  return [...new Set(links.join(' ').match(/https:\/\/(?:bugzil\.la|crbug\.com|webkit\.org\/b)\/\d+/g))].join(
    ' ',
  );
}

function plain(html) {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+|#39);/g, (whole, entity) => ENTITIES[entity] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
