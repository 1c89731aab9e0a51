import type { z } from 'zod';
import { type Cell, describeCell } from '../scenario/cell.ts';
import { byPlace, type Complaint, complaintAt } from '../scenario/complaint.ts';
import { readDocument } from '../scenario/document.ts';
import { nearest } from '../scenario/near.ts';
import type { Spot } from '../scenario/source.ts';
import { type Config, configSchema } from './config-schema.ts';
import { knownKeys } from './known-keys.ts';

type Path = readonly PropertyKey[];
type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that the environment lacks. It matters only to who uses the part of the configuration that names it. */
interface UnsetVariable {
  /** Which of the clients needs it, from 0; null: something that holds for all. */
  readonly client: number | null;
  readonly complaint: Complaint;
}

/** A configuration whose `${…}` are replaced. Those that could not be are in `unset`, and empty in `config`. */
export interface ConfigFile {
  readonly config: Config;
  readonly unset: readonly UnsetVariable[];
  readonly warnings: readonly Complaint[];
  /** What must appear in no output: keys, and what headers and proxies took from the environment. */
  readonly secrets: readonly string[];
  /** A complaint about the value at a path, for checks that need more than the file itself. */
  complain(path: Path, message: string, mend?: string): Complaint;
}

export type ConfigReading =
  | { readonly kind: 'read'; readonly file: ConfigFile }
  | { readonly kind: 'broken'; readonly complaints: readonly Complaint[] };

/**
 * Reads the text of a configuration, whole: every mistake is found, not only the first.
 *
 * @param file the name that complaints show
 * @param env where `${NAME}` comes from
 */
export function readConfig(file: string, text: string, env: Environment): ConfigReading {
  const { source, root, complaints: syntax } = readDocument(text, file);
  if (syntax.length > 0) return { kind: 'broken', complaints: syntax.map(withoutKeys).sort(byPlace) };
  const values = new Values(root ?? { kind: 'map', spot: { source, start: 0, end: 1 }, entries: [] }, env);
  const parsed = configSchema.safeParse(values.value);
  const issues = parsed.error?.issues ?? [];
  const meant = misspelt(issues);
  const complaints = issues
    .filter(({ path }) => !values.unset.some((hole) => keyOf(hole.path) === keyOf(path)) && !meant.has(keyOf(path)))
    .flatMap((issue) => toComplaints(issue, values))
    .map(withoutKeys);
  if (complaints.length > 0) return { kind: 'broken', complaints: complaints.sort(byPlace) };
  // Where something else than a hole were wrong, this would not have been reached.
  const config = parsed.data ?? (values.value as Config);
  return {
    kind: 'read',
    file: {
      config,
      unset: values.unset.map(({ path, name }) => ({
        client: path[0] === 'clients' && typeof path[1] === 'number' ? path[1] : null,
        complaint: withoutKeys(
          complaintAt(values.spot(path), `the environment has no ${name}`, `set it: export ${name}=…`),
        ),
      })),
      warnings: literalKeys(config, values).map(withoutKeys),
      secrets: [...values.secrets],
      complain: (path, message, mend) => withoutKeys(complaintAt(values.spot(path), message, mend)),
    },
  };
}

/** Where a key is written out in the file, its letters are hidden from the line that a complaint shows. */
function withoutKeys(complaint: Complaint): Complaint {
  const sourceLine = complaint.sourceLine.replace(
    /(api_?key["']?\s*:\s*)(?!\$\{|\{)("[^"]*"?|'[^']*'?|[^\s,}]+)/gi,
    (_, key: string, value: string) => key + '*'.repeat(value.length),
  );
  return { ...complaint, sourceLine };
}

/** Parts whose text is a secret: a key in itself, or where gateways and proxies take theirs. */
const SECRET_PARTS: ReadonlySet<PropertyKey> = new Set(['integrationApiKey', 'apiKey', 'headers', 'proxy']);

const KEYS: ReadonlySet<PropertyKey> = new Set(['integrationApiKey', 'apiKey']);

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** The plain values of a document, with the way back to where each of them stands. */
class Values {
  readonly value: unknown;
  readonly unset: { readonly path: Path; readonly name: string }[] = [];
  readonly secrets = new Set<string>();
  readonly #env: Environment;
  readonly #cells = new Map<string, { readonly cell: Cell; readonly keySpot: Spot }>();

  constructor(root: Cell, env: Environment) {
    this.#env = env;
    this.value = this.#plain(root, [], root.spot);
  }

  cell(path: Path): Cell | undefined {
    return this.#cells.get(keyOf(path))?.cell;
  }

  /** Of a value that is not there, the key of what it is missing from. */
  spot(path: Path): Spot {
    const found = this.#cells.get(keyOf(path));
    return found ? found.cell.spot : this.keySpot(path.slice(0, -1));
  }

  keySpot(path: Path): Spot {
    const found = this.#cells.get(keyOf(path));
    return found ? found.keySpot : this.keySpot(path.slice(0, -1));
  }

  #plain(cell: Cell, path: Path, keySpot: Spot): unknown {
    this.#cells.set(keyOf(path), { cell, keySpot });
    switch (cell.kind) {
      case 'map':
        return Object.fromEntries(
          cell.entries.map(({ key, keySpot: spot, value }) => [key, this.#plain(value, [...path, key], spot)]),
        );
      case 'list':
        // A list has no keys; what is missing in an item is shown at the item's beginning.
        return cell.items.map((item, index) => this.#plain(item, [...path, index], firstKey(item)));
      case 'scalar':
        return typeof cell.value === 'string' ? this.#replaced(cell.value, path) : cell.value;
      case 'broken':
        return null;
    }
  }

  #replaced(text: string, path: Path): string {
    const secret = path.some((part) => SECRET_PARTS.has(part)) && path.at(-1) !== 'file';
    if (secret && KEYS.has(path.at(-1) ?? '') && text.search(VARIABLE) < 0) this.secrets.add(text);
    return text.replace(VARIABLE, (_, name: string) => {
      const value = this.#env[name];
      // A variable that a pipeline forgot to fill is empty, and no key, URL or id is.
      if (value === undefined || value === '') this.unset.push({ path, name });
      else if (secret) this.secrets.add(value);
      return value ?? '';
    });
  }
}

function firstKey(cell: Cell): Spot {
  return cell.kind === 'map' ? (cell.entries[0]?.keySpot ?? cell.spot) : cell.spot;
}

/** Paths of keys that are missing only because they are misspelt: one mistake, one complaint. */
function misspelt(issues: readonly z.core.$ZodIssue[]): ReadonlySet<string> {
  return new Set(
    issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [];
      const known = knownKeys(issue.path);
      return issue.keys.flatMap((key) => {
        const near = nearest(key, known);
        return near === undefined ? [] : [keyOf([...issue.path, near])];
      });
    }),
  );
}

function toComplaints(issue: z.core.$ZodIssue, values: Values): readonly Complaint[] {
  const { path } = issue;
  const name = String(path.at(-1) ?? 'a configuration');
  const cell = values.cell(path);
  const at = (message: string, mend?: string) => [complaintAt(values.spot(path), message, mend)];
  if (!cell && (issue.code === 'invalid_type' || issue.code === 'invalid_union')) {
    return at(`${holder(path.slice(0, -1))} needs \`${name}\``);
  }
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(path);
      return issue.keys.map((key) =>
        complaintAt(
          values.keySpot([...path, key]),
          `\`${key}\` is no key of ${holder(path)}`,
          suggestion(key, known) ?? `known here: ${known.join(', ')}`,
        ),
      );
    }
    case 'invalid_key':
      return [complaintAt(values.keySpot(path), `\`${name}\` ${issue.issues[0]?.message ?? 'is no key here'}`)];
    case 'invalid_type':
      if (issue.message.startsWith('must ')) return at(`\`${name}\` ${issue.message}`);
      if (typeof path.at(-1) === 'number')
        return at(`${holder(path)} must be a map, not ${cell ? describeCell(cell) : 'nothing'}`);
      return at(
        `\`${name}\` must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${cell ? describeCell(cell) : 'nothing'}`,
        issue.expected === 'string' ? inQuotes(cell) : undefined,
      );
    case 'invalid_union':
      return at(`\`${name}\` must be text in quotes, or a file: { file: ./name }`);
    case 'invalid_value': {
      const words = issue.values.map(String);
      const near = cell?.kind === 'scalar' ? suggestion(cell.written, words) : undefined;
      return at(`\`${name}\` must be one of: ${words.join(', ')}`, near);
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'too_big':
    case 'too_small':
      return at(`\`${name}\` ${issue.message}`);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function suggestion(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** YAML has already made something else of unquoted digits: 11.00 would become 11, and a long id lose its last digits. */
function inQuotes(cell: Cell | undefined): string | undefined {
  if (cell?.kind !== 'scalar' || cell.value === null || typeof cell.value === 'string') return undefined;
  return `write it in quotes: "${cell.written}"`;
}

/** What stands at a path, as a person would call it. */
function holder(path: Path): string {
  const name = path.findLast((part) => typeof part === 'string');
  if (name === undefined) return 'a configuration';
  return name === 'clients' ? 'a client' : name === 'sessions' ? 'a session' : `\`${name}\``;
}

function literalKeys(config: Config, values: Values): readonly Complaint[] {
  return (config.clients ?? []).flatMap((_, index) =>
    (['integrationApiKey', 'apiKey'] as const).flatMap((key) => {
      const cell = values.cell(['clients', index, key]);
      if (cell?.kind !== 'scalar' || typeof cell.value !== 'string' || cell.value.search(VARIABLE) >= 0) return [];
      const mend = 'write ${NAME} and set it in the environment, or { file: … }';
      return [complaintAt(values.keySpot(['clients', index, key]), `\`${key}\` stands in the file itself`, mend)];
    }),
  );
}
