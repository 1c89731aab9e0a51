import { posix } from 'node:path';
import type { Place } from '../journal/finding.ts';
import { type Binding, type Bindings, NO_BINDINGS, Reading } from './reading.ts';
import { anything, text, version } from './shapes/scalar-shapes.ts';
import { dictionary, field, map, type Shape } from './shapes/shape.ts';
import { suggestion } from './synonyms.ts';
import { readDocument, type YamlDocument } from './yaml/document.ts';
import { placeOf, type Range } from './yaml/source.ts';
import { entryOf, type MapNode, type YamlNode } from './yaml/yaml-node.ts';

/**
 * Reads the text of a fragment file. Returns undefined if the file does not exist. The path is relative to the folder of the
 * scenario file.
 */
export type ReadFragment = (path: string) => string | undefined;

const MAX_DEPTH = 8;
const MAX_USES = 300;

/** Keeps the fragments of one scenario, so that each file is read only once for all cases. */
export class FragmentCache {
  readonly #read: ReadFragment;
  #uses = 0;
  readonly #documents = new Map<string, YamlDocument | undefined>();

  constructor(read: ReadFragment) {
    this.#read = read;
  }

  /** Starts the next case. Its uses of fragments are counted from 0. */
  startCase(): void {
    this.#uses = 0;
  }

  /**
   * Counts a use of a fragment, because the number of uses is limited. Without this limit, files that use each other under
   * different paths would be read forever.
   *
   * @returns the reason why no further use is allowed; undefined if the use is allowed
   */
  countUse(depth: number): string | undefined {
    this.#uses += 1;
    if (depth > MAX_DEPTH) return `fragments are nested in more than ${MAX_DEPTH} levels`;
    return this.#uses > MAX_USES ? `more than ${MAX_USES} fragments are used` : undefined;
  }

  document(path: string): YamlDocument | undefined {
    if (!this.#documents.has(path)) {
      const found = this.#read(path);
      this.#documents.set(path, found === undefined ? undefined : readDocument(found, path));
    }
    return this.#documents.get(path);
  }
}

const steps: Shape<YamlNode> = { read: (node) => node, json: () => ({ $ref: '#/definitions/steps' }) };

/** A file with steps that a scenario inserts with `use`. */
export const FRAGMENT = map('a fragment', {
  croupier: field('The version of the scenario language.', version),
  fragment: field('The purpose of the fragment, in one sentence.', text('a title'), true),
  parameters: field(
    'The parameters of the fragment, each with its default. A parameter without a default is required.',
    dictionary('a map of parameters', anything()),
  ),
  steps: field('The steps of the fragment, in the order in which they are played.', steps, true),
});

/** The steps of a fragment, and the `Reading` that inserts the values of the fragment's parameters into these steps. */
export interface OpenFragment {
  readonly steps: YamlNode;
  readonly reading: Reading;
  /** Reports parameters that no step uses. Must be called after the steps were read. */
  reportUnused(): void;
}

/**
 * Opens the fragment file that a `use` step names.
 *
 * @param chain the files that are being read; the file that contains the `use` is the last one
 * @returns undefined if a mistake was reported
 */
export function openFragment(
  use: { readonly path: string; readonly range: Range; readonly arguments: MapNode | undefined },
  chain: readonly string[],
  cache: FragmentCache,
  reading: Reading,
): OpenFragment | undefined {
  const path = posix.join(posix.dirname(chain.at(-1) ?? '.'), use.path);
  if (chain.includes(path)) {
    reading.report(
      use.range,
      chain.at(-1) === path
        ? 'this fragment uses itself'
        : `this fragment is used within itself: ${[...chain.slice(chain.indexOf(path)), path].join(' → ')}`,
    );
    return undefined;
  }
  const refused = cache.countUse(chain.length);
  if (refused) {
    reading.report(use.range, refused, 'use fewer fragments, or fewer levels of fragments');
    return undefined;
  }
  const document = cache.document(path);
  if (!document) {
    reading.report(
      use.range,
      `there is no file ${path}`,
      'write the path relative to the file that contains this `use`',
    );
    return undefined;
  }
  const usedFrom = placeOf(use.range);
  const inside = new Reading(NO_BINDINGS, reading);
  for (const { line, column, endColumn, message, fix } of document.diagnostics) {
    const start = (document.source.lineStarts[line - 1] ?? 0) + column - 1;
    inside.report({ source: document.source, start, end: start + endColumn - column, usedFrom }, message, fix);
  }
  if (!document.root) {
    if (document.diagnostics.length === 0) reading.report(use.range, `the file ${path} is empty`);
    return undefined;
  }
  const root = withUsePlace(document.root, usedFrom);
  const whole = FRAGMENT.read(root, inside);
  if (!whole?.values.steps) return undefined;
  const parametersNode = root.kind === 'map' ? entryOf(root, 'parameters')?.value : undefined;
  const parameters = parametersNode?.kind === 'map' ? parametersNode : undefined;
  const bindings = bindParameters(parameters, use, reading);
  const bound = new Reading(bindings, reading);
  return {
    steps: whole.values.steps,
    reading: bound,
    reportUnused() {
      for (const entry of parameters?.entries ?? []) {
        if (bindings.get(entry.key)?.used === false)
          inside.report(
            entry.keyRange,
            `nothing uses the parameter \`${entry.key}\``,
            `remove the parameter, or use it as \${${entry.key}}`,
          );
      }
    },
  };
}

/** Adds the place of the `use` step to every place of a fragment. */
function withUsePlace(node: YamlNode, usedFrom: Place): YamlNode {
  const range = { ...node.range, usedFrom };
  switch (node.kind) {
    case 'scalar':
    case 'broken':
      return { ...node, range };
    case 'list':
      return { ...node, range, items: node.items.map((item) => withUsePlace(item, usedFrom)) };
    case 'map': {
      const entries = node.entries.map(({ key, keyRange, value }) => ({
        key,
        keyRange: { ...keyRange, usedFrom },
        value: withUsePlace(value, usedFrom),
      }));
      return { ...node, range, entries };
    }
  }
}

function bindParameters(
  parameters: MapNode | undefined,
  use: { readonly range: Range; readonly arguments: MapNode | undefined },
  reading: Reading,
): Bindings {
  const bindings = new Map<string, Binding>();
  const known = parameters?.entries.map((entry) => entry.key) ?? [];
  for (const entry of use.arguments?.entries ?? []) {
    if (known.includes(entry.key)) continue;
    const near = suggestion(entry.key, known);
    const help =
      known.length === 0 ? 'this fragment has no parameters' : `this fragment has the parameters: ${known.join(', ')}`;
    reading.report(
      entry.keyRange,
      `the fragment has no parameter \`${entry.key}\``,
      near ? `did you mean \`${near}\`?` : help,
    );
  }
  for (const { key, value: initial } of parameters?.entries ?? []) {
    const given = use.arguments && entryOf(use.arguments, key)?.value;
    const required = initial.kind === 'scalar' && initial.value === null;
    if (!given && required)
      reading.report(use.range, `the fragment's parameter \`${key}\` is not given`, `write with: { ${key}: … }`);
    const node = given ?? initial;
    bindings.set(key, {
      node: !given && required ? { kind: 'broken', range: use.range } : node,
      scope: given ? reading.bindings : NO_BINDINGS,
      used: false,
    });
  }
  return bindings;
}
