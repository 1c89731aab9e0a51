import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { MovedAlone } from './event.ts';
import { EXPECTATION, type Finding } from './finding.ts';

/** Rules that are not about money. But croupier needs a balance to judge them. */
const JUDGED_BY_BALANCE: ReadonlySet<RuleId> = new Set([
  'balance.read',
  'balance.read-only',
  'bet.exact-balance',
  'bet.insufficient-funds',
  'bet.zero',
  'win.after-refund',
  'win.zero',
  'refund.after-win',
  'refund.amount-mismatch',
  'refund.of-win',
  'free-rounds.empty-wallet',
  'free-rounds.withdrawal',
  'session.round-id-reuse',
]);

/** Rules about money for which croupier needs no balance, because the status of a reply shows a breach. */
const JUDGED_BY_STATUS: ReadonlySet<RuleId> = new Set([
  'signature.client-key',
  'signature.mismatch',
  'signature.missing',
  'signature.tampered-body',
]);

/**
 * True if croupier needs a balance to see a breach of the rule. Then somebody else who moves the balance can cause such a breach.
 * The breach of any other rule stays proven.
 */
function dependsOnBalance(rule: Finding['rule']): boolean {
  if (rule === EXPECTATION || JUDGED_BY_BALANCE.has(rule)) return true;
  return ruleById(rule).money && !JUDGED_BY_STATUS.has(rule);
}

/** True if a balance shows the finding. Then somebody else who moves the balance can cause it. */
export function isShownByBalance({ rule, wrongSum, causes }: Pick<Finding, 'rule' | 'wrongSum' | 'causes'>): boolean {
  // If balance calls that move money would explain the finding, somebody else who moves money explains it too. For example, a bet was
  // declined because the wallet had less money than croupier had read.
  return wrongSum !== undefined || dependsOnBalance(rule) || causes.includes('balance.read-only');
}

/** The reason why a failure is undecided that did not occur again, if nothing shows that the operator fails only now and then. */
export const UNREPEATED =
  'croupier repeated the scenario, and the failure did not occur again. Somebody else may have moved the balance, or the operator fails only now and then';

/** The reason why late replies of a run break no rule if they were late at only one time of the run. */
export const LATE_ONCE =
  'replies were late at only one time of the run, and not again when croupier repeated the scenario. The operator may have started just then, a server between may have paused, or the operator is late now and then';

/** The reason why a failure is undecided whose repetition is missing. */
export const NOT_REPEATED =
  'only a balance shows the failure, and croupier could not repeat the scenario to this point. So somebody else may have moved the balance';

/**
 * The two possible reasons if a balance changed while croupier sent nothing: a process that uses the player can move it, and an operator
 * that answers some reads wrongly shows such a change too.
 */
export const EITHER_MOVED_OR_MISREAD = "another process moves it, or the operator's reads are wrong";

/** Returns the reason why a breach of a rule about balances is undecided, as a clause. */
export function movedAloneReason({ player, sessionID, values }: MovedAlone): string {
  const whose = player === null ? `the session ${sessionID}` : `the player ${player}`;
  return `the balance of ${whose} changed without a call of this run (${values.join(' → ')}): ${EITHER_MOVED_OR_MISREAD}`;
}
