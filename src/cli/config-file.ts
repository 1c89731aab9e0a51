import type { Cell } from '../scenario/cell.ts';
import { byPlace, type Complaint, complaintAt } from '../scenario/complaint.ts';
import { readDocument } from '../scenario/document.ts';
import { type Config, configSchema } from './config-schema.ts';
import { complaintsOf, keyOf, type Path, PlacedValues, type Words } from './placed-values.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that the environment lacks. It matters only to who uses the part of the configuration that names it. */
interface UnsetVariable {
  /** Which of the clients needs it, from 0; null: something that holds for all. */
  readonly client: number | null;
  readonly complaint: Complaint;
}

interface Origin {
  readonly line: number;
  readonly variables: readonly string[];
}

/** A configuration whose `${…}` are replaced. Those that could not be are in `unset`, and empty in `config`. */
export interface ConfigFile {
  readonly config: Config;
  readonly unset: readonly UnsetVariable[];
  readonly warnings: readonly Complaint[];
  /** What must appear in no output: keys, and what headers and proxies took from the environment. */
  readonly secrets: readonly string[];
  /** Where the value at a path stands, and the variables of the environment that its text names; undefined: it is not there. */
  origin(path: Path): Origin | undefined;
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
  const { values, unset, secrets } = valuesOf(
    root ?? { kind: 'map', spot: { source, start: 0, end: 1 }, entries: [] },
    env,
  );
  const parsed = configSchema.safeParse(values.value);
  const issues = (parsed.error?.issues ?? []).filter(
    ({ path }) => !unset.some((hole) => keyOf(hole.path) === keyOf(path)),
  );
  const complaints = complaintsOf(issues, values, WORDS).map(withoutKeys);
  if (complaints.length > 0) return { kind: 'broken', complaints: complaints.sort(byPlace) };
  // Where something else than a hole were wrong, this would not have been reached.
  const config = parsed.data ?? (values.value as Config);
  return {
    kind: 'read',
    file: {
      config,
      unset: unset.map(({ path, name }) => ({
        client: path[0] === 'clients' && typeof path[1] === 'number' ? path[1] : null,
        complaint: withoutKeys(
          complaintAt(values.spot(path), `the environment has no ${name}`, `set it: export ${name}=…`),
        ),
      })),
      warnings: literalKeys(config, values).map(withoutKeys),
      secrets: [...secrets],
      origin: (path) => originOf(values, path),
      complain: (path, message, mend) => withoutKeys(complaintAt(values.spot(path), message, mend)),
    },
  };
}

const WORDS: Words = {
  schema: configSchema,
  whole: 'a configuration',
  named: { clients: 'a client', sessions: 'a session' },
  eitherOf: 'text in quotes, or a file: { file: ./name }',
};

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

/** The plain values of a configuration with its `${…}` replaced, and what came of that. */
function valuesOf(root: Cell, env: Environment) {
  const unset: { readonly path: Path; readonly name: string }[] = [];
  const secrets = new Set<string>();
  const replaced = (text: string, path: Path): string => {
    const secret = path.some((part) => SECRET_PARTS.has(part)) && path.at(-1) !== 'file';
    if (secret && KEYS.has(path.at(-1) ?? '') && text.search(VARIABLE) < 0) secrets.add(text);
    return text.replace(VARIABLE, (_, name: string) => {
      const value = env[name];
      // A variable that a pipeline forgot to fill is empty, and no key, URL or id is.
      if (value === undefined || value === '') unset.push({ path, name });
      else if (secret) secrets.add(value);
      return value ?? '';
    });
  };
  return { values: new PlacedValues(root, replaced), unset, secrets };
}

function originOf(values: PlacedValues, path: Path): Origin | undefined {
  const cell = values.cell(path);
  if (!cell) return undefined;
  const text = cell.kind === 'scalar' && typeof cell.value === 'string' ? cell.value : '';
  const variables = [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
  return { line: complaintAt(values.keySpot(path), '').line, variables };
}

function literalKeys(config: Config, values: PlacedValues): readonly Complaint[] {
  return (config.clients ?? []).flatMap((_, index) =>
    (['integrationApiKey', 'apiKey'] as const).flatMap((key) => {
      const cell = values.cell(['clients', index, key]);
      if (cell?.kind !== 'scalar' || typeof cell.value !== 'string' || cell.value.search(VARIABLE) >= 0) return [];
      const mend = 'write ${NAME} and set it in the environment, or { file: … }';
      return [complaintAt(values.keySpot(['clients', index, key]), `\`${key}\` stands in the file itself`, mend)];
    }),
  );
}
