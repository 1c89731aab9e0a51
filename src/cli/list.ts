import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { GROUPS, isRuleId, RULES, type RuleId } from '../contract/catalogue.ts';
import { RULE_GROUPS, type Rule } from '../contract/rule.ts';
import { isThere } from '../contract/since.ts';
import { CHANGES, CONTRACT_VERSIONS, type ContractVersion } from '../contract/versions.ts';
import { plural } from '../report/layout.ts';
import { nearest } from '../scenario/near.ts';
import type { Needs } from '../scenario/plan.ts';
import { complaintsError, loadConfiguration } from './configuration.ts';
import type { Stdio } from './stdio.ts';
import { builtInSource, loadSuite, type SuiteScenario, userSource } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** What can be listed. */
export type Listable = 'rules' | 'scenarios' | 'defects' | 'habits';

/**
 * `croupier list`: the rules with the scenarios that test them, the scenarios with what they need, or the defects and habits
 * of the reference operator.
 */
export async function listCommand(
  what: Listable,
  words: readonly string[],
  flags: { readonly config?: string; readonly json?: boolean; readonly since?: ContractVersion },
  stdio: Stdio,
): Promise<number> {
  if (flags.since !== undefined && what !== 'rules')
    throw new UsageError(`--since is for croupier list rules; ${what} have no version of their own.`);
  if (what === 'defects' || what === 'habits') {
    const { listDefects, listHabits } = await import('./list-variations.ts');
    const list = what === 'defects' ? listDefects : listHabits;
    list(words, flags.json === true, stdio);
    return 0;
  }
  const { config, dir } = await loadConfiguration(flags.config, stdio);
  const configured = (config.scenarios ?? []).map((given) => userSource(path.resolve(dir, given), stdio.cwd));
  const suite = loadSuite([builtInSource(), ...configured], stdio.cwd, randomUUID);
  if (suite.complaints.length > 0) throw complaintsError(suite.complaints);
  const rules = rulesNamed(words).filter(({ since }) => flags.since === undefined || !isThere(since, flags.since));
  if (what === 'rules') {
    if (flags.since !== undefined && !flags.json) stdio.out.write(changesSince(flags.since, rules.length));
    listRules(rules, suite.scenarios, flags.json === true, stdio);
  } else {
    const named = new Set<RuleId>(rules.map(({ id }) => id));
    const some = suite.scenarios.filter((one) => words.length === 0 || one.rules.some((rule) => named.has(rule)));
    listScenarios(some, flags.json === true, stdio);
  }
  return 0;
}

/** What came after an integration was made, and how many rules with it. */
function changesSince(since: ContractVersion, rules: number): string {
  const later = CONTRACT_VERSIONS.filter((version) => !isThere(version, since)).toReversed();
  if (later.length === 0) return `Nothing came after ${since}: it is the latest version of the contract.\n`;
  const lines = later.map((version) => `  ${version.padEnd(7)} ${CHANGES[version]}\n`);
  const judged = rules === 0 ? 'No rule came with them.' : `${plural(rules, 'rule')} came with them:`;
  return `What came after ${since}:\n${lines.join('')}\n${judged}\n\n`;
}

/** Those rules that the words name by id or group; none: all of them. @throws UsageError */
function rulesNamed(words: readonly string[]): readonly Rule[] {
  for (const word of words) {
    if (isRuleId(word) || RULE_GROUPS.some((group) => group === word)) continue;
    const near = nearest(word, [...RULE_GROUPS, ...RULES.map(({ id }) => id)]);
    throw new UsageError(
      `Nothing is called ${word}: no rule and no group. ${near === undefined ? 'croupier list rules shows them all.' : `Did you mean ${near}?`}`,
    );
  }
  return RULES.filter(({ id, group }) => words.length === 0 || words.includes(id) || words.includes(group));
}

function listRules(chosen: readonly Rule[], scenarios: readonly SuiteScenario[], json: boolean, { out }: Stdio): void {
  const testing = new Map(
    chosen.map((rule) => [
      rule.id,
      [...new Set(scenarios.filter(({ rules }) => rules.includes(rule.id)).map(({ scenarioId }) => scenarioId))],
    ]),
  );
  if (json) {
    const rows = chosen.map(({ id, level, money, clause, sentence, means, since }) => ({
      id,
      level,
      money,
      clause,
      sentence,
      means,
      since,
      scenarios: testing.get(id) ?? [],
    }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  for (const { name, rules } of GROUPS) {
    const some = rules.filter((rule) => chosen.includes(rule));
    if (some.length > 0) out.write(`${name}\n`);
    for (const rule of some) {
      out.write(`  ${rule.id}  ${rule.level}${rule.money ? ' $' : ''}  (${rule.clause})\n    ${rule.sentence}\n`);
      if (rule.means !== null) out.write(`    if broken: ${rule.means}\n`);
      const tests = testing.get(rule.id) ?? [];
      out.write(`    ${tests.length > 0 ? `tested by ${tests.join(', ')}` : 'tested by no scenario'}\n`);
    }
  }
  out.write('\n$ a breach loses or invents money\n');
}

function listScenarios(scenarios: readonly SuiteScenario[], json: boolean, { out }: Stdio): void {
  if (json) {
    const rows = scenarios.map(({ id, title, place, rules, tags, needs }) => ({
      id,
      title,
      file: place.file,
      rules,
      tags,
      needs: needsOf(needs),
    }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  for (const { id, title, rules, tags, needs } of scenarios) {
    out.write(`${id}\n    ${title}\n`);
    if (rules.length > 0) out.write(`    tests ${rules.join(', ')}\n`);
    const needed = needsOf(needs);
    if (needed.length > 0) out.write(`    needs ${needed.join('; ')}\n`);
    if (tags.length > 0) out.write(`    tags ${tags.join(', ')}\n`);
  }
}

/** What must be configured for the scenario to be played, in words. */
function needsOf(needs: Needs): readonly string[] {
  const words: string[] = [];
  const { currency } = needs;
  if (needs.balance) words.push('a certain balance');
  if (currency?.kind !== undefined) words.push(`a ${currency.kind} currency`);
  if (currency?.decimals !== undefined) {
    words.push(
      currency.decimals === 'some' ? 'a currency with decimals' : `a currency with ${currency.decimals} decimals`,
    );
  }
  if (needs.state === 'expired') words.push('an expired session');
  if (needs.otherClient) words.push('a second client with another key');
  if (needs.earlierRun) words.push('the journal of an earlier run');
  if (needs.campaign) words.push('a campaign that the operator knows');
  if (needs.largeAmounts) words.push('large amounts allowed');
  if (needs.launches) words.push('launches by the operator');
  for (const [alias, need] of needs.sessions) {
    const parts = [
      need.player && `${need.player} player`,
      need.game && `${need.game} game`,
      need.currency && `${need.currency} currency`,
      need.state,
    ].filter((part) => part !== undefined);
    words.push(`another session (${alias}${parts.length > 0 ? `: ${parts.join(', ')}` : ''})`);
  }
  return words;
}
