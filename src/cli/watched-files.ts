import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';

/** An editor saves in several steps, and what it saves together is one change. */
const SETTLED_MS = 120;

/** What is looked after. */
export interface Watched {
  /** Folders of scenarios, with all that lie in them. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/**
 * Files by what is in them. The system only says that something has happened in a folder; what has changed is found by looking, so
 * that neither the ways of editors nor those of systems matter.
 */
export class WatchedFiles {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #watched: Watched;
  #known: ReadonlyMap<string, string>;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange hears that something may have changed, a moment after it did */
  constructor(watched: Watched, onChange: () => void) {
    this.#onChange = onChange;
    this.#watched = watched;
    this.#known = contentsOf(watched);
    this.#watchFolders();
  }

  get count(): number {
    return this.#known.size;
  }

  /** Looks after others from now on. */
  aim(watched: Watched): void {
    const before = this.#known;
    this.#watched = watched;
    // What has changed since it was looked at last is still to be told.
    this.#known = new Map([...contentsOf(watched)].map(([file, content]) => [file, before.get(file) ?? content]));
    this.#watchFolders();
  }

  /** What has been changed, added or removed since this was asked last. */
  takeChanges(): ReadonlySet<string> {
    const now = contentsOf(this.#watched);
    const files = new Set([...this.#known.keys(), ...now.keys()]);
    const changed = [...files].filter((file) => this.#known.get(file) !== now.get(file));
    this.#known = now;
    this.#watchFolders();
    return new Set(changed);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolders(): void {
    const wanted = new Set([
      ...this.#watched.folders.flatMap(foldersBelow),
      ...this.#watched.files.map((file) => path.dirname(file)),
    ]);
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (this.#watchers.has(folder) || !existsSync(folder)) continue;
      const watcher = watch(folder, () => this.#heard());
      // The folder is gone: the one above it says so.
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    }
  }

  #heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, SETTLED_MS);
  }
}

function isLeftAlone(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

function foldersBelow(folder: string): readonly string[] {
  return [
    folder,
    ...entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? foldersBelow(path.join(folder, entry.name)) : [])),
  ];
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isLeftAlone(name));
  } catch {
    return [];
  }
}

/** A digest of each file that is there. */
function contentsOf({ folders, files }: Watched): ReadonlyMap<string, string> {
  const inFolders = folders
    .flatMap(foldersBelow)
    .flatMap((folder) => entriesOf(folder).map((entry) => ({ entry, file: path.join(folder, entry.name) })))
    .filter(({ entry }) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
    .map(({ file }) => file);
  return new Map(
    [...new Set([...inFolders, ...files])].flatMap((file) => {
      const digest = digestOf(file);
      return digest === undefined ? [] : [[file, digest] as const];
    }),
  );
}

function digestOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}
