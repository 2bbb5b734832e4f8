/** Which parts of a folder may have changed since they were last looked at. */
import { watch } from 'node:fs';
import { basename, join } from 'node:path';
import { systemCode } from '../../events/system-error.js';

/** With more changes than this at one time it is quicker to look at everything, and the system may drop some. */
const MOST_CHANGES = 256;

/** Why a single folder cannot be watched that others can be. */
const OWN_REASONS = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG'];

/** Watches one folder: `onEvent` gets the name of the entry that changed, `onEnd` is called where no more will come. */
export type WatchFolder = (
  folder: string,
  onEvent: (name: string | null) => void,
  onEnd: () => void,
) => { close(): void };

const watchFolder: WatchFolder = (folder, onEvent, onEnd) =>
  watch(folder, { persistent: false }, (_kind, name) => onEvent(name)).on('error', onEnd);

/**
 * Watches folders one by one, not recursively, so that the number of files does not matter. Keeps no process alive.
 * `complain` is told once, in words, where watching is not to be had.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #complain: (what: string) => void;
  readonly #watch: WatchFolder;
  readonly #watchers = new Map<string, ReturnType<WatchFolder>>();
  #changed = new Set<string>();
  #failed = false;

  constructor(root: string, complain: (what: string) => void, how: WatchFolder = watchFolder) {
    this.#root = root;
    this.#complain = complain;
    this.#watch = how;
  }

  /** Watches the entries of a folder; nothing where it is watched already. */
  add(folder: string): void {
    if (this.#failed || this.#watchers.has(folder)) return;
    try {
      const onEvent = (name: string | null) => this.#note(folder, name);
      const watcher = this.#watch(join(this.#root, folder), onEvent, () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const code = systemCode(error);
      if (!OWN_REASONS.includes(code)) this.#fail(code);
    }
  }

  /** Watches no longer what is not there. */
  keep(isThere: (folder: string) => boolean): void {
    for (const folder of this.#watchers.keys()) if (!isThere(folder)) this.#close(folder);
  }

  /** The paths that may have changed since this was last asked; null where it may be anything. */
  take(): ReadonlySet<string> | null {
    const changed = this.#changed;
    this.#changed = new Set();
    const mayBeAny = this.#failed || !this.#watchers.has('') || changed.size > MOST_CHANGES;
    return mayBeAny ? null : changed;
  }

  close(): void {
    this.keep(() => false);
  }

  #note(folder: string, name: string | null): void {
    // An event of the folder itself, moved or deleted, has its own name; its watcher may watch what is elsewhere now.
    if (name === null || name === basename(join(this.#root, folder))) this.#forget(folder);
    if (name !== null) this.#add(folder === '' ? name : `${folder}/${name}`);
  }

  #forget(folder: string): void {
    this.#close(folder);
    this.#add(folder);
  }

  #add(path: string): void {
    if (this.#changed.size <= MOST_CHANGES) this.#changed.add(path);
  }

  #close(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #fail(code: string): void {
    this.#failed = true;
    this.close();
    const advice = code === 'ENOSPC' ? '; fs.inotify.max_user_watches may be raised' : '';
    this.#complain(`folders cannot be watched (${code}): every call looks at all of them instead${advice}`);
  }
}
