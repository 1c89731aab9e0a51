import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { BrokenCell, Cell, Entry } from './cell.ts';
import { type Complaint, complaintAt } from './complaint.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { firstLine, placeAt, type Source, type Spot, toSource } from './source.ts';
import { quoteUnquoted } from './unquoted.ts';

/** More aliases than this are taken for an attack on memory. */
const MOST_ALIASES = 100;
const DEEPEST = 60;

/** A YAML text as cells. Without a root when its syntax is broken, or when there is nothing in it. */
export interface YamlDocument {
  readonly source: Source;
  readonly root: Cell | undefined;
  readonly complaints: readonly Complaint[];
}

/**
 * Reads YAML 1.2 with what scenarios don't use left out: no merge keys, no tags, one document. Complains about syntax, double
 * keys, and unquoted `${…}` inside braces.
 */
export function readDocument(text: string, file: string): YamlDocument {
  const source = toSource(file, text);
  const root = readPlainYaml(source);
  return root ? { source, root, complaints: [] } : readWholeYaml(source);
}

/** The same, by a parser that knows all of YAML. */
export function readWholeYaml(source: Source): YamlDocument {
  const { text } = source;
  const { text: mended, found } = quoteUnquoted(text);
  const complaints = found.map(({ start, end, text: value }) =>
    complaintAt(
      { source, start, end },
      'inside { } or [ ], `${…}` must be quoted',
      `write "${value.replaceAll('"', "'")}"`,
    ),
  );
  const document = parseDocument(mended, {
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    logLevel: 'error',
  });
  const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    complaints.push(...syntaxComplaints(errors, source));
    return { source, root: undefined, complaints };
  }
  if (document.contents === null || text.trim() === '') return { source, root: undefined, complaints };
  const broken = new Set(found.map((unquoted) => unquoted.start));
  const converter = new Converter(source, document, broken, complaints);
  return { source, root: converter.cell(document.contents, { source, start: 0, end: 1 }, 0), complaints };
}

class Converter {
  readonly #source: Source;
  readonly #document: ReturnType<typeof parseDocument>;
  readonly #broken: ReadonlySet<number>;
  readonly #complaints: Complaint[];
  #aliases = 0;

  constructor(
    source: Source,
    document: ReturnType<typeof parseDocument>,
    broken: ReadonlySet<number>,
    complaints: Complaint[],
  ) {
    this.#source = source;
    this.#document = document;
    this.#broken = broken;
    this.#complaints = complaints;
  }

  /** @param around where to point when the node itself takes no room */
  cell(node: Node | null | undefined, around: Spot, depth: number): Cell {
    if (!node) return { kind: 'scalar', value: null, written: '', spot: around };
    const spot = this.#spotOf(node, around);
    if (depth > DEEPEST) return this.#refuse(spot, 'this is nested too deeply');
    if (isAlias(node)) {
      this.#aliases += 1;
      if (this.#aliases === MOST_ALIASES + 1)
        this.#refuse(spot, `more than ${MOST_ALIASES} aliases`, 'use a fragment, `cases` or `times` instead');
      if (this.#aliases > MOST_ALIASES) return { kind: 'broken', spot };
      const target = node.resolve(this.#document);
      return target ? this.cell(target, spot, depth + 1) : this.#refuse(spot, ...ALIAS_OF_NOTHING);
    }
    if (isScalar(node)) return this.#scalar(node, spot);
    if (isMap(node)) return { kind: 'map', spot, entries: this.#entries(node, spot, depth) };
    if (isSeq(node)) {
      return {
        kind: 'list',
        spot,
        items: node.items.map((item) => this.cell(item as Node | null, this.#dashOf(item, spot), depth + 1)),
      };
    }
    return { kind: 'broken', spot };
  }

  #entries(node: YAMLMap, around: Spot, depth: number): Entry[] {
    const entries: Entry[] = [];
    const seen = new Map<string, Spot>();
    for (const pair of node.items) {
      const keyNode = isAlias(pair.key) ? pair.key.resolve(this.#document) : pair.key;
      const keySpot = this.#spotOf(pair.key as Node, around);
      if (!isScalar(keyNode)) {
        this.#refuse(keySpot, 'a key must be a plain word');
        continue;
      }
      const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? String(keyNode.value));
      const first = seen.get(key);
      if (key === '<<') {
        this.#refuse(
          keySpot,
          'merge keys (`<<`) are not part of YAML 1.2 and do nothing here',
          'use a fragment, or write the keys out',
        );
      } else if (first) {
        const { line } = placeAt(this.#source, first.start);
        this.#refuse(keySpot, `\`${key}\` stands here twice, first in line ${line}`, 'remove one of them');
      } else {
        seen.set(key, keySpot);
        entries.push({ key, keySpot, value: this.cell(pair.value as Node | null, keySpot, depth + 1) });
      }
    }
    return entries;
  }

  #scalar(node: Scalar, spot: Spot): Cell {
    if (this.#broken.has(spot.start)) return { kind: 'broken', spot };
    const { value } = node;
    if (typeof value === 'string') {
      const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
      const textStart = spot.start + quoted;
      const same =
        this.#source.text.startsWith(value, textStart) && spot.end - spot.start === value.length + 2 * quoted;
      return { kind: 'scalar', value, written: value, spot, ...(same && { textStart }) };
    }
    const plain = typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', value: plain, written: node.source ?? String(value), spot };
  }

  /** The dash of an item, for one that takes no room. */
  #dashOf(item: unknown, around: Spot): Spot {
    const at = isScalar(item) && item.range ? this.#source.text.lastIndexOf('-', item.range[0]) : -1;
    return at < around.start ? around : { source: this.#source, start: at, end: at + 1 };
  }

  #spotOf(node: Node, around: Spot): Spot {
    const range = node.range;
    if (!range || range[1] <= range[0]) return around;
    if (isCollection(node) && node.flow !== true) return firstLine(this.#source, range[0]);
    return { source: this.#source, start: range[0], end: range[1] };
  }

  #refuse(spot: Spot, message: string, mend?: string): BrokenCell {
    this.#complaints.push(complaintAt(spot, message, mend));
    return { kind: 'broken', spot };
  }
}

/** One complaint a line: what follows in the same line comes of the same mistake. */
function syntaxComplaints(errors: readonly YAMLError[], source: Source): Complaint[] {
  const lines = new Set<number>();
  const complaints: Complaint[] = [];
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const start = Math.min(error.pos[0], Math.max(0, source.text.length - 1));
    const { line } = placeAt(source, start);
    if (lines.has(line)) continue;
    lines.add(line);
    const [message, mend] = inPlainWords(error);
    complaints.push(complaintAt({ source, start, end: Math.max(error.pos[1], start + 1) }, message, mend));
  }
  return complaints;
}

const ALIAS_OF_NOTHING = [
  'this alias names no anchor of the file',
  'a text that begins with * must be quoted',
] as const;

const PLAIN_WORDS: Readonly<Partial<Record<YAMLError['code'], readonly [message: string, mend: string]>>> = {
  TAB_AS_INDENT: ['a tab where YAML wants spaces', 'indent with spaces'],
  BAD_INDENT: ['this line is indented differently from its neighbours', 'keys of one map begin in the same column'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a map cannot begin in the middle of this line',
    'put text that holds `: ` in quotes, or check the indentation',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'a key must stand in one line, with a colon behind it',
    'check the indentation, and the colon',
  ],
  MULTIPLE_DOCS: [
    'a second document begins here; a file holds one scenario',
    'remove the `---`, or use a file for each',
  ],
  BAD_ALIAS: ALIAS_OF_NOTHING,
  BLOCK_IN_FLOW: [
    'within { } or [ ] something is missing before this',
    'a comma stands between two values; text with `: ` in it must be quoted',
  ],
  TAG_RESOLVE_FAILED: ['YAML tags mean nothing here', 'a text that begins with ! must be quoted'],
  BAD_SCALAR_START: ['a text cannot begin with this character', 'put the text in quotes'],
  BAD_DQ_ESCAPE: ['in double quotes, `\\` begins an escape, and this is none', 'write `\\\\`, or use single quotes'],
  BAD_DIRECTIVE: ['YAML directives mean nothing here', 'remove the line that begins with %'],
};

function inPlainWords(error: YAMLError): readonly [message: string, mend?: string] {
  if (error.code === 'MISSING_CHAR')
    return [missing(error.message), 'every quote, `{` and `[` needs its end, and a comma stands between two values'];
  if (error.code === 'BAD_INDENT' && error.message.startsWith('Flow'))
    return ['a `{` or `[` is still open here', 'add the missing } or ]'];
  return PLAIN_WORDS[error.code] ?? [`this is no valid YAML: ${decapitalize(error.message)}`];
}

function decapitalize(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function missing(message: string): string {
  if (message.includes('closing "quote') || message.includes("closing 'quote")) return 'the quoted text never ends';
  return `something is missing: ${decapitalize(message)}`;
}
