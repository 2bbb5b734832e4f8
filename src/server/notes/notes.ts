/** The notes of a folder: found, indexed, kept up to date while they are asked for, and read. */
import { setImmediate } from 'node:timers/promises';
import { LeftOut } from './left-out.js';
import { type Note, parseNote, textOf, withoutEnding } from './note.js';
import { type Content, readFile } from './read-file.js';
import { inWords, Refusal, refusedRead, unknownNote } from './refusal.js';
import { isWithin, scan, stateOf } from './scan.js';
import { inSlices } from './slices.js';
import { snippetOf } from './snippet.js';
import { FolderWatch, type WatchFolder } from './watch.js';
import { WordIndex } from './word-index.js';
import { queryTerms } from './words.js';

/** What a search gives of a note. */
export interface FoundNote {
  path: string;
  title: string;
  score: number;
  snippet: string;
}

/** So long notes are indexed on after the client has gone: a small folder is always indexed. */
const GRACE_MS = 250;
/** All is looked at again after so long, for what no event told, and so seldom that it takes 1 % of the time. */
const LOOK_AGAIN_MS = 10_000;
const LOOK_AGAIN_SHARE = 100;
/** A file that changed so shortly before it was read may change again and keep its time stamp. */
const STAMP_MS = 100;

/** One folder of notes. `root` is its real path; `complain` takes lines for people. */
export class Notes {
  readonly #root: string;
  readonly #complain: (line: string) => void;
  readonly #watch: FolderWatch;
  readonly #leftOut = new LeftOut();
  readonly #index = new WordIndex();
  /** Every note that is there, and the state in which it was last seen. */
  readonly #states = new Map<string, string>();
  readonly #unread = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #lookedAt = 0;
  #lookTook = 0;
  #waiting = 0;
  #closed = false;

  /** Looks at all names; reads nothing. */
  constructor(root: string, complain: (line: string) => void, how?: WatchFolder) {
    this.#root = root;
    this.#watch = new FolderWatch(root, complain, how);
    this.#complain = complain;
    this.#lookAtAll();
  }

  /** How many notes there are. */
  get count(): number {
    return this.#states.size;
  }

  /** Reads every note, with pauses in which messages are answered. Gives how many are indexed; null if closed before. */
  async index(): Promise<number | null> {
    this.#work = this.#readNew();
    await this.#work;
    return this.#unread.size === 0 ? this.#index.size : null;
  }

  /** The `limit` best notes for a query, as they are now, best first. Throws a `Refusal` where it has no word. */
  async search(query: string, limit: number): Promise<FoundNote[]> {
    const terms = queryTerms(query);
    if (terms.length === 0) throw new Refusal('the query has no word: give letters or digits to look for');
    await this.#refreshed();
    const weights = new Map(terms.map((term) => [term, this.#index.weight(term)]));
    return this.#index.rank(terms, limit).flatMap(({ path, score }) => {
      const content = readFile(this.#root, path);
      if ('why' in content) return [];
      const note = parsed(path, content.bytes);
      if (note instanceof Error) return [];
      return [{ path, title: note.title, score, snippet: snippetOf(note.body, weights) }];
    });
  }

  /** The whole text of a note, as it is now. Throws a `Refusal` for anything but a note of this folder. */
  async read(asked: string): Promise<string> {
    if (!this.#states.has(asked)) await this.#refreshed();
    const path = this.#states.has(asked) ? asked : this.#sameName(asked);
    if (path === undefined) throw unknownNote(asked, this.#leftOut.reason(asked));
    const content = readFile(this.#root, path);
    if ('why' in content) throw refusedRead(path, content);
    return textOf(content.bytes);
  }

  /** Watches no longer; soon stops to index unless a call waits for it. */
  close(): void {
    this.#closed = true;
    this.#watch.close();
  }

  /** The note whose name has the same letters, however their accents are encoded. */
  #sameName(asked: string): string | undefined {
    const name = asked.normalize();
    return [...this.#states.keys()].find((path) => path.normalize() === name);
  }

  /** Resolves once all that changed before this call is indexed. */
  async #refreshed(): Promise<void> {
    const refresh = () => this.#refresh();
    this.#waiting += 1;
    this.#work = this.#work.then(refresh, refresh);
    await this.#work.finally(() => {
      this.#waiting -= 1;
    });
  }

  async #refresh(): Promise<void> {
    // By then the events of all that happened before are here.
    await setImmediate();
    const changed = this.#watch.take();
    const patience = Math.max(LOOK_AGAIN_MS, LOOK_AGAIN_SHARE * this.#lookTook);
    if (changed === null || performance.now() - this.#lookedAt > patience) this.#lookAtAll();
    else for (const path of changed) this.#look(path);
    await this.#readNew();
  }

  #lookAtAll(): void {
    const begun = performance.now();
    this.#look('');
    this.#lookedAt = performance.now();
    this.#lookTook = this.#lookedAt - begun;
  }

  /** Finds out what is new, changed and gone at a path and below it. */
  #look(path: string): void {
    const folders = new Set<string>();
    const { notes, leftOut } = scan(this.#root, path, (folder) => {
      folders.add(folder);
      this.#watch.add(folder);
    });
    this.#watch.keep((folder) => folders.has(folder) || !isWithin(folder, path));
    for (const known of this.#knownWithin(path)) if (!notes.has(known)) this.#drop(known);
    for (const [note, state] of notes) {
      if (this.#states.get(note) !== state) this.#unread.add(note);
      this.#states.set(note, state);
    }
    this.#leftOut.replace(path, leftOut);
  }

  #knownWithin(path: string): string[] {
    if (this.#states.has(path)) return [path];
    return [...this.#states.keys()].filter((known) => isWithin(known, path));
  }

  #drop(path: string): void {
    this.#states.delete(path);
    this.#unread.delete(path);
    this.#index.delete(path);
  }

  async #readNew(): Promise<void> {
    const isWanted = (elapsed: number) => !this.#closed || this.#waiting > 0 || elapsed < GRACE_MS;
    await inSlices(this.#unread, (path) => this.#readOne(path), isWanted);
    this.#leftOut.tell(this.#complain);
  }

  #readOne(path: string): void {
    const content = readFile(this.#root, path);
    this.#unread.delete(path);
    if (!('why' in content)) this.#take(path, content);
    else if (content.why === 'gone') this.#drop(path);
    else this.#leave(path, inWords(content));
  }

  #take(path: string, { bytes, stat }: Content): void {
    const note = parsed(path, bytes);
    if (note instanceof Error) {
      this.#leave(path, `it cannot be taken apart (${note.message})`);
      return;
    }
    this.#index.set(path, { title: note.title, text: `${note.body}\n${withoutEnding(path)}` });
    const isRecent = Date.now() - stat.ctimeMs < STAMP_MS;
    this.#states.set(path, isRecent ? 'recent' : stateOf(stat));
  }

  #leave(path: string, why: string): void {
    this.#index.delete(path);
    this.#leftOut.add(path, why);
  }
}

/** A note; or an error, told of like any file that is left out: one odd file must not end the server. */
function parsed(path: string, bytes: Uint8Array): Note | Error {
  try {
    return parseNote(path, textOf(bytes));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
