import { GROUPS, isRuleId, RULES, type Rule, type RuleId } from '../../contract/catalogue.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import { CONTRACT_VERSION, isThere } from '../../contract/versions.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { RequiredResult } from '../../journal/event.ts';
import { nearest } from '../../scenario/near.ts';
import type { Configuration } from '../config/configuration.ts';
import type { RunFlags } from '../config/run-flags.ts';
import { UsageError } from '../exit-status.ts';
import { namedBy, type Selection } from '../selection.ts';
import type { Stdio } from '../stdio.ts';
import type { Suite, SuiteScenario } from '../suite.ts';
import type { RunSettings } from './settings.ts';

/** The parts of a prepared run from which croupier finds the rules and scenarios that the run must decide. */
interface Requirements {
  readonly flags: RunFlags;
  readonly configuration: Pick<Configuration, 'config'>;
  readonly settings: Pick<RunSettings, 'strict'>;
  readonly selection: Selection;
  readonly suite: Suite;
  readonly stdio: Pick<Stdio, 'cwd' | 'env'>;
  /** The scenarios to play. */
  readonly scenarios: readonly SuiteScenario[];
  /** True if the run plays only some of the selected scenarios, for example those that failed. Absent: false. */
  readonly isSubset?: boolean;
  /** The ids of the scenarios that this run plays because the last run did not begin them. Absent: there are none. */
  readonly unplayed?: ReadonlySet<string> | undefined;
}

/**
 * Rules that croupier can test only if something happens by chance: the operator answers with an error that croupier did not cause,
 * or its backend reads a campaign. So a group does not require these rules.
 */
const WITHOUT_OPPORTUNITY: ReadonlySet<RuleId> = new Set(['refund.after-error', 'launch.campaign']);

/** Returns the names in the values of `--require`, in which commas separate names. */
function requiredNames({ require = [] }: RunFlags): readonly string[] {
  return require.flatMap((value) => value.split(',')).map((name) => name.trim());
}

/** Returns the names in `CROUPIER_REQUIRE`, with which a pipeline adds to the `require` of the configuration. */
function variableNames({ env }: Pick<Stdio, 'env'>): readonly string[] {
  return requiredNames({ require: [env.CROUPIER_REQUIRE ?? ''] }).filter((name) => name !== '');
}

/**
 * Refuses a name in `--require` or `CROUPIER_REQUIRE` that is neither a group nor a rule.
 *
 * @throws UsageError with a similar name
 */
export function refuseUnknownRules(flags: RunFlags, stdio: Pick<Stdio, 'env'>): void {
  const given = [
    ...requiredNames(flags).map((name) => ({ name, text: `--require ${name}` })),
    ...variableNames(stdio).map((name) => ({ name, text: `CROUPIER_REQUIRE=${name}` })),
  ];
  for (const { name, text } of given) {
    if (isRuleId(name) || RULE_GROUPS.some((group) => group === name)) continue;
    const near = nearest(name, [...RULE_GROUPS, ...RULES.map(({ id }) => id)]);
    const help = near === undefined ? 'croupier list rules shows them all.' : `Did you mean ${near}?`;
    throw new UsageError(`${text}: there is no group or rule with this name. Nothing was sent.\n${help}`);
  }
}

/**
 * Returns the rules and scenarios that the run must decide, because the selection, `--require` or the configuration
 * names them. A group stands for its rules that can fail the run.
 */
export function requiredOf({ contract = CONTRACT_VERSION }: ClientUnderTest, given: Requirements) {
  const { flags, configuration, settings, selection, suite, scenarios, stdio, isSubset = false, unplayed } = given;
  const tested = new Set(scenarios.flatMap(({ rules }) => rules));
  const ofGroup = (name: string): readonly RuleId[] =>
    requiredRules(GROUPS.find((group) => group.name === name)?.rules ?? [], settings.strict)
      .filter(({ id, since }) => !WITHOUT_OPPORTUNITY.has(id) && isThere(since, contract))
      .map(({ id }) => id);
  const rulesOf = (name: string): readonly RuleId[] => (isRuleId(name) ? [name] : ofGroup(name));
  const { words, tags, grep, quick } = selection;
  const isPart = isSubset || quick || words.length + tags.length > 0 || grep !== undefined;
  const found = new Map<string, RequiredResult>();
  const add = (kind: RequiredResult['kind'], by: RequiredResult['by'], ids: readonly string[]): void => {
    for (const id of ids) if (!found.has(`${kind} ${id}`)) found.set(`${kind} ${id}`, { kind, id, by });
  };
  // Nobody knows yet whether the configuration can test a scenario that the last run did not begin.
  const addUnplayed = (ids: readonly string[]): void => {
    for (const id of ids)
      if (unplayed?.has(id) === true)
        found.set(`scenario ${id}`, { kind: 'scenario', id, by: 'selection', maySkip: true });
  };
  // The rules of --require come first, so that --allow-skipped does not remove such a rule if it is also selected.
  add('rule', 'require', requiredNames(flags).flatMap(rulesOf));
  const configured = [...(configuration.config.require ?? []), ...variableNames(stdio)].flatMap(rulesOf);
  add('rule', 'require', isPart ? configured.filter((rule) => tested.has(rule)) : configured);
  if (flags.allowSkipped !== true) {
    const named = namedBy(selection, suite, stdio.cwd);
    add('rule', 'selection', isSubset ? named.rules.filter((rule) => tested.has(rule)) : named.rules);
    // With a tag, a text or --last-failed, the user may leave out scenarios of a group on purpose. So then a group is not
    // required.
    add(
      'rule',
      'selection',
      named.groups.flatMap(ofGroup).filter((rule) => tested.has(rule)),
    );
    // --last-failed requires each scenario that it repeats.
    const wanted = flags.lastFailed === undefined ? named.scenarios : scenarios;
    addUnplayed(scenarios.filter((scenario) => !named.scenarios.includes(scenario)).map(({ id }) => id));
    add(
      'scenario',
      'selection',
      wanted.filter((scenario) => scenarios.includes(scenario)).map(({ id }) => id),
    );
  }
  return [...found.values()];
}

/**
 * Returns the rules of a group that can fail the run: each MUST rule, and in strict mode each SHOULD rule. A group
 * without a MUST rule stands for its SHOULD rules.
 */
function requiredRules(rules: readonly Rule[], strict: boolean): readonly Rule[] {
  const must = rules.filter(({ level }) => level === 'MUST' || (strict && level === 'SHOULD'));
  return must.length > 0 ? must : rules.filter(({ level }) => level === 'SHOULD');
}
