import type { Fields } from '../../json-fields.ts';
import { idOf } from '../logs/printed.ts';
import { timeIn } from '../logs/wrapped.ts';

/**
 * A part of a request or a reply, as a web framework or an HTTP client has logged it. `request`: the method and the URL. `body`: the
 * body of a request whose URL is on an earlier line. `fields`: the URL or the reply. `nothing`: the line repeats facts from other
 * lines.
 */
export interface RequestPart {
  readonly kind: 'request' | 'body' | 'fields' | 'nothing';
  readonly fields: Fields;
}

export const NOTHING: RequestPart = { kind: 'nothing', fields: {} };

/** The time and the id in the text before a part. */
export function placed(before: string): Fields {
  return { timestamp: timeIn(before), trace_id: idOf(before) };
}

/**
 * True if a line begins with the same prefix as the first line of a message: only the time may be another one. A line of another
 * thread does not belong to the message.
 */
export function hasPrefix(line: string, prefix: string): boolean {
  const own = line.slice(0, prefix.length);
  return shapeOf(own) === shapeOf(prefix) && idOf(own) === idOf(prefix);
}

function shapeOf(prefix: string): string {
  return prefix.replaceAll(/\d/g, '0').trimEnd();
}
