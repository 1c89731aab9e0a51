import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { RULES } from '../contract/catalogue.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { RULE_GROUPS } from '../contract/rule.ts';
import { CHANGES, CONTRACT_VERSIONS } from '../contract/versions.ts';
import { DEFECTS } from '../operator/defects.ts';
import { HABITS } from '../operator/habits.ts';
import { REPORT_KINDS } from '../report/kinds.ts';
import type { Candidate, Spot, Wanted } from './completion-answer.ts';
import { type Configuration, loadConfiguration } from './configuration.ts';
import type { Stdio } from './stdio.ts';
import { builtInSource, loadSuite, type SuiteScenario, userSource } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** What can stand there, beside what commander knows by itself. Files where nothing else is known. */
export async function candidatesFor({ command, option, word, config }: Spot, stdio: Stdio): Promise<Wanted> {
  switch (option) {
    case null:
      return argument(command, word, config, stdio);
    case '--defect':
      return DEFECTS.map(({ name, description }) => ({ value: name, means: description }));
    case '--habit':
      return HABITS.map(({ name, description }) => ({ value: name, means: description }));
    case '--report':
    case '--to':
      return Object.keys(REPORT_KINDS).map((kind) => plain(`${kind}=`));
    case '--stake':
      return CURRENCIES.map(({ code }) => plain(`${code}=`));
    case '--contract':
    case '--since':
      return CONTRACT_VERSIONS.map((version) => ({ value: version, means: CHANGES[version] }));
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
      // The many scenarios only once a slash has been typed.
      return word.includes('/') ? stories(word, await suite(config, stdio)) : [...groups(), ...rules()];
    case 'list':
      return [...groups(), ...rules()];
    case 'selftest':
      return [...DEFECTS, ...HABITS].map(({ name, description }) => ({ value: name, means: description }));
    default:
      return 'files';
  }
}

function stories(word: string, scenarios: readonly SuiteScenario[]): readonly Candidate[] {
  // All cases of a story only when it is clear which story is meant.
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

/** A configuration with mistakes in it is complained about when it is used, not while somebody is typing. */
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
