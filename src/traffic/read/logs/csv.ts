import type { Fields } from '../../json-fields.ts';
import { logForm } from './log-form.ts';

/** Matches the name of a column that contains the time, in the exports of log collectors. */
const TIME_COLUMN =
  /^(?:@?time_?stamp|_?time|date|date[ _]?time|time[ _]?generated|(?:created|logged|occurred|sent|inserted)[ _]?at|event[ _]?time|ts)(?: ?[[(]utc[\])])?$/i;
const FIELDS = {
  ',': /(?:^|,)(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(?=,|$)/gs,
  ';': /(?:^|;)(?:"([^"]*(?:""[^"]*)*)"|([^";]*))(?=;|$)/gs,
  '\t': /(?:^|\t)(?:"([^"]*(?:""[^"]*)*)"|([^"\t]*))(?=\t|$)/gs,
  '|': /(?:^|\|)(?:"([^"]*(?:""[^"]*)*)"|([^"|]*))(?=\||$)/gs,
} as const;

/**
 * The header of a CSV: the names of the columns, and the sign that separates two fields. German programs use a semicolon as this
 * sign, and write numbers with a decimal comma.
 */
export interface CsvHeader {
  readonly names: readonly string[];
  readonly comma: keyof typeof FIELDS;
}

/**
 * Reads the names of the columns from the first line of a CSV that a log collector exported. Returns undefined if the
 * line is not such a header.
 */
export function csvColumns(line: string): CsvHeader | undefined {
  for (const comma of [',', ';', '\t', '|'] as const) {
    const found = csvFields(line.replace(/^\uFEFF/, ''), comma);
    if (!found || found.length < 2 || found.some((name) => name === '' || name.length > 100)) continue;
    const timeAt = found.findIndex((name) => TIME_COLUMN.test(name));
    if (timeAt < 0) continue;
    return { comma, names: found.map((name, at) => (at === timeAt ? 'timestamp' : usualName(name))) };
  }
  return undefined;
}

/** Returns the columns of a table without a time, if each name in its first line is like the name of a field. */
export function tableColumns(line: string): CsvHeader | undefined {
  for (const comma of [',', ';', '\t', '|'] as const) {
    const names = csvFields(line.replace(/^\uFEFF/, ''), comma);
    if (names && names.length > 1 && names.every((name) => COLUMN_NAME.test(name))) return { comma, names };
  }
  return undefined;
}

const COLUMN_NAME = /^[A-Za-z][\w .-]{0,60}$/;

/**
 * Names that people often write in the header of a table, such as `Request Body` or `http_status`, with the usual name of each
 * field.
 */
const USUAL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(logForm().fields)
    .flatMap((names) =>
      names.flatMap((name): [string, string][] => (/[.@]/.test(name) ? [] : [[plainName(name), name]])),
    )
    .toReversed(),
);

const NAMES_WITH_SIGN: ReadonlySet<string> = new Set(
  Object.values(logForm().fields)
    .flat()
    .filter((name) => name.startsWith('@')),
);

function usualName(name: string): string {
  // Datadog puts this sign before the names of the attributes of a log. Some other loggers have such names themselves.
  const own = /^@\w/.test(name) && !NAMES_WITH_SIGN.has(name) ? name.slice(1) : name;
  return USUAL_NAMES.get(plainName(own)) ?? own;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** True if a quoted field of a row continues on the next line. */
export function isOpenRow(text: string): boolean {
  let isOpen = false;
  for (const sign of text) if (sign === '"') isOpen = !isOpen;
  return isOpen;
}

/**
 * Reads a row of a CSV as an object whose fields have the names of the columns. Returns undefined if the row does not have as many
 * fields as the header.
 */
export function readCsvRow(row: string, { names, comma }: CsvHeader): Fields | undefined {
  const values = csvFields(row, comma);
  if (values?.length !== names.length) return undefined;
  const object: Record<string, string> = {};
  for (const [at, column] of names.entries()) {
    const value = values[at] ?? '';
    // Kibana writes a hyphen for a field that the entry does not have.
    if (value === '' || value === '-') continue;
    object[column] ??= comma === ',' ? value : withPoint(value);
  }
  return object;
}

/**
 * Matches a number with a decimal comma. A number such as 1,234 may be a number with a comma between thousands. So it matches only if
 * it begins with 0.
 */
const DECIMAL_COMMA = /^(?:(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d{1,2}|\d{4,8})|0,\d{3})$/;

function withPoint(value: string): string {
  return DECIMAL_COMMA.test(value) ? value.replaceAll('.', '').replace(',', '.') : value;
}

function csvFields(row: string, comma: CsvHeader['comma']): readonly string[] | undefined {
  const values: string[] = [];
  let end = 0;
  const line = row.replace(/\r$/, '');
  for (const { 0: whole, 1: quoted, 2: plain = '', index } of line.matchAll(FIELDS[comma])) {
    if (index !== end) return undefined;
    end = index + whole.length;
    values.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return end === line.length ? values : undefined;
}
