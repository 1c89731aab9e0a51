import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Configuration, loadConfiguration } from '../../../app/config/configuration.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { builtInSource, loadSuite, type SuiteScenario, userSource } from '../../../app/suite.ts';
import { RULES } from '../../../contract/catalogue.ts';
import { CURRENCIES } from '../../../contract/currencies.ts';
import { RULE_GROUPS } from '../../../contract/rule.ts';
import { CHANGES, CONTRACT_VERSIONS } from '../../../contract/versions.ts';
import { DEFECTS } from '../../../operator/defects.ts';
import { VARIANTS } from '../../../operator/variants.ts';
import { REPORT_KINDS } from '../../../report/exports/kinds.ts';
import type { Candidate, Spot, Wanted } from './answer.ts';

/** Returns the values that commander does not know. Returns `files` if croupier does not know these values either. */
export async function candidatesFor({ command, option, word, config }: Spot, stdio: Stdio): Promise<Wanted> {
  switch (option) {
    case null:
      return argument(command, word, config, stdio);
    case '--defect':
      return DEFECTS.map(({ name, description }) => ({ value: name, means: description }));
    case '--variant':
    case '--habit':
      return VARIANTS.map(({ name, description }) => ({ value: name, means: description }));
    case '--report':
    case '--to':
      return Object.keys(REPORT_KINDS).map((kind) => plain(`${kind}=`));
    case '--stake':
    case '--decimals':
      return CURRENCIES.map(({ code }) => plain(`${code}=`));
    case '--contract':
    case '--since':
      return CONTRACT_VERSIONS.map((version) => ({ value: version, means: CHANGES[version] }));
    case '--require':
      return [...groups(), ...rules()];
    case '--tag':
      return [...new Set((await suite(config, stdio)).flatMap(({ tags }) => tags))].sort().map(plain);
    case '--client':
      return ((await configuration(config, stdio))?.config.clients ?? []).map(({ extCID, integratorBaseUrl }) => ({
        value: extCID,
        means: integratorBaseUrl,
      }));
    default:
      return 'files';
  }
}

async function argument(command: string, word: string, config: string | undefined, stdio: Stdio): Promise<Wanted> {
  switch (command) {
    case 'run':
      // There are too many scenarios for the first menu. They are offered only when the word contains a slash.
      return word.includes('/') ? scenarioIds(word, await suite(config, stdio)) : [...groups(), ...rules()];
    case 'list':
      return [...groups(), ...rules()];
    case 'selftest':
      return [...DEFECTS, ...VARIANTS].map(({ name, description }) => ({ value: name, means: description }));
    default:
      return 'files';
  }
}

function scenarioIds(word: string, scenarios: readonly SuiteScenario[]): readonly Candidate[] {
  // The cases of a scenario are offered only after the `#` behind its name.
  if (word.includes('#')) return scenarios.map(({ id, title }) => ({ value: id, means: title }));
  const titles = new Map(scenarios.toReversed().map(({ scenarioId, title }) => [scenarioId, title]));
  return [...titles].toReversed().map(([id, title]) => ({ value: id, means: title }));
}

async function suite(config: string | undefined, stdio: Stdio): Promise<readonly SuiteScenario[]> {
  const found = await configuration(config, stdio);
  const own = (found?.config.scenarios ?? []).map((given) => path.resolve(found?.dir ?? stdio.cwd, given));
  const sources = own.filter((file) => existsSync(file)).map((file) => userSource(file, stdio.cwd));
  return loadSuite([builtInSource(), ...sources], stdio.cwd, randomUUID).scenarios;
}

/**
 * Loads the configuration, or returns undefined if it has a mistake. The completion menu of a shell can't show a message. The
 * command itself reports the mistake later.
 */
async function configuration(named: string | undefined, stdio: Stdio): Promise<Configuration | undefined> {
  try {
    return await loadConfiguration(named, stdio);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function groups(): readonly Candidate[] {
  return RULE_GROUPS.map((group) => ({ value: group, means: 'all rules of this group' }));
}

function rules(): readonly Candidate[] {
  return RULES.map(({ id, sentence }) => ({ value: id, means: sentence }));
}

function plain(value: string): Candidate {
  return { value, means: '' };
}
