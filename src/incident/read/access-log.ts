import type { SeenExchange, SeenPlace } from '../seen.ts';
import type { LogField, LogForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';

/** The common format, and the combined one that goes on with referer and agent; some servers add how long it took. */
const ACCESS =
  /^(\S+) \S+ (\S+|"[^"]*") \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*")?(?: "?(\d+(?:\.\d+)?)"?)?/;

/** Reads a line of an access log, or one that the configured pattern fits; undefined when it is neither. */
export function readTextLine(line: string, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  if (form.pattern) {
    const groups = form.pattern.exec(line)?.groups;
    if (groups) return exchangeOfLine((field) => groups[field], form, place, 'operator');
  }
  const found = ACCESS.exec(line);
  if (!found) return undefined;
  const [, , , time, request, status, took] = found;
  const told: Partial<Record<LogField, string | undefined>> = {
    time,
    url: request,
    status,
    // nginx writes seconds with a point, Apache whole microseconds, which nobody can tell from milliseconds.
    tookSeconds: took?.includes('.') ? took : undefined,
  };
  return exchangeOfLine((field) => told[field], form, place, 'operator');
}
