/** Maximum number of values that a cell lists. A longer list is not readable in a table. */
const MAX_LISTED_VALUES = 20;

/** The part of JSON Schema that the published schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}

/**
 * The pattern of a `${…}` expression. The page explains expressions once for all values, so tables leave this pattern
 * out.
 */
const EXPRESSION = '\\$\\{[^}]+\\}';
const DURATION = '(ms|s|m)$';

export function node(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Returns the alternatives of a schema, except for expressions. */
function alternatives(schema: Schema): readonly Schema[] {
  const some = schema.anyOf ?? schema.oneOf;
  if (!some) return schema.pattern === EXPRESSION ? [] : [schema];
  return some.flatMap(alternatives);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? `\`${value}\`` : `\`${JSON.stringify(value)}\``;
}

function kindText(schema: Schema): string {
  if (schema.const !== undefined) return valueText(schema.const);
  if (schema.enum && schema.enum.length > MAX_LISTED_VALUES) return 'a name';
  if (schema.enum) return schema.enum.map(valueText).join(', ');
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.pattern?.endsWith(DURATION)) return 'a duration (`500ms`, `2s`, `1m`)';
  if (schema.pattern?.startsWith('^-?(0')) return 'a decimal in quotes';
  const types = [schema.type ?? []].flat();
  return types.map((type) => typeText(type, schema)).join(', ');
}

function typeText(type: string, schema: Schema): string {
  if (type === 'array') {
    const of = schema.items ? takes(schema.items) : '';
    if (of === 'a map') return 'a list of maps';
    if (of === 'text') return 'a list of texts';
    if (of === 'a name' || of.split(', ').length > MAX_LISTED_VALUES) return 'a list of names';
    return of === '' ? 'a list' : `a list of: ${of}`;
  }
  if (type === 'object') return 'a map';
  if (type === 'null') return 'nothing';
  if (type === 'string') return 'text';
  if (type === 'boolean') return '`true`, `false`';
  if (schema.minimum !== undefined && schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER)
    return `a number from ${String(schema.minimum)} to ${String(schema.maximum)}`;
  return schema.minimum === undefined || schema.minimum < 0 ? 'a number' : `a number from ${String(schema.minimum)}`;
}

/** Describes the allowed values in a few words. */
function takes(schema: Schema): string {
  const kinds = [...new Set(alternatives(schema).map(kindText))].filter((kind) => kind !== '');
  const single = kinds.filter((kind) => !kind.startsWith('a list'));
  const ofThese = `a list of: ${single.join(', ')}`;
  return kinds.includes(ofThese) ? `${single.join(', ')}, or a list of these` : kinds.join(', ');
}

/** Returns those alternatives of a schema that are objects. */
function objectsOf(schema: Schema): readonly Schema[] {
  return alternatives(schema).filter((one) => one.properties !== undefined);
}

/** Returns the alternatives of a schema that have a description each, such as the kinds of signing. */
function explainedValues(schema: Schema): readonly Schema[] {
  const values = alternatives(schema).filter((one) => one.const !== undefined && one.description !== undefined);
  return values.length > 1 ? values : [];
}

/** The lines of a table about one key: its own line, and a line for each value that has an explanation. */
interface KeyRows {
  readonly name: string;
  readonly lines: readonly string[];
}

function keyRows(name: string, schema: Schema, required: string): readonly KeyRows[] {
  // `expect.outcome` has the same values as `expect`, so only `expect` lists and explains them.
  const explained = name === 'expect.outcome' ? [] : explainedValues(schema);
  const further = alternatives(schema).some((one) => one.properties) ? ', or a map' : '';
  const taken = explained.length > 0 ? `one of the values below${further}` : takes(schema);
  const lines = [
    `| \`${name}\`${required} | ${node(taken)} | ${node(schema.description ?? '')} |`,
    ...explained.map((one) => `| | ${node(valueText(one.const))} | ${node(one.description ?? '')} |`),
  ];
  const listed = alternatives(schema).flatMap((one) => (one.items ? [one.items] : []));
  const forms = objectsOf(schema);
  return [
    { name, lines },
    ...forms.flatMap((one) => rowsOf(`${name}.`, one, requiredIn(one, forms))),
    ...listed.flatMap((item) =>
      objectsOf(item).flatMap((one) => rowsOf(`${name}[].`, one, ' (required in each entry)')),
    ),
  ];
}

/** Says where a required key of a map is required. If the map has several forms, each has another required key. */
function requiredIn(form: Schema, forms: readonly Schema[]): string {
  const others = forms.filter((other) => other !== form).flatMap(({ required }) => required ?? []);
  if (others.length === 0) return ' (required in the map)';
  return ` (this or ${others.map((key) => `\`${key}\``).join(' or ')} is required)`;
}

/** @param required the words after the name of a required key */
function rowsOf(prefix: string, schema: Schema, required: string): readonly KeyRows[] {
  const named = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    keyRows(`${prefix}${key}`, value, schema.required?.includes(key) === true ? required : ''),
  );
  const { additionalProperties: further } = schema;
  // Keys with a name of the author's choice, such as the aliases of sessions.
  const isMap = typeof further === 'object' && further.properties !== undefined;
  return isMap ? [...named, ...keyRows(`${prefix}NAME`, further, '')] : named;
}

function tableFrom(rows: readonly KeyRows[]): string {
  return `| key | value | means |\n|---|---|---|\n${rows.flatMap(({ lines }) => lines).join('\n')}\n`;
}

/**
 * Returns a table of fields that several keys have in common, so that a page explains each of these fields once.
 *
 * @param shared each field with the keys that have it
 * @throws Error if one of the keys does not have the field, or explains it in other words
 */
export function sharedTable(schema: Schema, shared: Readonly<Record<string, readonly string[]>>): string {
  const rows = new Map(rowsOf('', schema, '').map(({ name, lines }) => [name, lines.join('\n')]));
  const lines = Object.entries(shared).map(([field, keys]) => {
    const texts = keys.map((key) => rows.get(`${key}.${field}`)?.replace(`| \`${key}.${field}\``, ''));
    const [text] = texts;
    if (text === undefined || texts.some((other) => other !== text)) throw new Error(`${field} differs`);
    return `| \`${field}\` | ${keys.map((key) => `\`${key}\``).join(', ')}${text}`;
  });
  return `| field | calls | value | means |\n|---|---|---|---|\n${lines.join('\n')}\n`;
}

/** Returns a table of all keys of an object. The keys of an inner object appear with their path. */
export function tableOf(schema: Schema): string {
  return tableFrom(rowsOf('', schema, ' (required)'));
}

/** A part of a page that explains some keys: the text above the table, and the keys in the table. */
export interface KeySection {
  readonly text: string;
  /** Each key stands also for its inner keys, unless another section names them. */
  readonly keys: readonly string[];
}

/**
 * Returns the sections of a page, each with the table of its keys.
 *
 * @param leaveOut the beginnings of the names of keys that the page does not list
 * @throws Error if no section has a key of the schema, or if a section names an unknown key
 */
export function sectionsOf(schema: Schema, sections: readonly KeySection[], leaveOut: readonly string[] = []): string {
  const rows = rowsOf('', schema, ' (required)').filter(
    ({ name }) => !leaveOut.some((start) => name.startsWith(start)),
  );
  const tables = new Map(sections.map((section) => [section, [] as KeyRows[]]));
  const placed = sections.flatMap((section) => section.keys.map((key) => ({ section, key })));
  const unknown = placed.find(({ key }) => !rows.some(({ name }) => name === key));
  if (unknown) throw new Error(`the schema has no key ${unknown.key}`);
  for (const row of rows) {
    const places = placed.filter(
      ({ key }) => row.name === key || (/^(\.|\[)/u.test(row.name.slice(key.length)) && row.name.startsWith(key)),
    );
    const place = places.toSorted((a, b) => b.key.length - a.key.length)[0];
    if (!place) throw new Error(`no section of the page has the key ${row.name}`);
    tables.get(place.section)?.push(row);
  }
  return sections.map((section) => `${section.text}\n\n${tableFrom(tables.get(section) ?? [])}`).join('\n');
}
