import { byPlace, type Diagnostic, diagnosticAt } from '../../scenario/yaml/diagnostic.ts';
import { readDocument } from '../../scenario/yaml/document.ts';
import type { Range } from '../../scenario/yaml/source.ts';
import type { YamlNode } from '../../scenario/yaml/yaml-node.ts';
import { asterisks, isSecretName, withoutCredentials } from './hidden-text.ts';
import { diagnosticsOf, keyOf, type Path, PlacedValues, type Words } from './placed-values.ts';
import { type Config, configSchema } from './schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A variable that the configuration names but the environment does not have. The missing variable is a mistake only if the
 * command uses this part of the configuration.
 */
interface UnsetVariable {
  /** The index of the client that needs the variable, from 0; null if every client needs it. */
  readonly client: number | null;
  readonly diagnostic: Diagnostic;
}

interface Origin {
  readonly line: number;
  readonly variables: readonly string[];
}

/**
 * A configuration in which each `${NAME}` is replaced by the variable's value. An unset variable is replaced by an
 * empty text and listed in `unset`.
 */
export interface ConfigFile {
  readonly config: Config;
  readonly unset: readonly UnsetVariable[];
  readonly warnings: readonly Diagnostic[];
  /** Texts that no output may contain: keys, and the variables that headers and proxies use. */
  readonly secrets: readonly string[];
  /** Returns the line of the value at a path, and the variables that its text names; undefined if there is no value. */
  origin(path: Path): Origin | undefined;
  /** Creates a diagnostic about the value at a path. Some checks need more than the file itself, and use this function. */
  report(path: Path, message: string, fix?: string): Diagnostic;
}

export type ConfigReading =
  | { readonly kind: 'read'; readonly file: ConfigFile }
  | {
      readonly kind: 'broken';
      readonly diagnostics: readonly Diagnostic[];
      /** Texts of the broken file that no output may contain. */
      readonly secrets: readonly string[];
    };

/**
 * Reads the text of a configuration and finds every mistake in it, not only the first.
 *
 * @param file the file's name in diagnostics
 * @param env the variables that `${NAME}` can name
 */
export function readConfig(file: string, text: string, env: Environment): ConfigReading {
  const { source, root, diagnostics: syntax } = readDocument(text, file);
  const hidden = root ? secretRanges(root) : [];
  const withoutKeys = (diagnostic: Diagnostic) => withoutSecrets(diagnostic, text, hidden);
  if (syntax.length > 0) return { kind: 'broken', diagnostics: syntax.map(withoutKeys).sort(byPlace), secrets: [] };
  const { values, unset, secrets } = valuesOf(
    root ?? { kind: 'map', range: { source, start: 0, end: 1 }, entries: [] },
    env,
  );
  const parsed = configSchema.safeParse(values.value);
  const issues = (parsed.error?.issues ?? []).filter(
    ({ path }) => !unset.some((variable) => keyOf(variable.path) === keyOf(path)),
  );
  const diagnostics = diagnosticsOf(issues, values, WORDS).map(withoutKeys);
  if (diagnostics.length > 0) return { kind: 'broken', diagnostics: diagnostics.sort(byPlace), secrets: [...secrets] };
  // For any other issue, this function has already returned. So here, only unset variables can be the reason why parsing fails, and
  // the values have the type of the schema.
  const config = parsed.data ?? (values.value as Config);
  return {
    kind: 'read',
    file: {
      config,
      // The variables of `notify` are needed only to post the result. A run does not fail if the result can't be posted. So these
      // variables do not count as unset.
      unset: unset
        .filter(({ path }) => path[0] !== 'notify')
        .map(({ path, name }) => ({
          client: path[0] === 'clients' && typeof path[1] === 'number' ? path[1] : null,
          diagnostic: withoutKeys(
            diagnosticAt(values.range(path), `the environment has no ${name}`, `set it: export ${name}=…`),
          ),
        })),
      warnings: literalKeys(config, values).map(withoutKeys),
      secrets: [...secrets],
      origin: (path) => originOf(values, path),
      report: (path, message, fix) => withoutKeys(diagnosticAt(values.range(path), message, fix)),
    },
  };
}

const WORDS: Words = {
  schema: configSchema,
  whole: 'a configuration',
  named: { clients: 'a client', sessions: 'a session' },
  eitherOf: 'text in quotes, or a map that names a file, such as { file: ./name }',
};

/** The keys of the configuration whose texts are secrets: client keys, and the credentials for gateways and proxies. */
const SECRET_PARTS: ReadonlySet<PropertyKey> = new Set(['integrationApiKey', 'apiKey', 'headers', 'proxy']);

/**
 * True if the value at a path is a secret. The decision depends on the names of the keys in the path, and not on the schema. So a
 * secret is recognised even if the user wrote its key in a wrong place or with a similar name.
 */
export function isSecretPath(path: Path): boolean {
  if (path.at(-1) === 'file' || path.includes('tls')) return false;
  if (isNotifyUrl(path)) return true;
  return path.some((part) => SECRET_PARTS.has(part) || (typeof part === 'string' && isSecretName(part)));
}

/**
 * True for an address to which results are posted. Such an address is a secret, because everybody who knows it can write to the
 * chat.
 */
function isNotifyUrl(path: Path): boolean {
  return path[0] === 'notify' && path.at(-1) === 'url';
}

/** Returns the ranges of all secrets in a document. A secret may have several lines. */
function secretRanges(node: YamlNode, path: Path = []): readonly Range[] {
  switch (node.kind) {
    case 'map':
      return node.entries.flatMap(({ key, value }) => secretRanges(value, [...path, key]));
    case 'list':
      return node.items.flatMap((item, index) => secretRanges(item, [...path, index]));
    case 'scalar':
    case 'broken':
      return isSecretPath(path) && !VARIABLE_NAME.test(writtenIn(node.range)) ? [node.range] : [];
  }
}

function writtenIn({ source, start, end }: Range): string {
  return source.text.slice(start, end);
}

/**
 * Hides secrets in a diagnostic. In the source line, each secret becomes asterisks, so that the columns of the line stay the
 * same.
 */
function withoutSecrets(diagnostic: Diagnostic, text: string, hidden: readonly Range[]): Diagnostic {
  const lines = text.split('\n');
  const begin = lines.slice(0, diagnostic.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const ends = begin + diagnostic.sourceLine.length;
  let { sourceLine } = diagnostic;
  for (const { start, end } of hidden) {
    if (start >= ends || end <= begin) continue;
    const from = Math.max(start, begin) - begin;
    const to = Math.min(end, ends) - begin;
    sourceLine = sourceLine.slice(0, from) + asterisks(sourceLine.slice(from, to)) + sourceLine.slice(to);
  }
  return {
    ...diagnostic,
    sourceLine: withoutCredentials(sourceLine, asterisks),
    message: withoutCredentials(diagnostic.message),
  };
}

/** Matches `${NAME}`. Also matches a bare `A_NAME`, which people write by mistake. */
const VARIABLE_NAME = /^["']?(?:\$?\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,20})["']?$/;
const PASSWORD_OF_URL = /(?<=\/\/[^/\s@:]{0,200}:)[^/\s@]{1,500}(?=@)/g;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces each `${NAME}` in a configuration by its value, and collects the unset variables and the secrets. */
function valuesOf(root: YamlNode, env: Environment) {
  const unset: { readonly path: Path; readonly name: string }[] = [];
  const secrets = new Set<string>();
  const replaced = (text: string, path: Path): string => {
    const secret = isSecretPath(path);
    const name = path.at(-1);
    // The value of a header counts as a secret only if the name of the header says so. If the values of all headers were
    // hidden, reports would be unreadable.
    if (
      secret &&
      text.search(VARIABLE) < 0 &&
      !isNotifyUrl(path) &&
      (typeof name !== 'string' || !path.includes('headers') || isSecretName(name))
    )
      secrets.add(text.replace(/^(?:bearer|basic)\s+/i, ''));
    for (const [password] of text.matchAll(PASSWORD_OF_URL)) secrets.add(password);
    return text.replace(VARIABLE, (_, name: string) => {
      const value = env[name];
      // In a pipeline, a variable without a value is an empty text. Keys, URLs and ids are never empty, so an empty variable
      // counts as unset.
      if (value === undefined || value === '') unset.push({ path, name });
      // croupier never prints the address of a chat. But croupier does not remove this address from other texts: they may contain
      // its host for another reason.
      else if (!(isNotifyUrl(path) && /^https?:/.test(value)) && (secret || isSecretName(name))) secrets.add(value);
      return value ?? '';
    });
  };
  return { values: new PlacedValues(root, replaced), unset, secrets };
}

function originOf(values: PlacedValues, path: Path): Origin | undefined {
  const node = values.node(path);
  if (!node) return undefined;
  const text = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : '';
  const variables = [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
  return { line: diagnosticAt(values.keyRange(path), '').line, variables };
}

function literalKeys(config: Config, values: PlacedValues): readonly Diagnostic[] {
  return (config.clients ?? []).flatMap((_, index) =>
    (['integrationApiKey', 'apiKey'] as const).flatMap((key) => {
      const node = values.node(['clients', index, key]);
      if (node?.kind !== 'scalar' || typeof node.value !== 'string' || node.value.search(VARIABLE) >= 0) return [];
      const fix = 'write ${NAME} and set this environment variable, or write { file: … }';
      return [
        diagnosticAt(
          values.keyRange(['clients', index, key]),
          `the configuration contains the \`${key}\` as plain text`,
          fix,
        ),
      ];
    }),
  );
}
