import { posix } from 'node:path';
import type { Place } from '../journal/finding.ts';
import type { Cell, MapCell } from './cell.ts';
import { entryOf } from './cell.ts';
import { readDocument, type YamlDocument } from './document.ts';
import { nearest } from './near.ts';
import { type Binding, type Bindings, NO_BINDINGS, Reading } from './reading.ts';
import { anything, text } from './scalar-shapes.ts';
import { dictionary, field, map, type Shape } from './shape.ts';
import { placeOf, type Spot } from './source.ts';
import { versionField } from './version.ts';

/** Gives the text of a file, or undefined when there is none. Paths are those of `use`, from the using file's folder on. */
export type ReadFragment = (path: string) => string | undefined;

const DEEPEST = 8;
const MOST_USES = 300;

/** Keeps the fragments of one scenario, so that each is read once however many cases there are. */
export class FragmentShelf {
  readonly #read: ReadFragment;
  #uses = 0;
  readonly #documents = new Map<string, YamlDocument | undefined>();

  constructor(read: ReadFragment) {
    this.#read = read;
  }

  /** Begins a story: the count of uses starts again. */
  beginStory(): void {
    this.#uses = 0;
  }

  /**
   * Counts a use. Files that use each other under ever new paths would have no end.
   *
   * @returns why there can be no further one; undefined when there can
   */
  take(depth: number): string | undefined {
    this.#uses += 1;
    if (depth > DEEPEST) return `fragments are used within fragments more than ${DEEPEST} deep`;
    return this.#uses > MOST_USES ? `more than ${MOST_USES} fragments are used` : undefined;
  }

  document(path: string): YamlDocument | undefined {
    if (!this.#documents.has(path)) {
      const found = this.#read(path);
      this.#documents.set(path, found === undefined ? undefined : readDocument(found, path));
    }
    return this.#documents.get(path);
  }
}

const steps: Shape<Cell> = { read: (cell) => cell, json: () => ({ $ref: '#/definitions/steps' }) };

/** A file that `use` puts in. */
export const FRAGMENT = map('a fragment', {
  croupier: versionField,
  fragment: field('What it does, in one sentence.', text('a title'), true),
  parameters: field(
    'Its parameters, each with its default; without one, it must be given.',
    dictionary('a map of parameters', anything()),
  ),
  steps: field('What is done, in this order.', steps, true),
});

/** A fragment's steps, ready to be read with its parameters put in. */
export interface OpenFragment {
  readonly steps: Cell;
  readonly reading: Reading;
  /** Tells of parameters that nothing used; to be called once the steps are read. */
  complainUnused(): void;
}

/**
 * Opens the fragment that a `use` names.
 *
 * @param chain the files that are being read, the using one last
 * @returns undefined after a complaint
 */
export function openFragment(
  use: { readonly path: string; readonly spot: Spot; readonly arguments: MapCell | undefined },
  chain: readonly string[],
  shelf: FragmentShelf,
  reading: Reading,
): OpenFragment | undefined {
  const path = posix.join(posix.dirname(chain.at(-1) ?? '.'), use.path);
  if (chain.includes(path)) {
    reading.complain(
      use.spot,
      chain.at(-1) === path
        ? 'this fragment uses itself'
        : `this fragment is used within itself: ${[...chain.slice(chain.indexOf(path)), path].join(' → ')}`,
    );
    return undefined;
  }
  const refused = shelf.take(chain.length);
  if (refused) {
    reading.complain(use.spot, refused, 'make the fragments fewer, or flatter');
    return undefined;
  }
  const document = shelf.document(path);
  if (!document) {
    reading.complain(use.spot, `there is no file ${path}`, 'a path is relative to the file that says `use`');
    return undefined;
  }
  const usedFrom = placeOf(use.spot);
  const inside = new Reading(NO_BINDINGS, reading);
  for (const { line, column, endColumn, message, mend } of document.complaints) {
    const start = (document.source.lineStarts[line - 1] ?? 0) + column - 1;
    inside.complain({ source: document.source, start, end: start + endColumn - column, usedFrom }, message, mend);
  }
  if (!document.root) {
    if (document.complaints.length === 0) reading.complain(use.spot, `the file ${path} is empty`);
    return undefined;
  }
  const root = stamp(document.root, usedFrom);
  const whole = FRAGMENT.read(root, inside);
  if (!whole?.values.steps) return undefined;
  const parametersCell = root.kind === 'map' ? entryOf(root, 'parameters')?.value : undefined;
  const parameters = parametersCell?.kind === 'map' ? parametersCell : undefined;
  const bindings = bindParameters(parameters, use, reading);
  const bound = new Reading(bindings, reading);
  return {
    steps: whole.values.steps,
    reading: bound,
    complainUnused() {
      for (const entry of parameters?.entries ?? []) {
        if (bindings.get(entry.key)?.used === false)
          inside.complain(
            entry.keySpot,
            `nothing uses the parameter \`${entry.key}\``,
            `remove it, or use it as \${${entry.key}}`,
          );
      }
    },
  };
}

/** Every place of a fragment also tells where the fragment is used. */
function stamp(cell: Cell, usedFrom: Place): Cell {
  const spot = { ...cell.spot, usedFrom };
  switch (cell.kind) {
    case 'scalar':
    case 'broken':
      return { ...cell, spot };
    case 'list':
      return { ...cell, spot, items: cell.items.map((item) => stamp(item, usedFrom)) };
    case 'map': {
      const entries = cell.entries.map(({ key, keySpot, value }) => ({
        key,
        keySpot: { ...keySpot, usedFrom },
        value: stamp(value, usedFrom),
      }));
      return { ...cell, spot, entries };
    }
  }
}

function bindParameters(
  parameters: MapCell | undefined,
  use: { readonly spot: Spot; readonly arguments: MapCell | undefined },
  reading: Reading,
): Bindings {
  const bindings = new Map<string, Binding>();
  const known = parameters?.entries.map((entry) => entry.key) ?? [];
  for (const entry of use.arguments?.entries ?? []) {
    if (known.includes(entry.key)) continue;
    const near = nearest(entry.key, known);
    const help = known.length === 0 ? 'it has none' : `it has: ${known.join(', ')}`;
    reading.complain(
      entry.keySpot,
      `the fragment has no parameter \`${entry.key}\``,
      near ? `did you mean \`${near}\`?` : help,
    );
  }
  for (const { key, value: initial } of parameters?.entries ?? []) {
    const given = use.arguments && entryOf(use.arguments, key)?.value;
    const required = initial.kind === 'scalar' && initial.value === null;
    if (!given && required)
      reading.complain(use.spot, `the fragment's parameter \`${key}\` is not given`, `write with: { ${key}: … }`);
    const cell = given ?? initial;
    bindings.set(key, {
      cell: !given && required ? { kind: 'broken', spot: use.spot } : cell,
      scope: given ? reading.bindings : NO_BINDINGS,
      used: false,
    });
  }
  return bindings;
}
