import type { RunStarted } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { conditionsIn, reasonOfConditions } from '../../journal/results/missing-conditions.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { forTerminal } from '../escape.ts';
import type { ReportOptions } from '../options.ts';
import { plural, wrap } from './layout.ts';

type Session = RunStarted['settings']['sessions'][number];

/** The beginnings of the reasons for which a scenario was skipped because a session was missing. */
const NEEDS_SESSION = ['the scenario needs another session', 'the scenario needs an expired session'];

/** Stands for a value that only the user knows. */
const UNKNOWN = '…';

/**
 * Says which sessions the configuration must have so that more rules are tested, as YAML to copy. Empty if no rule was left
 * untested because of a missing session.
 */
export function missingSessions(fold: Fold, { width, paint }: ReportOptions): readonly string[] {
  const untested = testedWithSessions(fold);
  const lines = sessionsToAdd(fold);
  if (untested.length === 0 || lines.length === 0) return [];
  const names = untested.map(({ rule }) => rule.id).join(', ');
  const file = 'croupier.yaml';
  const sentence = `To test ${plural(untested.length, 'more rule')} (${names}), add to \`sessions\` of the client in ${file}, with your own values:`;
  return [
    '',
    ...wrap(sentence, width - 2).map((line) => `  ${line}`),
    // The lines are not wrapped, so that a user can copy them.
    ...lines.map((line) => `    ${paint.cyan(forTerminal(line))}`),
    ...untested.flatMap(({ rule, reason }) => {
      const [, ...further] = conditionsIn(reason);
      if (further.length === 0) return [];
      const also = `${rule.id} needs more than this session: ${reasonOfConditions(further)}`;
      return wrap(forTerminal(also), width - 2).map((line) => `  ${line}`);
    }),
  ];
}

/** Returns the rules that are untested because of a missing session. Empty if it is unknown which session is missing. */
export function testedWithSessions(fold: Fold): readonly RuleResult[] {
  if (sessionsToAdd(fold).length === 0) return [];
  return fold.rules.filter(
    ({ verdict, reason }) => verdict === 'skip' && NEEDS_SESSION.some((words) => reason?.startsWith(words)),
  );
}

function sessionsToAdd({ run: { settings } }: Fold): readonly string[] {
  const { sessions } = settings;
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
    ...(hasOther((session) => session.gameID !== null && session.gameID !== first.gameID)
      ? []
      : [`- { sessionID: ${UNKNOWN}, player: ${player}, currency: ${currency}, gameID: another } # other game`]),
    ...(sessions.some((session) => !isActive(session))
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
