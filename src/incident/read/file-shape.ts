import { isFields, parsed } from './fields.ts';
import { isHarEntry } from './har.ts';

/** How a file holds its entries: one a line, or in a list of a JSON document; null: they are the document, or several. */
export type Shape = { readonly kind: 'lines' } | { readonly kind: 'document'; readonly list: string | null };

const LINES: Shape = { kind: 'lines' };
const WHOLE: Shape = { kind: 'document', list: null };

/** Lists that documents keep their entries in: a HAR, CloudWatch, Elasticsearch, and Loki. */
const LIST = /"(entries|events|hits|result)"\s*:\s*\[/;

/** A JSON document spreads over lines, or is one line with everything in it; a log has an object on each line. */
export function shapeOf(head: string): Shape {
  const start = head.trimStart();
  // A line of a log may begin with a bracket too.
  if (/^\[\s*(?:\{|$)/.test(start)) return { kind: 'document', list: 'entries' };
  if (!start.startsWith('{')) return LINES;
  const list = LIST.exec(start)?.[1];
  const isOneLine = !start.trimEnd().includes('\n');
  const firstLine = start.split('\n', 1)[0] ?? '';
  const first = parsed(firstLine);
  if (isFields(first) && !isFields(first.log)) {
    if (!isOneLine) return LINES;
    if (list !== undefined && !isHarEntry(first)) return { kind: 'document', list };
    return isHarEntry(first) ? WHOLE : LINES;
  }
  const hasLines = start
    .split('\n', 50)
    .slice(1)
    .some((line) => line.startsWith('{') && isFields(parsed(line)));
  if (list === 'entries' || (list !== undefined && !hasLines)) return { kind: 'document', list };
  return first === undefined && !hasLines ? WHOLE : LINES;
}
