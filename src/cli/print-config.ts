import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Option } from 'commander';
import { type Configuration, loadConfiguration } from '../app/config/configuration.ts';
import { isSecretPath } from '../app/config/file.ts';
import { isSecretName, withoutCredentials } from '../app/config/hidden-text.ts';
import { isOn, SWITCHES } from '../app/config/run-flags.ts';
import { CLIENT_KEYS, CONFIG_KEYS, type Config } from '../app/config/schema.ts';
import type { Stdio } from '../app/stdio.ts';
import { columnsOf, padEnd } from '../report/terminal/layout.ts';
import { OTHER_VARIABLES } from './environment.ts';

/** One setting and its source. A flag overrides the environment, and the environment overrides the file. */
interface Setting {
  /**
   * The key in croupier.yaml, or the flag if the file has no such key. A client's key has its ExtCID in front:
   * `acme-eu: integratorBaseUrl`.
   */
  readonly name: string;
  readonly value: string;
  readonly from: 'flag' | 'environment' | 'file' | 'default';
  /** The flag, the variable, or the file with the line; null for a default. */
  readonly where: string | null;
}

type Path = readonly (string | number)[];

const HIDDEN = '(hidden)';
/** The variables whose values may contain keys of other systems. */
const HIDDEN_VARIABLES: ReadonlySet<string> = new Set(['OTEL_EXPORTER_OTLP_HEADERS', 'CROUPIER_NOTIFY']);
/** Maximum width of the column for values. A longer value overflows the column. */
const MAX_VALUE_WIDTH = 50;

/** The keys of croupier.yaml that have the same meaning as a flag, by the name of the flag. */
const AS_IN_FILE: Readonly<Record<string, string>> = {
  deadline: 'deadline',
  linger: 'linger',
  workers: 'workers',
  rate: 'rate',
  lockWait: 'lock.wait',
  lockFolder: 'lock.folder',
  strict: 'strict',
  trace: 'trace',
  largeAmounts: 'largeAmounts',
  campaign: 'freeRounds.frID',
  ca: 'tls.ca',
  insecure: 'tls.insecure',
  proxy: 'proxy',
};

/** The keys of a client in croupier.yaml that have the same meaning as a flag, by the name of the flag. */
const OF_CLIENT: Readonly<Record<string, string>> = {
  baseUrl: 'integratorBaseUrl',
  keyFile: 'integrationApiKey',
  session: 'sessions',
  contract: 'contract',
  production: 'production',
};

/** `--print-config`: prints every setting with its source. Sends nothing, and shows no secret. */
export async function printConfig(command: CommandUnknownOpts, stdio: Stdio): Promise<void> {
  const flags: { config?: string; client?: readonly string[]; extCid?: string; json?: boolean } = command.opts();
  const configuration = await loadConfiguration(flags.config, stdio);
  const wanted = flags.client ?? (flags.extCid === undefined ? undefined : [flags.extCid]);
  const settings = new Map<string, Setting>();
  const put = (setting: Setting): void => {
    // A value of one part of a map or list replaces earlier values of this part. It also replaces the default of the whole map or
    // list.
    for (const [name, { from }] of settings)
      if (isPartOf(name, setting.name) || (from === 'default' && isPartOf(setting.name, name))) settings.delete(name);
    settings.set(setting.name, setting);
  };
  for (const setting of defaultsOf(CONFIG_KEYS, '')) put(setting);
  for (const { extCID } of configuration.config.clients ?? [])
    if (!wanted || wanted.includes(extCID)) for (const setting of defaultsOf(CLIENT_KEYS, `${extCID}: `)) put(setting);
  for (const setting of ofFile(configuration, wanted)) put(setting);
  const called = wanted?.[0] ?? configuration.config.clients?.[0]?.extCID ?? 'the client';
  for (const setting of ofCommandLine(command, called, stdio)) put(setting);
  const rows = [...settings.values()];
  if (flags.json) {
    stdio.out.write(
      `${JSON.stringify({ file: configuration.found ? configuration.file : null, settings: rows }, null, 2)}\n`,
    );
    return;
  }
  if (!configuration.found) stdio.out.write(`There is no ${configuration.file} in this folder.\n`);
  const nameWidth = Math.max(...rows.map(({ name }) => columnsOf(name)));
  const valueWidth = Math.max(...rows.map(({ value }) => Math.min(columnsOf(value), MAX_VALUE_WIDTH)));
  for (const { name, value, from, where } of rows) {
    stdio.out.write(`${padEnd(name, nameWidth)}  ${padEnd(value, valueWidth)}  ${where ?? from}\n`);
  }
}

/** True if the first name belongs to a value within the map or list that has the second name. */
function isPartOf(name: string, whole: string): boolean {
  return name.startsWith(whole) && /^[.[]/.test(name.slice(whole.length));
}

/** Returns the default of each key whose description names one. */
function defaultsOf(keys: typeof CONFIG_KEYS, before: string): readonly Setting[] {
  return Object.entries(keys).flatMap(([key, { description = '' }]): readonly Setting[] => {
    const at = description.lastIndexOf(DEFAULT_WORDS);
    if (at < 0) return [];
    const value = description.slice(at + DEFAULT_WORDS.length).replace(/\.$/, '');
    return [{ name: `${before}${key}`, value, from: 'default', where: null }];
  });
}

/** The words before the default in the description of a key. */
const DEFAULT_WORDS = 'Default: ';

function ofFile(configuration: Configuration, wanted: readonly string[] | undefined): readonly Setting[] {
  const { config, file } = configuration;
  return leaves(config, []).flatMap(({ path, value }) => {
    const client = path[0] === 'clients' ? config.clients?.[Number(path[1])] : undefined;
    if (client && wanted && !wanted.includes(client.extCID)) return [];
    const { line, variables } = configuration.origin(path) ?? { line: 1, variables: [] };
    const unset = configuration.unset
      .filter((variable) => variable.diagnostic.line === line)
      .map(({ diagnostic }) => diagnostic.message);
    return [
      {
        name: client ? `${client.extCID}: ${nameOf(path.slice(2))}` : nameOf(path),
        value: unset[0] ?? (isHidden(config, path) ? HIDDEN : withoutCredentials(value)),
        from: 'file',
        where: [`${file}:${line}`, ...variables].join(', '),
      },
    ];
  });
}

/** True for a secret. Also true for everything that croupier passes to the program or address that opens sessions. */
function isHidden(config: Config, path: Path): boolean {
  const before = valueAt(config, [...path.slice(0, -1), Number(path.at(-1)) - 1]);
  const followsFlag = path.includes('command') && typeof before === 'string' && isSecretName(before);
  return isSecretPath(path) || path.includes('body') || followsFlag;
}

function valueAt(config: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[part] : undefined,
    config,
  );
}

function leaves(value: unknown, path: Path): readonly { readonly path: Path; readonly value: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(item, [...path, index]));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
  }
  return [{ path, value: String(value) }];
}

function nameOf(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

function ofCommandLine(command: CommandUnknownOpts, client: string, { env }: Stdio): readonly Setting[] {
  const nameFor = (attribute: string, otherwise: string) => {
    const own = OF_CLIENT[attribute];
    return own === undefined ? (AS_IN_FILE[attribute] ?? otherwise) : `${client}: ${own}`;
  };
  const settings: Setting[] = [];
  for (const [attribute, variable] of Object.entries(SWITCHES)) {
    if (isOn(env[variable]))
      settings.push({ name: nameFor(attribute, variable), value: 'true', from: 'environment', where: variable });
  }
  if (env.CROUPIER_KEY)
    settings.push({ name: nameFor('keyFile', ''), value: HIDDEN, from: 'environment', where: 'CROUPIER_KEY' });
  for (const { name } of OTHER_VARIABLES) {
    const value = env[name];
    if (value !== undefined && name !== 'CROUPIER_KEY' && name !== 'TERM')
      settings.push({
        name,
        value: HIDDEN_VARIABLES.has(name) ? HIDDEN : value,
        from: 'environment',
        where: name,
      });
  }
  for (const option of command.options) {
    const attribute = option.attributeName();
    const source = command.getOptionValueSource(attribute);
    // A flag that has a variable, and no key in the file, is shown although it is not given.
    if (source === undefined && option.envVar !== undefined && !isInFile(attribute))
      settings.push({ name: option.long ?? attribute, value: '(not given)', from: 'default', where: null });
    if ((source !== 'cli' && source !== 'env') || attribute === 'printConfig') continue;
    const long = option.long ?? attribute;
    settings.push({
      name: nameFor(attribute, long),
      value: shown(option, command.getOptionValue(attribute)),
      from: source === 'cli' ? 'flag' : 'environment',
      where: source === 'cli' ? long : (option.envVar ?? long),
    });
  }
  return settings;
}

function isInFile(attribute: string): boolean {
  return attribute in AS_IN_FILE || attribute in OF_CLIENT;
}

function shown(option: Option, value: unknown): string {
  if (option.attributeName() === 'proxy') return HIDDEN;
  if (typeof value === 'number' && option.flags.includes('<duration>')) return `${value}ms`;
  return withoutCredentials(Array.isArray(value) ? value.join(' ') : String(value));
}
