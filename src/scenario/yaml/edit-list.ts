import { isMap, isNode, isScalar, isSeq, Lexer, parseDocument, type YAMLMap } from 'yaml';

/** The changes to a YAML file whose root is a list of maps. Items are counted from 0. */
export interface ListEdits {
  /** The items to remove, with the comments directly above them. */
  readonly removed: ReadonlySet<number>;
  /** For some items: the keys to replace. The other keys stay as they are. */
  readonly changed: ReadonlyMap<number, KeyChange>;
  /** The text of new items, which is added after the last item, and before the comments at the end of the file. */
  readonly added: string;
}

/** Keys of an item that are replaced by other keys. */
interface KeyChange {
  readonly removed: readonly string[];
  /**
   * The new keys with their values, as lines without indentation. They stand in the place of the first removed key. There must be at least one line
   * if this key stands directly after the dash.
   */
  readonly lines: readonly string[];
  /**
   * Tells whether a comment at a removed key goes with it. Every other comment stays, on a line of its own.
   *
   * @param text the comment without `#`
   */
  readonly losesComment: (text: string) => boolean;
}

/** A part of the text that is replaced by another text. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Changes a YAML list and keeps the rest of the text as it is, with its comments.
 *
 * @param text valid YAML: a list of maps, or nothing but comments
 */
export function editList(text: string, edits: ListEdits): string {
  const contents: unknown = parseDocument(text).contents;
  const isInBrackets = (item: unknown, index: number): boolean =>
    isMap(item) && item.flow === true && edits.changed.has(index);
  if (isSeq(contents) && contents.items.length > 0 && (contents.flow === true || contents.items.some(isInBrackets)))
    return editList(asBlock(text, [...edits.changed.keys()]), edits);
  const items = isSeq(contents) ? contents.items.filter(isMap) : [];
  const cuts: Cut[] = [];
  for (const [index, item] of items.entries()) {
    const change = edits.changed.get(index);
    if (edits.removed.has(index)) {
      const start = beginningOf(text, item.range?.[0] ?? 0, index === 0);
      cuts.push({ start, end: lineEnd(text, endOf(item) ?? start), text: '' });
    } else if (change) cuts.push(...keyCuts(text, item, change));
  }
  // An empty list is written as `[]`, which must be removed before new items are added.
  if (isSeq(contents) && items.length === 0 && contents.range)
    cuts.push({ start: contents.range[0], end: lineEnd(text, contents.range[1]), text: '' });
  const last = items.at(-1);
  const end = last === undefined ? undefined : afterItem(text, last);
  if (end !== undefined) {
    const isOpen = end > 0 && text[end - 1] !== '\n' && edits.added !== '';
    cuts.push({ start: end, end, text: `${isOpen ? '\n' : ''}${edits.added}` });
  }
  let kept = text;
  for (const cut of cuts.toReversed()) kept = kept.slice(0, cut.start) + cut.text + kept.slice(cut.end);
  const isEmpty = edits.added === '' && items.every((_, index) => edits.removed.has(index));
  const rest = end === undefined ? edits.added : '';
  return `${kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`}${isEmpty ? '[]\n' : rest}`;
}

/**
 * Returns the comments of an item, with their `#`: the comments directly above it and those at its keys.
 *
 * @param text as in `editList`
 * @param index the number of the item, from 0
 */
export function commentsOfItem(text: string, index: number): readonly string[] {
  const contents: unknown = parseDocument(text).contents;
  const item = isSeq(contents) ? contents.items[index] : undefined;
  if (!isMap(item) || !item.range) return [];
  const start = beginningOf(text, item.range[0], index === 0);
  return commentsIn(text, start, lineEnd(text, endOf(item) ?? start));
}

/** Returns the place after the last line of an item and after the indented comments directly below it. */
function afterItem(text: string, item: YAMLMap): number | undefined {
  const end = endOf(item);
  if (end === undefined) return undefined;
  let at = lineEnd(text, end);
  while (/^[ \t]+#/.test(text.slice(at, lineEndOf(text, at)))) at = lineEndOf(text, at);
  return at;
}

/** Returns the changes of the text that replace some keys of an item. */
function keyCuts(text: string, item: YAMLMap, { removed, lines, losesComment }: KeyChange): readonly Cut[] {
  const own = item.items.filter(({ key }) => isScalar(key) && removed.some((name) => name === key.value));
  return own.flatMap(({ key, value }, at): readonly Cut[] => {
    const start = isScalar(key) ? key.range?.[0] : undefined;
    if (start === undefined) return [];
    const end = lineEnd(text, endOf(value) ?? endOf(key) ?? start);
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const indentation = ' '.repeat(start - lineStart);
    const comments = commentsIn(text, start, end)
      .filter((comment) => !losesComment(comment.slice(1).trim()))
      .map((comment) => `${indentation}${comment}\n`);
    if (at > 0 || (lines.length === 0 && isFirstInLine(text, start)))
      return [{ start: lineStart, end, text: comments.join('') }];
    // The first key of an item stands after a dash, and the other keys are indented as far.
    const indented = lines.map((line, index) => `${index === 0 ? '' : indentation}${line}\n`);
    const above = { start: lineStart, end: lineStart, text: comments.join('') };
    return [...(comments.length > 0 ? [above] : []), { start, end, text: indented.join('') }];
  });
}

/** True if only white space stands before a place in its line. */
function isFirstInLine(text: string, place: number): boolean {
  return text.slice(text.lastIndexOf('\n', place - 1) + 1, place).trim() === '';
}

/** A lexeme of the parser that announces the text of a scalar. */
const SCALAR = '\u001f';
/** The lexemes of the parser that do not stand in the text: the start of a document, the end of a flow collection, and `SCALAR`. */
const MARKS = ['\u0002', '\u0018', SCALAR];

/** Returns the comments in a part of the text, with their `#`. */
function commentsIn(text: string, start: number, end: number): readonly string[] {
  const found: string[] = [];
  let at = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (at >= start && at < end && lexeme.startsWith('#') && before !== SCALAR) found.push(lexeme.trimEnd());
    if (!MARKS.includes(lexeme)) at += lexeme.length;
    before = lexeme;
  }
  return found;
}

/** Writes a list in brackets with one item after another, and some of its items with one key after another. */
function asBlock(text: string, items: readonly number[]): string {
  const document = parseDocument(text);
  const { contents } = document;
  if (isSeq(contents)) {
    contents.flow = false;
    for (const item of items.map((index) => contents.items[index])) if (isMap(item)) item.flow = false;
  }
  return document.toString({ lineWidth: 0 });
}

/**
 * Returns the place where an item begins, with the comments directly above it. The comments above the first item may be about the
 * whole file, so they don't belong to the item.
 */
function beginningOf(text: string, start: number, isFirst: boolean): number {
  let at = text.lastIndexOf('\n', start - 1) + 1;
  if (isFirst) return at;
  while (at > 0) {
    const before = text.lastIndexOf('\n', at - 2) + 1;
    if (!/^\s*#/.test(text.slice(before, at))) break;
    at = before;
  }
  return at;
}

/** Returns the end of the last text of a value, without the comments after it; undefined if the value has no text. */
function endOf(node: unknown): number | undefined {
  if (isMap(node)) {
    const { key, value } = node.items.at(-1) ?? {};
    return endOf(value) ?? endOf(key);
  }
  if (isSeq(node) && node.flow !== true) return endOf(node.items.at(-1));
  if (!isNode(node) || !node.range) return undefined;
  const [start, end] = node.range;
  return end > start ? end : undefined;
}

/** Returns the end of the last line with text before a place, without trailing white space. */
function trimmed(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
}

/** Returns the beginning of the line after a value that ends at a place. */
function lineEnd(text: string, end: number): number {
  return lineEndOf(text, trimmed(text, end));
}

/** Returns the beginning of the line after a place. */
function lineEndOf(text: string, place: number): number {
  const at = text.indexOf('\n', place);
  return at < 0 ? text.length : at + 1;
}
