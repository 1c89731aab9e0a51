import type { JsonValue } from '../contract/json.ts';
import { BUILT_IN } from './built-in-names.ts';
import { type Cell, describeCell, type ScalarCell } from './cell.ts';
import type { Reading } from './reading.ts';
import { NAME } from './scalar-shapes.ts';
import type { Scenario } from './scenario.ts';
import { refuse } from './shape.ts';
import type { Spot } from './source.ts';

/** One row of `cases:`, or one element of its product. */
export interface Case {
  readonly id: string;
  readonly cells: ReadonlyMap<string, ScalarCell>;
}

export interface ReadCases {
  /** Empty after a complaint: the variables are known, their values are not. */
  readonly cases: readonly Case[];
  /** Where each variable is named first. */
  readonly variables: ReadonlyMap<string, Spot>;
}

const MOST_CASES = 500;
const RESERVED = new Set<string>(BUILT_IN);

/** Reads `cases:`, a map of lists (their product) or a list of rows. */
export function readCases(cell: Cell, reading: Reading): ReadCases | undefined {
  if (cell.kind === 'map')
    return readProduct(
      cell.entries.map(({ key, keySpot, value }) => ({ key, keySpot, value })),
      cell,
      reading,
    );
  if (cell.kind === 'list') return readRows(cell.items, cell, reading);
  return refuse(reading, cell, 'a map of lists, or a list of rows', 'write cases: { sign: [garbage, missing] }');
}

function readProduct(
  lists: readonly { key: string; keySpot: Spot; value: Cell }[],
  cell: Cell,
  reading: Reading,
): ReadCases {
  const variables = new Map<string, Spot>();
  let rows: Map<string, ScalarCell>[] = [new Map()];
  let sound = true;
  for (const { key, keySpot, value } of lists) {
    checkName(key, keySpot, reading);
    variables.set(key, keySpot);
    if (value.kind !== 'list') {
      sound = false;
      refuse(reading, value, `a list of the values of \`${key}\``, `write ${key}: [first, second]`);
      continue;
    }
    if (value.items.length === 0) {
      sound = false;
      reading.complain(value.spot, `\`${key}\` has no values: there would be no case`);
    }
    const values = value.items.flatMap((item) => readValue(item, reading) ?? []);
    if (values.length !== value.items.length) sound = false;
    complainTwice(values, key, reading);
    rows = rows.flatMap((row) => values.map((each) => new Map([...row, [key, each]])));
    if (rows.length > MOST_CASES) {
      reading.complain(keySpot, `more than ${MOST_CASES} cases`, 'write several scenarios');
      return { cases: [], variables };
    }
  }
  if (lists.length === 0) reading.complain(cell.spot, 'there are no cases here');
  return { cases: sound && lists.length > 0 ? withIds(rows) : [], variables };
}

function complainTwice(values: readonly ScalarCell[], key: string, reading: Reading): void {
  for (const [index, each] of values.entries()) {
    if (values.findIndex((other) => other.value === each.value) < index) {
      reading.complain(each.spot, `\`${each.written}\` stands twice in \`${key}\``, 'remove one of them');
    }
  }
}

function readRows(items: readonly Cell[], cell: Cell, reading: Reading): ReadCases {
  const variables = new Map<string, Spot>();
  const rows: Map<string, ScalarCell>[] = [];
  let sound = items.length > 0;
  if (!sound) reading.complain(cell.spot, 'there are no cases here');
  for (const item of items) {
    if (item.kind !== 'map') {
      sound = false;
      refuse(reading, item, 'a row of values', 'write { sign: garbage, status: 401 }');
      continue;
    }
    const row = new Map<string, ScalarCell>();
    for (const { key, keySpot, value } of item.entries) {
      if (rows.length === 0 && !variables.has(key)) {
        checkName(key, keySpot, reading);
        variables.set(key, keySpot);
      } else if (!variables.has(key)) {
        sound = false;
        reading.complain(keySpot, `the first row has no \`${key}\``, 'every row has the same keys');
      }
      const scalar = readValue(value, reading);
      if (scalar) row.set(key, scalar);
      else sound = false;
    }
    for (const key of variables.keys()) {
      if (item.entries.some((entry) => entry.key === key)) continue;
      sound = false;
      reading.complain(item.spot, `this row has no \`${key}\``, 'every row has the same keys');
    }
    rows.push(row);
  }
  return { cases: sound ? withIds(rows) : [], variables };
}

function checkName(key: string, spot: Spot, reading: Reading): void {
  if (!NAME.test(key))
    reading.complain(
      spot,
      `\`${key}\` cannot be a name`,
      'a name has letters, digits, _ and -, and begins with a letter',
    );
  else if (RESERVED.has(key))
    reading.complain(spot, `\`${key}\` already means something in \`\${…}\``, 'choose another name');
}

function readValue(cell: Cell, reading: Reading): ScalarCell | undefined {
  if (cell.kind === 'broken') return undefined;
  if (cell.kind !== 'scalar') {
    reading.complain(cell.spot, `a case's value is a text, a number or true or false, not ${describeCell(cell)}`);
    return undefined;
  }
  if (typeof cell.value === 'number' && /[.eE]/.test(cell.written)) {
    reading.complain(
      cell.spot,
      `the number ${cell.written} must be in quotes: without them its exact digits are lost`,
      `write "${cell.written}"`,
    );
    return undefined;
  }
  return cell;
}

/** Ids of cases stand in file names, shells and reports: only letters that are safe in all of them. */
function withIds(rows: readonly ReadonlyMap<string, ScalarCell>[]): Case[] {
  const taken = new Map<string, number>();
  const ids = new Set<string>();
  return rows.map((cells) => {
    const plain = [...cells.values()].map((cell) => shellSafe(cell)).join('-') || 'case';
    let id = plain;
    for (let count = (taken.get(plain) ?? 0) + 1; ids.has(id) || count === 1; count += 1) {
      taken.set(plain, count);
      id = count === 1 ? plain : `${plain}-${count}`;
      if (!ids.has(id)) break;
    }
    ids.add(id);
    return { id, cells };
  });
}

function shellSafe(cell: ScalarCell): string {
  const safe = String(cell.value ?? 'null').replace(/[^A-Za-z0-9._-]+/g, '-');
  return safe.replace(/^-+|-+$/g, '') || 'x';
}

/** The cases of a scenario with their values, in the order of the file; empty when it has none. */
export function listCases(
  scenario: Scenario,
): { readonly id: string; readonly values: Readonly<Record<string, JsonValue>> }[] {
  return scenario.stories.flatMap((story) =>
    story.caseId === undefined ? [] : [{ id: story.caseId, values: story.values }],
  );
}
