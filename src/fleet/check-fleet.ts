import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadBaseline } from '../app/baseline.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../app/config/configuration.ts';
import { UsageError } from '../app/exit-status.ts';
import { readTextFile, shownPath, whyUnreadable } from '../app/files.ts';
import { mistakesIn } from '../app/scenario-mistakes.ts';
import { choose, sourcesFor } from '../app/selection.ts';
import { targetsOfText } from '../app/signals/notify.ts';
import type { Stdio } from '../app/stdio.ts';
import { loadSuite, type Suite, type SuiteSource } from '../app/suite.ts';
import type { ClientAt } from '../history/client.ts';
import { operatorOf } from '../history/operator-name.ts';
import { nearest } from '../scenario/near.ts';
import { byPlace, type Diagnostic } from '../scenario/yaml/diagnostic.ts';
import { type Fleet, type FleetOperator, readFleet } from './fleet-file.ts';

/** One operator of a fleet, with the client of its configuration. */
export interface CheckedOperator extends FleetOperator, ClientAt {
  /**
   * True if all environment variables that the operator's configuration names are set. Otherwise this machine can't judge the
   * operator.
   */
  readonly isReady: boolean;
}

/**
 * The variables that describe a single client. The runs of a fleet must not get these variables. With them, all operators would be
 * called with the same key, and the signatures would be wrong.
 */
const OF_ONE_CLIENT = ['CONFIG', 'CLIENT', 'BASE_URL', 'EXT_CID', 'SESSION', 'KEY', 'KEY_FILE', 'CONTRACT', 'BASELINE'];

/** A small fleet, for a user who has none yet. */
const EXAMPLE = `schedule: "0 3 * * *"            # every operator is due at 03:00 …
zone: Europe/Berlin              # … in this time zone
operators:
  - name: acme                   # any name
    config: ./croupier.yaml      # made by: croupier init
    # client: acme-eu            # needed if croupier.yaml has several clients
`;

/** Returns the environment for the runs of a fleet. */
export function fleetEnvironment(env: Stdio['env']): Stdio['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !OF_ONE_CLIENT.some((one) => name === `CROUPIER_${one}`)),
  );
}

/** A fleet whose operators can be judged. */
export interface CheckedFleet {
  /** The folder of the file. */
  readonly dir: string;
  readonly operators: readonly CheckedOperator[];
  /** Remarks that do not prevent a run, such as an environment variable that is not set here. */
  readonly warnings: readonly string[];
}

/**
 * Reads a fleet, the configuration of each operator, and the files that the fleet and the configurations name.
 *
 * @param given the path of the file
 * @throws UsageError with every mistake, each with its line
 */
export async function checkFleet(given: string, stdio: Stdio): Promise<CheckedFleet> {
  const file = path.resolve(stdio.cwd, given);
  if (!existsSync(file))
    throw new UsageError(
      `There is no ${given}. Name another file with --file, or write this one, for example:\n\n${EXAMPLE}`,
    );
  const reading = readFleet(shownPath(file, stdio.cwd), readTextFile(file, 'The fleet'));
  const fleet = reading.kind === 'read' ? reading.fleet : reading.rest;
  const dir = path.dirname(file);
  const checker = new FleetChecker(fleet, dir, { ...stdio, cwd: dir, env: fleetEnvironment(stdio.env) });
  const operators: CheckedOperator[] = [];
  for (const index of fleet.operators.keys()) operators.push(...(await checker.check(index)));
  const mistakes = [...(reading.kind === 'broken' ? reading.diagnostics : []), ...checker.mistakes];
  if (mistakes.length > 0) throw diagnosticsError(mistakes.toSorted(byPlace));
  return { dir, operators, warnings: checker.warnings };
}

class FleetChecker {
  readonly mistakes: Diagnostic[] = [];
  readonly warnings: string[] = [];
  readonly #fleet: Fleet;
  readonly #dir: string;
  readonly #stdio: Stdio;
  /**
   * The configurations by path, so that a file that many operators share is read once. Undefined for a file with mistakes.
   */
  readonly #configurations = new Map<string, Configuration | undefined>();

  /** The suites by their sources, so that each suite is loaded once. */
  readonly #suites = new Map<string, Suite>();

  /** The names of the operators by ExtCID and base URL. */
  readonly #names = new Map<string, string>();

  /** The clients with a warning. One warning for each is enough. */
  readonly #mixed = new Set<string>();

  constructor(fleet: Fleet, dir: string, stdio: Stdio) {
    this.#fleet = fleet;
    this.#dir = dir;
    this.#stdio = stdio;
  }

  /** Returns a list with the operator; an empty list if the operator has a mistake. */
  async check(index: number): Promise<readonly CheckedOperator[]> {
    const operator = this.#fleet.operators[index];
    if (!operator) return [];
    const configFile = path.resolve(this.#dir, operator.config);
    const baselineFile = operator.baseline === undefined ? undefined : path.resolve(this.#dir, operator.baseline);
    const configuration = await this.#configuration(index, configFile);
    const extCID = configuration && this.#client(index, operator, configuration);
    const client = configuration && extCID !== undefined ? clientAt(extCID, configuration, this.#stdio.env) : undefined;
    if (client) this.#compareClients(operator.name, client);
    await this.#notify(index, operator);
    if (configuration) await this.#scenarios(index, operator, configuration, baselineFile);
    return configuration && client ? [{ ...operator, ...client, isReady: isReady(client.extCID, configuration) }] : [];
  }

  /** Warns of a second operator with the same client. The history knows an operator by its ExtCID and its base URL. */
  #compareClients(name: string, { extCID, operator }: ClientAt): void {
    const key = JSON.stringify([extCID, operator]);
    const other = this.#names.get(key);
    if (other === undefined) this.#names.set(key, name);
    if (other === undefined || other === name || this.#mixed.has(key)) return;
    this.#mixed.add(key);
    this.warnings.push(
      `The operators ${name} and ${other} have the same ExtCID ${extCID} and the same base URL, so the status, the board and the history mix their results. To keep the results apart, put one of the operators into a fleet.yaml in another folder.`,
    );
  }

  #mistake(index: number, key: string, message: string, fix?: string): void {
    this.mistakes.push(this.#fleet.report(index, key, message, fix));
  }

  async #configuration(index: number, file: string): Promise<Configuration | undefined> {
    if (this.#configurations.has(file)) return this.#configurations.get(file);
    const configuration = await this.#attempt(index, 'config', () => loadConfiguration(file, this.#stdio));
    this.#configurations.set(file, configuration);
    for (const { diagnostic } of configuration?.unset ?? [])
      this.warnings.push(`${diagnostic.file}:${diagnostic.line}: ${diagnostic.message}`);
    for (const { file: named, line, message, fix } of configuration?.warnings ?? [])
      this.#mistake(index, 'config', `${named}:${line}: ${message}`, fix);
    return configuration;
  }

  #client(index: number, { client }: FleetOperator, { config, file }: Configuration): string | undefined {
    const known = (config.clients ?? []).map(({ extCID }) => extCID);
    const [only] = known;
    if (only === undefined) this.#mistake(index, 'config', `${file} names no client`);
    else if (client !== undefined && !known.includes(client)) {
      const near = nearest(client, known);
      const fix = near === undefined ? `its clients: ${known.join(', ')}` : `did you mean \`${near}\`?`;
      this.#mistake(index, 'client', `${file} has no client \`${client}\``, fix);
    } else if (client === undefined && known.length > 1)
      this.#mistake(index, 'config', `${file} has ${known.length} clients`, `add \`client\`: ${known.join(', ')}`);
    else return client ?? only;
    return undefined;
  }

  /** Reads the addresses that get the results, in the same way as the run of the operator. */
  async #notify(index: number, { notify }: FleetOperator): Promise<void> {
    if (!notify) return;
    const targets = await this.#attempt(index, 'notify', () => targetsOfText(JSON.stringify(notify), this.#stdio));
    for (const { missing } of targets ?? []) {
      const warning = `notify: the environment has no ${missing}`;
      if (missing !== undefined && !this.warnings.includes(warning)) this.warnings.push(warning);
    }
  }

  async #scenarios(
    index: number,
    { select = [] }: FleetOperator,
    configuration: Configuration,
    baselineFile: string | undefined,
  ): Promise<void> {
    const { cwd } = this.#stdio;
    const found = await this.#attempt(index, select.length > 0 ? 'select' : 'config', () => {
      const suite = this.#suite(sourcesFor(select, configuration, cwd));
      return { suite, chosen: choose(suite, { words: select, tags: [], grep: undefined, quick: false }, cwd) };
    });
    if (!found || baselineFile === undefined) return;
    const { suite, chosen } = found;
    const clients = (configuration.config.clients ?? []).map(({ extCID }) => extCID);
    const subjects = { suite: suite.scenarios, chosen, clients };
    await this.#attempt(index, 'baseline', () => loadBaseline(baselineFile, subjects, cwd));
  }

  /** Returns the suite of these sources. @throws UsageError with the first mistake in it */
  #suite(sources: readonly SuiteSource[]): Suite {
    const key = JSON.stringify(sources);
    const known = this.#suites.get(key);
    if (known) return known;
    const suite = loadSuite(sources, this.#stdio.cwd, randomUUID);
    const [mistake] = mistakesIn(suite);
    if (mistake) throw diagnosticsError([mistake]);
    this.#suites.set(key, suite);
    return suite;
  }

  /**
   * Does a piece of work. If the work throws a usage error, reports it as a mistake at this key of the operator, and returns
   * undefined.
   */
  async #attempt<T>(index: number, key: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw new Error(whyUnreadable(error), { cause: error });
      const [first = ''] = error.message.split('\n');
      // The list of mistakes ends with this sentence itself.
      this.#mistake(index, key, first.replace(/\.? Nothing was sent\.$/, ''));
      return undefined;
    }
  }
}

/** Returns the client with its operator. If the environment lacks a variable that the base URL needs, the operator is not known. */
function clientAt(extCID: string, configuration: Configuration, env: Stdio['env']): ClientAt {
  const clients = configuration.config.clients ?? [];
  const index = clients.findIndex((client) => client.extCID === extCID);
  const integratorBaseUrl = clients[index]?.integratorBaseUrl;
  const variables = configuration.origin(['clients', index, 'integratorBaseUrl'])?.variables ?? [];
  const isKnown = integratorBaseUrl !== undefined && variables.every((name) => env[name]);
  return { extCID, operator: isKnown ? operatorOf({ client: { extCID, integratorBaseUrl } }) : undefined };
}

function isReady(extCID: string, { config, unset }: Configuration): boolean {
  const own = (config.clients ?? []).findIndex((client) => client.extCID === extCID);
  return !unset.some(({ client }) => client === null || client === own);
}
