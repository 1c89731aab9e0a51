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
import { type Diagnostic, diagnosticAt, MAX_DIAGNOSTICS } from './diagnostic.ts';
import { firstLine, placeAt, type Range, type Source, toSource } from './source.ts';
import type { BrokenNode, Entry, YamlNode } from './yaml-node.ts';

/** Maximum number of YAML aliases. More aliases could exhaust the memory. */
const MAX_ALIASES = 100;
const MAX_DEPTH = 60;

/** A YAML text as a tree of nodes. `root` is undefined if the syntax is wrong or the text is empty. */
export interface YamlDocument {
  readonly source: Source;
  readonly root: YamlNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the part of YAML 1.2 that scenarios use: one document without merge keys and tags. Reports wrong syntax, duplicate
 * keys, and unquoted `${…}` inside braces.
 */
export function readDocument(text: string, file: string): YamlDocument {
  const source = toSource(file, text);
  const { text: quoted, found } = quoteUnquoted(text);
  const diagnostics = found.map(({ start, end, text: value }) =>
    diagnosticAt(
      { source, start, end },
      'inside { } or [ ], `${…}` must be quoted',
      `write "${value.replaceAll('"', "'")}"`,
    ),
  );
  const document = parseDocument(quoted, {
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    logLevel: 'error',
  });
  const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    const unclosed = unclosedQuote(text);
    if (unclosed) {
      // The parser reads the rest of the file as one text. So all further complaints are only results of this mistake.
      const range = { source, start: unclosed.start, end: Math.max(unclosed.lineEnd, unclosed.start + 1) };
      const before = found.flatMap(({ start }, at) => (start < unclosed.start ? (diagnostics[at] ?? []) : []));
      const fix = `add a closing ${text[unclosed.start]} in this line`;
      return {
        source,
        root: undefined,
        diagnostics: [...before, diagnosticAt(range, 'the quoted text has no end', fix)],
      };
    }
    for (const diagnostic of syntaxDiagnostics(errors, source)) diagnostics.push(diagnostic);
    return { source, root: undefined, diagnostics };
  }
  if (document.contents === null || text.trim() === '') return { source, root: undefined, diagnostics };
  const broken = new Set(found.map((unquoted) => unquoted.start));
  const converter = new Converter(source, document, broken, diagnostics);
  return { source, root: converter.node(document.contents, { source, start: 0, end: 1 }, 0), diagnostics };
}

class Converter {
  readonly #source: Source;
  readonly #document: ReturnType<typeof parseDocument>;
  readonly #broken: ReadonlySet<number>;
  readonly #diagnostics: Diagnostic[];
  #aliases = 0;

  constructor(
    source: Source,
    document: ReturnType<typeof parseDocument>,
    broken: ReadonlySet<number>,
    diagnostics: Diagnostic[],
  ) {
    this.#source = source;
    this.#document = document;
    this.#broken = broken;
    this.#diagnostics = diagnostics;
  }

  /**
   * Converts a node of the YAML parser.
   *
   * @param around the range to report if the node has no text of its own
   */
  node(node: Node | null | undefined, around: Range, depth: number): YamlNode {
    if (!node) return { kind: 'scalar', value: null, written: '', range: around };
    const range = this.#rangeOf(node, around);
    if (depth > MAX_DEPTH) return this.#refuse(range, 'this is nested too deeply');
    if (isAlias(node)) {
      this.#aliases += 1;
      if (this.#aliases === MAX_ALIASES + 1)
        this.#refuse(range, `more than ${MAX_ALIASES} aliases`, 'use a fragment, `cases` or `times` instead');
      if (this.#aliases > MAX_ALIASES) return { kind: 'broken', range };
      const target = node.resolve(this.#document);
      return target ? this.node(target, range, depth + 1) : this.#refuse(range, ...ALIAS_OF_NOTHING);
    }
    if (isScalar(node)) return this.#scalar(node, range);
    if (isMap(node)) return { kind: 'map', range, entries: this.#entries(node, range, depth) };
    if (isSeq(node)) {
      return {
        kind: 'list',
        range,
        items: node.items.map((item) => this.node(item as Node | null, this.#dashOf(item, range), depth + 1)),
      };
    }
    return { kind: 'broken', range };
  }

  #entries(node: YAMLMap, around: Range, depth: number): Entry[] {
    const entries: Entry[] = [];
    const seen = new Map<string, Range>();
    for (const pair of node.items) {
      const keyNode = isAlias(pair.key) ? pair.key.resolve(this.#document) : pair.key;
      const keyRange = this.#rangeOf(pair.key as Node, around);
      if (!isScalar(keyNode)) {
        this.#refuse(keyRange, 'a key must be a plain word');
        continue;
      }
      const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? String(keyNode.value));
      const first = seen.get(key);
      if (key === '<<') {
        this.#refuse(
          keyRange,
          'merge keys (`<<`) are not part of YAML 1.2 and have no effect here',
          'use a fragment, or write the keys out',
        );
      } else if (first) {
        const { line } = placeAt(this.#source, first.start);
        this.#refuse(
          keyRange,
          `the key \`${key}\` is written twice, first in line ${line}`,
          'remove one of these two keys',
        );
      } else {
        seen.set(key, keyRange);
        entries.push({ key, keyRange, value: this.node(pair.value as Node | null, keyRange, depth + 1) });
      }
    }
    return entries;
  }

  #scalar(node: Scalar, range: Range): YamlNode {
    if (this.#broken.has(range.start)) return { kind: 'broken', range };
    const { value } = node;
    if (typeof value === 'string') {
      const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
      const textStart = range.start + quoted;
      const same =
        this.#source.text.startsWith(value, textStart) && range.end - range.start === value.length + 2 * quoted;
      return { kind: 'scalar', value, written: value, range, ...(same && { textStart }) };
    }
    const plain = typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', value: plain, written: node.source ?? String(value), range };
  }

  /** Returns the range of the dash that begins an item without text, and the range of the list for other items. */
  #dashOf(item: unknown, around: Range): Range {
    const place = isScalar(item) ? item.range : undefined;
    const isEmpty = place && place[1] <= place[0];
    const at = isEmpty ? this.#source.text.lastIndexOf('-', place[0]) : -1;
    return at < around.start ? around : { source: this.#source, start: at, end: at + 1 };
  }

  #rangeOf(node: Node, around: Range): Range {
    const range = node.range;
    if (!range || range[1] <= range[0]) return around;
    if (isCollection(node) && node.flow !== true) return firstLine(this.#source, range[0]);
    return { source: this.#source, start: range[0], end: range[1] };
  }

  #refuse(range: Range, message: string, fix?: string): BrokenNode {
    if (this.#diagnostics.length < MAX_DIAGNOSTICS) this.#diagnostics.push(diagnosticAt(range, message, fix));
    return { kind: 'broken', range };
  }
}

/** Creates one diagnostic per line, because further errors in a line usually have the same cause. */
function syntaxDiagnostics(errors: readonly YAMLError[], source: Source): Diagnostic[] {
  const lines = new Set<number>();
  const diagnostics: Diagnostic[] = [];
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const start = Math.min(error.pos[0], Math.max(0, source.text.length - 1));
    const { line } = placeAt(source, start);
    if (lines.has(line)) continue;
    lines.add(line);
    const [message, fix] = plainMessage(error);
    diagnostics.push(diagnosticAt({ source, start, end: Math.max(error.pos[1], start + 1) }, message, fix));
  }
  return diagnostics;
}

const ALIAS_OF_NOTHING = [
  'this alias names no anchor of the file',
  'a text that begins with * must be quoted',
] as const;

const PLAIN_MESSAGES: Readonly<Partial<Record<YAMLError['code'], readonly [message: string, fix: string]>>> = {
  TAB_AS_INDENT: ['YAML does not allow a tab here', 'indent with spaces'],
  BAD_INDENT: [
    'this line is indented differently from its neighbours',
    'let all keys of one map begin in the same column',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'a map cannot begin in the middle of this line',
    'put text that contains `: ` in quotes, or check the indentation',
  ],
  MULTILINE_IMPLICIT_KEY: ['a key must be in one line, followed by a colon', 'check the indentation, and the colon'],
  MULTIPLE_DOCS: [
    'a second document begins here, but a file can contain only one scenario',
    'remove the `---`, or write each scenario into its own file',
  ],
  BAD_ALIAS: ALIAS_OF_NOTHING,
  BLOCK_IN_FLOW: [
    'inside { } or [ ], something is missing before this',
    'put a comma between two values, and quote text that contains `: `',
  ],
  TAG_RESOLVE_FAILED: ['YAML tags have no meaning here', 'a text that begins with ! must be quoted'],
  BAD_SCALAR_START: ['a text cannot begin with this character', 'put the text in quotes'],
  BAD_DQ_ESCAPE: [
    'in double quotes, `\\` begins an escape, and this escape is not valid',
    'write `\\\\`, or use single quotes',
  ],
  BAD_DIRECTIVE: ['YAML directives have no meaning here', 'remove the line that begins with %'],
};

function plainMessage(error: YAMLError): readonly [message: string, fix?: string] {
  if (error.code === 'MISSING_CHAR')
    return [missing(error.message), 'close every quote, `{` and `[`, and put a comma between two values'];
  if (error.code === 'BAD_INDENT' && error.message.startsWith('Flow'))
    return ['a `{` or `[` is still open here', 'add the missing } or ]'];
  // For each level of nesting, the parser calls itself. If this fills the stack, croupier reports too much nesting as a mistake in
  // the file.
  if (/\bstack\b/i.test(error.message))
    return ['this is not valid YAML: it is nested too deeply', 'remove superfluous { and ['];
  return PLAIN_MESSAGES[error.code] ?? [`this is not valid YAML: ${decapitalize(error.message)}`];
}

function decapitalize(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function missing(message: string): string {
  if (message.includes('closing "quote') || message.includes("closing 'quote")) return 'the quoted text has no end';
  return `something is missing: ${decapitalize(message)}`;
}

/** A `${…}` without quotes in a place where YAML reads its brace as the beginning of a map. */
interface UnquotedExpression {
  readonly start: number;
  readonly end: number;
  /** The whole value that the author meant, from `${` to the end of the value. */
  readonly text: string;
}

/**
 * Finds every unquoted `${…}` inside `{ }` or `[ ]`. Writes a quotation mark over its first and its last character. So the text
 * keeps its length, and all places in the file stay correct.
 */
function quoteUnquoted(text: string): { readonly text: string; readonly found: readonly UnquotedExpression[] } {
  if (!/[{[,:]\s*\$\{/.test(text)) return { text, found: [] };
  const { found } = scanValues(text);
  let quoted = '';
  let copied = 0;
  for (const { start, end } of found) {
    const inner = text.slice(start + 1, end - 1).replaceAll(/["\\]/g, '_');
    quoted += `${text.slice(copied, start)}"${inner}"`;
    copied = end;
  }
  return { text: quoted + text.slice(copied), found };
}

/** Matches a line that is probably not a part of a quoted text, because it begins with a dash or with a key. */
const STRUCTURE = /^ *(?:- |[\w-]+:(?: |$))/;

/**
 * Finds the quote that the author forgot to close. The text after this quote runs to the end of the file, or over lines that look
 * like YAML. This function is called only if the text has a mistake. Returns undefined if there is no such quote.
 */
function unclosedQuote(text: string): { readonly start: number; readonly lineEnd: number } | undefined {
  for (const { start, end } of scanValues(text).quoted) {
    const [first = '', ...others] = text.slice(start, end).split('\n');
    const isClosed = end - start > 1 && text[end - 1] === text[start];
    if (others.length > 0 ? others.some((line) => STRUCTURE.test(line)) || !isClosed : !isClosed)
      return { start, lineEnd: start + first.trimEnd().length };
  }
  return undefined;
}

/** The places in a text at which a value is quoted, or is an expression without quotes. */
interface ValuePlaces {
  readonly found: readonly UnquotedExpression[];
  readonly quoted: readonly { readonly start: number; readonly end: number }[];
}

function scanValues(text: string): ValuePlaces {
  const found: UnquotedExpression[] = [];
  const quoted: { readonly start: number; readonly end: number }[] = [];
  let depth = 0;
  let at = 0;
  /** True if a value of the YAML text can begin at the current character. */
  let atValueStart = true;
  while (at < text.length) {
    const letter = text[at];
    if (depth > 0 && atValueStart && text.startsWith('${', at)) {
      const end = endOfValue(text, at);
      found.push({ start: at, end, text: text.slice(at, end) });
      at = end;
      atValueStart = false;
      continue;
    }
    if (letter === '\n') atValueStart = true;
    else if (letter === '#' && /\s/.test(text[at - 1] ?? '\n')) {
      at = text.indexOf('\n', at);
      if (at === -1) break;
      continue;
    } else if (atValueStart && (letter === '"' || letter === "'")) {
      const end = endOfQuoted(text, at, letter);
      quoted.push({ start: at, end });
      at = end;
      atValueStart = false;
      continue;
    } else if (atValueStart && /[|>]/.test(letter ?? '') && depth === 0) {
      at = endOfBlock(text, at);
      continue;
    } else if ((letter === '{' || letter === '[') && (atValueStart || depth > 0)) {
      depth += 1;
      atValueStart = true;
      at += 1;
      continue;
    } else if ((letter === '}' || letter === ']') && depth > 0) {
      depth -= 1;
      atValueStart = false;
    } else if (letter === ',' && depth > 0) atValueStart = true;
    else if ((letter === ':' || letter === '-' || letter === '?') && /\s/.test(text[at + 1] ?? '\n'))
      atValueStart = true;
    else if (letter !== ' ' && letter !== '\t' && letter !== '\r') atValueStart = false;
    at += 1;
  }
  return { found, quoted };
}

function endOfValue(text: string, start: number): number {
  let at = start;
  let open = 0;
  while (at < text.length) {
    const letter = text[at];
    if (letter === '\n') break;
    if (letter === '{') open += 1;
    else if (letter === '}') {
      if (open === 0) break;
      open -= 1;
    } else if (open === 0 && (letter === ',' || letter === ']')) break;
    at += 1;
  }
  while (at > start + 2 && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length) {
    if (text[at] === '\\' && quote === '"') at += 2;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 2;
      else return at + 1;
    } else at += 1;
  }
  return at;
}

/**
 * Returns the end of a `|` or `>` block. The block continues while lines are empty or indented deeper than the line in which it
 * begins.
 */
function endOfBlock(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const indent = /^[ ]*/.exec(text.slice(lineStart, start))?.[0].length ?? 0;
  let next = text.indexOf('\n', start);
  while (next !== -1) {
    const line = text.slice(next + 1, (text.indexOf('\n', next + 1) + 1 || text.length + 1) - 1);
    if (line.trim() !== '' && (/^[ ]*/.exec(line)?.[0].length ?? 0) <= indent) return next;
    if (next + 1 >= text.length) break;
    next = text.indexOf('\n', next + 1);
  }
  return text.length;
}
