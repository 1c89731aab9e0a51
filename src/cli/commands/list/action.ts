import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import type { ClientConfig, Config } from '../../../app/config/schema.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { builtInSource, loadSuite, type SuiteScenario, userSource } from '../../../app/suite.ts';
import { isRuleId, RULES, type Rule, type RuleId } from '../../../contract/catalogue.ts';
import { plural } from '../../../contract/plural.ts';
import { RULE_GROUPS } from '../../../contract/rule.ts';
import { CHANGES, CONTRACT_VERSIONS, type ContractVersion, isThere } from '../../../contract/versions.ts';
import { playerOf } from '../../../engine/session-pool.ts';
import { forTerminal } from '../../../report/escape.ts';
import { columnsOf, cutTo, hanging, padEnd } from '../../../report/terminal/layout.ts';
import { nearest } from '../../../scenario/near.ts';
import type { Needs } from '../../../scenario/plan/plan.ts';
import { LISTS, type ListFlags, type ListName } from './flags.ts';
import { ruleRows } from './rule-rows.ts';

/**
 * `croupier list`: prints a table of rules, everything about one rule, scenarios with what they need, or the defects and
 * variants of the reference operator.
 *
 * @returns 0
 */
export async function listCommand(
  what: ListName | undefined,
  words: readonly string[],
  flags: ListFlags,
  stdio: Stdio,
): Promise<number> {
  if (what === undefined) {
    listLists(flags.json === true, stdio);
    return 0;
  }
  if (flags.since !== undefined && what !== 'rules')
    throw new UsageError(`--since works only with croupier list rules, because ${what} have no contract version.`);
  if (what === 'defects' || what === 'variants') {
    const { listDefects, listVariants } = await import('./variations.ts');
    const list = what === 'defects' ? listDefects : listVariants;
    list(words, flags.json === true, stdio);
    return 0;
  }
  const { config, dir, found } = await loadConfiguration(flags.config, stdio);
  if (what === 'clients') {
    // A pipeline may create one job for each line of this list. With an empty list, the pipeline would test nothing and still
    // succeed. So an empty list is an error.
    if (!found || !config.clients?.length) {
      const why = found ? 'The configuration names no clients' : 'There is no croupier.yaml in this folder';
      throw new UsageError(`${why}, so no client can be listed. Name another file with --config.`);
    }
    listClients(clientsNamed(words, config), flags.json === true, stdio);
    return 0;
  }
  const configured = (config.scenarios ?? []).map((given) => userSource(path.resolve(dir, given), stdio.cwd));
  const suite = loadSuite([builtInSource(), ...configured], stdio.cwd, randomUUID);
  if (suite.diagnostics.length > 0) throw diagnosticsError(suite.diagnostics);
  if (what === 'rule') {
    if (words.length === 0)
      throw new UsageError(
        'croupier list rule needs the id of a rule, such as bet.debit. croupier list rules shows them all.',
      );
    const { showRules } = await import('./rule-text.ts');
    showRules(rulesNamed(words), suite.scenarios, flags.json === true, stdio);
    return 0;
  }
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

/** Prints the names of the lists. */
function listLists(json: boolean, { out }: Stdio): void {
  const rows = Object.entries(LISTS).map(([name, meaning]) => ({ name, meaning }));
  if (json) {
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, meaning } of rows) out.write(`croupier list ${name.padEnd(width)}  ${meaning}\n`);
}

/** Returns the clients that the words name by ExtCID. Without words, returns all clients. @throws UsageError for an unknown word */
function clientsNamed(words: readonly string[], { clients = [] }: Config): readonly ClientConfig[] {
  const known = clients.map(({ extCID }) => extCID);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) return clients.filter(({ extCID }) => words.length === 0 || words.includes(extCID));
  const near = nearest(unknown, known);
  throw new UsageError(
    `The configuration has no client ${unknown}. ${near === undefined ? `It has: ${known.join(', ') || 'none'}.` : `Did you mean ${near}?`}`,
  );
}

/** Lists clients without reading their keys. So a job that does not have the keys can plan other jobs. */
function listClients(clients: readonly ClientConfig[], json: boolean, { out }: Stdio): void {
  const rows = clients.map(({ extCID, integratorBaseUrl, sessions = [] }) => ({
    extCID,
    integratorBaseUrl,
    sessions: sessions.length,
    players: new Set(sessions.map(playerOf)).size,
  }));
  if (json) {
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ extCID }) => columnsOf(extCID)), 0);
  const urlWidth = Math.max(...rows.map(({ integratorBaseUrl }) => columnsOf(integratorBaseUrl)), 0);
  for (const { extCID, integratorBaseUrl, sessions, players } of rows) {
    const counts = `${plural(sessions, 'session')} of ${plural(players, 'player')}`;
    out.write(`${forTerminal(`${padEnd(extCID, width)}  ${padEnd(integratorBaseUrl, urlWidth)}  ${counts}`)}\n`);
  }
}

/** Describes the changes of the contract after a version, and the number of rules that they add. */
function changesSince(since: ContractVersion, rules: number): string {
  const later = CONTRACT_VERSIONS.filter((version) => !isThere(version, since)).toReversed();
  if (later.length === 0) return `There are no changes since ${since}: it is the latest version of the contract.\n`;
  const lines = later.map((version) => `  ${version.padEnd(7)} ${CHANGES[version]}\n`);
  const judged = rules === 0 ? 'They add no rule.' : `They add ${plural(rules, 'rule')}:`;
  return `Changes since ${since}:\n${lines.join('')}\n${judged}\n\n`;
}

/**
 * Returns the rules that the words name by id or group. Without words, returns all rules.
 *
 * @throws UsageError for an unknown word
 */
function rulesNamed(words: readonly string[]): readonly Rule[] {
  for (const word of words) {
    if (isRuleId(word) || RULE_GROUPS.some((group) => group === word)) continue;
    const near = nearest(word, [...RULE_GROUPS, ...RULES.map(({ id }) => id)]);
    throw new UsageError(
      `There is no rule or group ${word}. ${near === undefined ? 'croupier list rules shows them all.' : `Did you mean ${near}?`}`,
    );
  }
  return RULES.filter(({ id, group }) => words.length === 0 || words.includes(id) || words.includes(group));
}

function listRules(chosen: readonly Rule[], scenarios: readonly SuiteScenario[], json: boolean, { out }: Stdio): void {
  if (json) {
    out.write(`${JSON.stringify(ruleRows(chosen, scenarios), null, 2)}\n`);
    return;
  }
  const width = Math.max(0, ...chosen.map(({ id }) => id.length));
  const heading = `${'rule'.padEnd(width)}  level     requirement`;
  const rows = chosen.flatMap(({ id, level, money, sentence }) => {
    const start = `${id.padEnd(width)}  ${level.padEnd(6)} ${money ? '$' : ' '}  `;
    // On a terminal, the table is an overview with one line for each rule. A pager or a file gets the whole sentences.
    return out.tty ? [cutTo(`${start}${sentence}`, out.columns)] : hanging(start, sentence, out.columns);
  });
  for (const row of rows.length === 0 ? [] : [heading, ...rows]) out.write(`${row}\n`);
  out.write(
    '\n$ marks a rule whose breach loses or invents money.\nTo see everything about a rule: croupier list rule RULE\n',
  );
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

/** Describes in words what a scenario needs from the test environment. */
function needsOf(needs: Needs): readonly string[] {
  const words: string[] = [];
  const { currency } = needs;
  if (needs.balance) words.push('a certain balance');
  if (currency?.code !== undefined) words.push(`a session in ${currency.code}`);
  if (currency?.kind !== undefined) words.push(`a ${currency.kind} currency`);
  if (currency?.decimals !== undefined) {
    words.push(
      currency.decimals === 'some'
        ? 'a currency with decimals'
        : `a currency with ${plural(currency.decimals, 'decimal')}`,
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
      typeof need.currency === 'object' ? need.currency.code : need.currency && `${need.currency} currency`,
      need.state,
    ].filter((part) => part !== undefined);
    words.push(`another session (${alias}${parts.length > 0 ? `: ${parts.join(', ')}` : ''})`);
  }
  return words;
}
