import { plural } from '../../contract/plural.ts';
import type { RunStarted } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { conditionsIn, reasonOfConditions } from '../../journal/results/missing-conditions.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { forTerminal } from '../escape.ts';
import type { Look } from '../options.ts';
import { wrap } from './layout.ts';

type Session = RunStarted['settings']['sessions'][number];

/** The beginnings of the reasons for which a scenario is skipped if a session is missing. */
const NEEDS_EXPIRED = 'the scenario needs an expired session';
const NEEDS_SESSION = ['the scenario needs another session', NEEDS_EXPIRED];

/** If a scenario is skipped because the currency of a session is not configured, the reason begins with this text. */
const NEEDS_CURRENCY = 'the scenario needs a session in a configured';

/** Stands for a value that only the user knows. */
const UNKNOWN = '…';

const FILE = 'croupier.yaml';

/**
 * Says which currencies and sessions the configuration must have so that more rules are tested, as YAML to copy. Empty if no rule
 * was left untested because of a missing currency or session.
 */
export function missingSessions(fold: Fold, options: Look): readonly string[] {
  return [...missingCurrency(fold, options), ...sessionsWanted(fold, options)];
}

function missingCurrency(fold: Fold, options: Look): readonly string[] {
  const [first] = fold.run.settings.sessions.filter(isActive);
  const untested = testedWithCurrency(fold);
  if (!first || untested.length === 0) return [];
  const sentence = `To test ${plural(untested.length, 'more rule')} (${idsOf(untested)}), give each session in ${FILE} its currency:`;
  const lines = [`- { sessionID: ${inYaml(first.sessionID)}, currency: ${UNKNOWN} } # such as EUR`];
  return [...advice(sentence, lines, options), ...furtherConditions(untested, 'the currency', options)];
}

function sessionsWanted(fold: Fold, options: Look): readonly string[] {
  const lines = sessionsToAdd(fold);
  const untested = withReason(fold, NEEDS_SESSION);
  const partly = testedInPart(fold);
  const wanted = [
    ...(untested.length === 0 ? [] : [`${plural(untested.length, 'more rule')} (${idsOf(untested)})`]),
    ...(partly.length === 0 ? [] : [`${plural(partly.length, 'rule')} completely (${idsOf(partly)})`]),
  ];
  if (wanted.length === 0 || lines.length === 0) return [];
  const sentence = `To test ${wanted.join(', and ')}, add to \`sessions\` of the client in ${FILE}, with your own values:`;
  return [...advice(sentence, lines, options), ...furtherConditions(untested, 'this session', options)];
}

function idsOf(results: readonly RuleResult[]): string {
  return results.map(({ rule }) => rule.id).join(', ');
}

function advice(sentence: string, lines: readonly string[], { width, paint }: Look): readonly string[] {
  return [
    '',
    ...wrap(sentence, width - 2).map((line) => `  ${line}`),
    // The lines are not wrapped, so that a user can copy them.
    ...lines.map((line) => `    ${paint.cyan(forTerminal(line))}`),
  ];
}

/** Returns the conditions that the rules need in addition to what the advice adds. */
function furtherConditions(untested: readonly RuleResult[], added: string, { width }: Look): readonly string[] {
  return untested.flatMap(({ rule, reason }) => {
    const [, ...further] = conditionsIn(reason);
    if (further.length === 0) return [];
    const also = `${rule.id} needs more than ${added}: ${reasonOfConditions(further)}`;
    return wrap(forTerminal(also), width - 2).map((line) => `  ${line}`);
  });
}

/**
 * Returns the rules that are untested because of a missing session, or because of a missing currency. Empty if it is unknown what
 * is missing.
 */
export function testedWithSessions(fold: Fold): readonly RuleResult[] {
  return [...testedWithCurrency(fold), ...(sessionsToAdd(fold).length === 0 ? [] : withReason(fold, NEEDS_SESSION))];
}

function testedWithCurrency(fold: Fold): readonly RuleResult[] {
  const hasCurrency = fold.run.settings.sessions.some((session) => isActive(session) && session.currency !== null);
  return hasCurrency ? [] : withReason(fold, [NEEDS_CURRENCY]);
}

function withReason({ rules }: Fold, beginnings: readonly string[]): readonly RuleResult[] {
  return rules.filter(({ verdict, reason }) => verdict === 'skip' && beginsWithOne(reason, beginnings));
}

function beginsWithOne(reason: string | null, beginnings: readonly string[]): boolean {
  return beginnings.some((words) => reason?.startsWith(words));
}

/** Returns the rules that passed, although some of their scenarios were skipped because of a missing session. */
function testedInPart({ rules, scenarios }: Fold): readonly RuleResult[] {
  const skipped = scenarios.filter(({ verdict, reason }) => verdict === 'skip' && beginsWithOne(reason, NEEDS_SESSION));
  return rules.filter(
    ({ rule, verdict }) => verdict === 'pass' && skipped.some(({ planned }) => planned.rules.includes(rule.id)),
  );
}

function sessionsToAdd({ run: { settings }, rules, scenarios }: Fold): readonly string[] {
  const { sessions } = settings;
  const needsExpired = [...rules, ...scenarios].some(
    ({ verdict, reason }) => verdict === 'skip' && beginsWithOne(reason, [NEEDS_EXPIRED]),
  );
  const active = sessions.filter(isActive);
  const [first] = active;
  if (!first) return [];
  const currency = inYaml(first.currency);
  const player = inYaml(first.player);
  const game = inYaml(first.gameID);
  const hasOther = (isOther: (session: Session) => boolean): boolean =>
    active.some((session) => session.currency === first.currency && isOther(session));
  return [
    ...(hasOther((session) => session.player !== null && session.player !== first.player)
      ? []
      : [`- { sessionID: ${UNKNOWN}, player: another, currency: ${currency}, gameID: ${game} } # other player`]),
    ...(hasOther((session) => session.gameID !== null && session.gameID !== first.gameID) &&
    hasOther((session) => session !== first && session.player !== null && session.player === first.player)
      ? []
      : [
          `- { sessionID: ${UNKNOWN}, player: ${player}, currency: ${currency}, gameID: another } # same player, other game`,
        ]),
    ...(!needsExpired || sessions.some((session) => !isActive(session))
      ? []
      : [`- { sessionID: ${UNKNOWN}, player: ${player}, currency: ${currency}, state: expired }`]),
  ];
}

/** Writes a value of a setting. JSON strings are YAML too. */
function inYaml(value: string | null): string {
  if (value === null) return UNKNOWN;
  return /^[A-Za-z][\w-]*$/.test(value) ? value : JSON.stringify(value);
}

function isActive({ state }: Session): boolean {
  return state === 'active';
}
