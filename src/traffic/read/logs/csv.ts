import type { Fields } from '../../json-fields.ts';

/** Matches the name of a column that contains the time, in the exports of log collectors. */
const TIME_COLUMN = /^(?:@?timestamp(?: ?\[utc\])?|_?time|date|datetime|timegenerated(?: ?\[utc\])?)$/i;
const FIELD = /(?:^|,)(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(?=,|$)/gs;

/**
 * Reads the names of the columns from the first line of a CSV that a log collector exported. Returns undefined if the
 * line is not such a header.
 */
export function csvColumns(line: string): readonly string[] | undefined {
  const names = csvFields(line.replace(/^\uFEFF/, ''));
  if (!names || names.length < 2 || names.some((name) => name === '' || name.length > 100)) return undefined;
  return names.some((name) => TIME_COLUMN.test(name)) ? names : undefined;
}

/** True if a quoted field of a row continues on the next line. */
export function isOpenRow(text: string): boolean {
  let isOpen = false;
  for (const sign of text) if (sign === '"') isOpen = !isOpen;
  return isOpen;
}

/**
 * Reads a row of a CSV as an object whose fields have the names of the columns. Returns undefined if the row has another
 * number of fields.
 */
export function readCsvRow(row: string, columns: readonly string[]): Fields | undefined {
  const values = csvFields(row);
  if (values?.length !== columns.length) return undefined;
  const object: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const value = values[at] ?? '';
    // Kibana writes a hyphen for a field that the entry does not have.
    if (value === '' || value === '-') continue;
    object[TIME_COLUMN.test(column) ? 'timestamp' : column] = value;
  }
  return object;
}

function csvFields(row: string): readonly string[] | undefined {
  const values: string[] = [];
  let end = 0;
  const line = row.replace(/\r$/, '');
  for (const { 0: whole, 1: quoted, 2: plain = '', index } of line.matchAll(FIELD)) {
    if (index !== end) return undefined;
    end = index + whole.length;
    values.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return end === line.length ? values : undefined;
}
