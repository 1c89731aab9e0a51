import type { SeenExchange, SeenPlace } from '../seen.ts';
import type { LogField, LogForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';

/** The columns that a log of IIS names before its lines; undefined: the line names none. */
export function w3cColumns(line: string): readonly string[] | undefined {
  const [, names] = /^#Fields:\s*(\S.*)$/.exec(line.trimEnd()) ?? [];
  return names?.split(/\s+/);
}

/** Reads a line of the extended log format of the W3C as IIS writes it, in UTC; undefined when it does not fit the columns. */
export function readW3cLine(
  line: string,
  columns: readonly string[],
  form: LogForm,
  place: SeenPlace,
): SeenExchange | undefined {
  const values = line.trim().split(/\s+/);
  if (values.length !== columns.length) return undefined;
  const of = (column: string): string | undefined => {
    const value = values[columns.indexOf(column)];
    return value === '-' ? undefined : value;
  };
  const path = of('cs-uri-stem');
  if (path === undefined) return undefined;
  const query = of('cs-uri-query');
  const [date, time] = [of('date'), of('time')];
  const read: Partial<Record<LogField, string | undefined>> = {
    time: date === undefined || time === undefined ? undefined : `${date}T${time}Z`,
    method: of('cs-method'),
    url: query === undefined ? path : `${path}?${query}`,
    status: of('sc-status'),
    tookMs: of('time-taken'),
    signature: of('cs(X-REQUEST-SIGN)'),
  };
  return exchangeOfLine((field) => read[field], form, place, 'operator');
}
