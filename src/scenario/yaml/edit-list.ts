import { isMap, isNode, isSeq, parseDocument } from 'yaml';

/** The changes to a YAML file whose root is a list of maps. Items are counted from 0. */
export interface ListEdits {
  /** The items to remove, with the comments directly above them. */
  readonly removed: ReadonlySet<number>;
  /** The text of new items, which is added after the last item. */
  readonly added: string;
}

/** A part of the text that is removed. */
interface Cut {
  readonly start: number;
  readonly end: number;
}

/**
 * Changes a YAML list and keeps the rest of the text as it is, with its comments.
 *
 * @param text valid YAML: a list of maps, or nothing but comments
 */
export function editList(text: string, edits: ListEdits): string {
  const contents: unknown = parseDocument(text).contents;
  if (isSeq(contents) && contents.flow === true && contents.items.length > 0) return editList(asBlock(text), edits);
  const items = isSeq(contents) ? contents.items.filter(isMap) : [];
  const cuts: Cut[] = [];
  for (const [index, item] of items.entries()) {
    if (!edits.removed.has(index)) continue;
    const start = beginningOf(text, item.range?.[0] ?? 0, index === 0);
    cuts.push({ start, end: lineEnd(text, endOf(item) ?? start) });
  }
  // An empty list is written as `[]`, which must be removed before new items are added.
  if (isSeq(contents) && items.length === 0 && contents.range)
    cuts.push({ start: contents.range[0], end: lineEnd(text, contents.range[1]) });
  let kept = text;
  for (const { start, end } of cuts.toReversed()) kept = kept.slice(0, start) + kept.slice(end);
  const isEmpty = edits.added === '' && items.every((_, index) => edits.removed.has(index));
  return `${kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`}${isEmpty ? '[]\n' : edits.added}`;
}

/** Writes a list in brackets with one item after another. */
function asBlock(text: string): string {
  const document = parseDocument(text);
  if (isSeq(document.contents)) document.contents.flow = false;
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
  const at = text.indexOf('\n', trimmed(text, end));
  return at < 0 ? text.length : at + 1;
}
