import { existsSync, type Stats } from 'node:fs';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

/** A save counts as complete when the file has not changed for this many milliseconds. Editors save a file in several steps. */
const SETTLED_MS = 120;

/** The files and folders to watch. Their paths are absolute, and need not exist yet. */
export interface Watched {
  /** Folders of scenarios. The YAML files in them and in their subfolders are watched. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** The environment of the watch. */
export interface WatchedFilesOptions {
  /** The working directory, which is always watched for new files. */
  readonly cwd: string;
  /** Is called when files have changed and no further change follows for a moment. */
  readonly onChange: () => void;
  /** Is called with an error of the system. After such an error, croupier may miss some changes. */
  readonly onError: (error: Error) => void;
}

/** Notices which files are changed, added or removed. */
export class WatchedFiles {
  readonly #options: WatchedFilesOptions;
  readonly #changed = new Set<string>();
  #watching: Watching;
  #timer: NodeJS.Timeout | undefined;

  constructor(watched: Watched, options: WatchedFilesOptions) {
    this.#options = options;
    this.#watching = this.#watch(watched);
  }

  /** Waits until all existing files are found. Returns the number of watched files. */
  async count(): Promise<number> {
    await this.#watching.ready;
    return this.#watching.known.size;
  }

  /** Changes which files are watched. Changes that were noticed before are kept. */
  async aim(watched: Watched): Promise<void> {
    const before = this.#watching;
    if (isSame(before.watched, watched)) return;
    this.#watching = this.#watch(watched);
    await this.#watching.ready;
    await before.watcher.close();
  }

  /** Returns the files that were changed, added or removed since the last call. */
  takeChanges(): ReadonlySet<string> {
    const changed = new Set(this.#changed);
    this.#changed.clear();
    return changed;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watching.watcher.close();
  }

  #watch(watched: Watched): Watching {
    const { cwd, onError } = this.#options;
    // If a watched file is removed, its watcher ends. So croupier watches the folder of the file instead.
    const watcher = watch(rootsOf(watched, cwd), { ignored: (place, stats) => !isWatched(place, stats, watched) });
    const known = new Set<string>();
    let isReady = false;
    const ready = new Promise<void>((resolve) => {
      watcher.once('ready', () => {
        isReady = true;
        resolve();
      });
    });
    watcher
      .on('add', (file) => {
        known.add(file);
        // Before it is ready, chokidar reports every existing file as added.
        if (isReady) this.#note(file);
      })
      .on('change', (file) => this.#note(file))
      .on('unlink', (file) => {
        known.delete(file);
        this.#note(file);
      })
      .on('error', (error) => onError(error instanceof Error ? error : new Error(String(error))));
    return { watched, watcher, known, ready };
  }

  #note(file: string): void {
    this.#changed.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#options.onChange, SETTLED_MS);
  }
}

interface Watching {
  readonly watched: Watched;
  readonly watcher: FSWatcher;
  readonly known: Set<string>;
  readonly ready: Promise<void>;
}

function isSame(one: Watched, other: Watched): boolean {
  return JSON.stringify([one.folders, one.files]) === JSON.stringify([other.folders, other.files]);
}

/** Returns existing folders that contain all watched files and folders. chokidar starts from them. */
function rootsOf({ folders, files }: Watched, cwd: string): string[] {
  const roots = [...folders, ...files].map((place) => {
    if (isWithin(place, cwd)) return cwd;
    let root = path.dirname(place);
    while (!existsSync(root)) root = path.dirname(root);
    return root;
  });
  return [...new Set(roots)];
}

/** True if a path is watched. @param given a path from chokidar, which uses slashes on every system */
function isWatched(given: string, stats: Stats | undefined, { folders, files }: Watched): boolean {
  const place = path.normalize(given);
  // The path is a watched file or folder, or a folder that contains one.
  if ([...folders, ...files].some((one) => isWithin(one, place))) return true;
  const folder = folders.find((one) => isWithin(place, one));
  if (folder === undefined) return false;
  const isHidden = path
    .relative(folder, place)
    .split(path.sep)
    .some((name) => name.startsWith('.') || name === 'node_modules');
  return !isHidden && (stats?.isFile() !== true || /\.ya?ml$/.test(place));
}

function isWithin(place: string, folder: string): boolean {
  const relative = path.relative(folder, place);
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}
