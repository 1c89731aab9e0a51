import type { JsonValue } from '../contract/json.ts';
import { BUILT_IN } from './expressions/names.ts';
import type { Reading } from './reading.ts';
import type { Scenario } from './scenario.ts';
import { NAME } from './shapes/scalar-shapes.ts';
import { refuse } from './shapes/shape.ts';
import type { Range } from './yaml/source.ts';
import { describeNode, type ScalarNode, type YamlNode } from './yaml/yaml-node.ts';

/** One case: a row of `cases:`, or one combination of the values of its lists. */
export interface Case {
  readonly id: string;
  readonly nodes: ReadonlyMap<string, ScalarNode>;
}

export interface ReadCases {
  /**
   * The cases with their values. Empty if a mistake was reported. The names of the variables are known even then, but
   * not all values.
   */
  readonly cases: readonly Case[];
  /** The first place of each case variable in the file. */
  readonly variables: ReadonlyMap<string, Range>;
}

const MAX_CASES = 500;
const BUILT_IN_NAMES = new Set<string>(BUILT_IN);

/** Reads `cases:`, which is a list of rows, or a map of lists. For a map, each combination of the values is a case. */
export function readCases(node: YamlNode, reading: Reading): ReadCases | undefined {
  if (node.kind === 'map')
    return readProduct(
      node.entries.map(({ key, keyRange, value }) => ({ key, keyRange, value })),
      node,
      reading,
    );
  if (node.kind === 'list') return readRows(node.items, node, reading);
  return refuse(reading, node, 'a map of lists, or a list of rows', 'write cases: { sign: [garbage, missing] }');
}

function readProduct(
  lists: readonly { key: string; keyRange: Range; value: YamlNode }[],
  node: YamlNode,
  reading: Reading,
): ReadCases {
  const variables = new Map<string, Range>();
  let rows: Map<string, ScalarNode>[] = [new Map()];
  let valid = true;
  for (const { key, keyRange, value } of lists) {
    checkName(key, keyRange, reading);
    variables.set(key, keyRange);
    if (value.kind !== 'list') {
      valid = false;
      refuse(reading, value, `a list of the values of \`${key}\``, `write ${key}: [first, second]`);
      continue;
    }
    if (value.items.length === 0) {
      valid = false;
      reading.report(value.range, `\`${key}\` has no values, so the scenario has no cases`);
    }
    const values = value.items.flatMap((item) => readValue(item, reading) ?? []);
    if (values.length !== value.items.length) valid = false;
    reportDuplicates(values, key, reading);
    rows = rows.flatMap((row) => values.map((each) => new Map([...row, [key, each]])));
    if (rows.length > MAX_CASES) {
      reading.report(keyRange, `more than ${MAX_CASES} cases`, 'write several scenarios');
      return { cases: [], variables };
    }
  }
  if (lists.length === 0) reading.report(node.range, '`cases` is empty');
  return { cases: valid && lists.length > 0 ? withIds(rows) : [], variables };
}

function reportDuplicates(values: readonly ScalarNode[], key: string, reading: Reading): void {
  for (const [index, each] of values.entries()) {
    if (values.findIndex((other) => other.value === each.value) < index) {
      reading.report(each.range, `\`${key}\` has \`${each.written}\` twice`, 'remove one of these two values');
    }
  }
}

function readRows(items: readonly YamlNode[], node: YamlNode, reading: Reading): ReadCases {
  const variables = new Map<string, Range>();
  const rows: Map<string, ScalarNode>[] = [];
  let valid = items.length > 0;
  if (!valid) reading.report(node.range, '`cases` is empty');
  for (const item of items) {
    if (item.kind !== 'map') {
      valid = false;
      refuse(reading, item, 'a row of values', 'write { sign: garbage, status: 401 }');
      continue;
    }
    const row = new Map<string, ScalarNode>();
    for (const { key, keyRange, value } of item.entries) {
      if (rows.length === 0 && !variables.has(key)) {
        checkName(key, keyRange, reading);
        variables.set(key, keyRange);
      } else if (!variables.has(key)) {
        valid = false;
        reading.report(keyRange, `the first row has no \`${key}\``, 'every row must have the same keys');
      }
      const scalar = readValue(value, reading);
      if (scalar) row.set(key, scalar);
      else valid = false;
    }
    for (const key of variables.keys()) {
      if (item.entries.some((entry) => entry.key === key)) continue;
      valid = false;
      reading.report(item.range, `this row has no \`${key}\``, 'every row must have the same keys');
    }
    rows.push(row);
  }
  return { cases: valid ? withIds(rows) : [], variables };
}

function checkName(key: string, range: Range, reading: Reading): void {
  if (!NAME.test(key))
    reading.report(
      range,
      `\`${key}\` cannot be a name`,
      'a name consists of letters, digits, _ and -, and begins with a letter',
    );
  else if (BUILT_IN_NAMES.has(key))
    reading.report(range, `\`${key}\` already means something in \`\${…}\``, 'choose another name');
}

function readValue(node: YamlNode, reading: Reading): ScalarNode | undefined {
  if (node.kind === 'broken') return undefined;
  if (node.kind !== 'scalar') {
    reading.report(
      node.range,
      `the value of a case must be a text, a number, true or false, not ${describeNode(node)}`,
    );
    return undefined;
  }
  if (typeof node.value === 'number' && /[.eE]/.test(node.written)) {
    reading.report(
      node.range,
      `the number ${node.written} must be in quotes, because its exact digits are lost otherwise`,
      `write "${node.written}"`,
    );
    return undefined;
  }
  return node;
}

/**
 * Gives each case an id that is built from its values. File names, shells and reports use the ids, so they contain only
 * characters that are safe in all of them.
 */
function withIds(rows: readonly ReadonlyMap<string, ScalarNode>[]): Case[] {
  const taken = new Map<string, number>();
  const ids = new Set<string>();
  return rows.map((nodes) => {
    const plain = [...nodes.values()].map((node) => shellSafe(node)).join('-') || 'case';
    let id = plain;
    for (let count = (taken.get(plain) ?? 0) + 1; ids.has(id) || count === 1; count += 1) {
      taken.set(plain, count);
      id = count === 1 ? plain : `${plain}-${count}`;
      if (!ids.has(id)) break;
    }
    ids.add(id);
    return { id, nodes };
  });
}

function shellSafe(node: ScalarNode): string {
  const safe = String(node.value ?? 'null').replace(/[^A-Za-z0-9._-]+/g, '-');
  return safe.replace(/^-+|(?<!-)-+$/g, '') || 'x';
}

/**
 * Returns the cases of a scenario with their values, in the order of the file. Returns an empty list if the scenario has no
 * cases.
 */
export function listCases(
  scenario: Scenario,
): { readonly id: string; readonly values: Readonly<Record<string, JsonValue>> }[] {
  return scenario.boundScenarios.flatMap(({ caseId, values }) =>
    caseId === undefined ? [] : [{ id: caseId, values }],
  );
}
