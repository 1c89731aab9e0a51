import type { CallName, TransactionCall } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { breach, type Decision, explainedBy } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import { breaksConnection, hasUsedTxID, type PlannedCall, type PlannedCalls } from '../planned-calls.ts';
import { causesOfUnreadable, check200, type GroupChecks, type RuleCheck } from './check.ts';

/** True for a resend that is sent alone and correctly signed, of a call that the operator had to carry out. */
const isReplay = (planned: PlannedCall): boolean =>
  planned.step.origin.kind === 'resend' &&
  planned.regular &&
  planned.group === null &&
  planned.source?.regular === true &&
  !breaksConnection(planned.source) &&
  planned.source.step.expect.outcome !== 'declined' &&
  planned.step.type !== 'free' &&
  planned.source.step.type !== 'free';

function replayOf(call: TransactionCall, word: string): RuleCheck {
  return {
    effect: `a ${word} that is sent again has no second effect`,
    applies: (planned) =>
      planned.step.call === call && isReplay(planned) && !(call === 'bet' && planned.refundsBefore > 0),
    reply(observed) {
      if (observed.earlier?.answer !== 'accepted' && observed.earlier?.reply === undefined) {
        const reason = `the first ${word} was not accepted`;
        // If the scenario lets the operator decide whether to accept the first call, other scenarios decide this rule.
        const mayFail =
          observed.earlier?.answer === 'declined' || observed.planned.source?.step.expect.outcome === 'either';
        return { kind: mayFail ? 'skip' : 'undecided', reason };
      }
      return (
        check200(observed, `an accepted ${word} that is sent again`) ?? otherTxID(observed, word, severalOf(observed))
      );
    },
    hypotheses(observed) {
      const { earlier } = observed;
      if (!earlier?.reply) return [];
      const sum: Money = earlier.effect;
      return sum.isZero() ? [] : [{ by: sum, meaning: `the ${word} that was sent again took effect a second time` }];
    },
  };
}

function otherTxID(observed: ObservedCall, word: string, causes: readonly RuleId[]): Decision | undefined {
  const first = observed.earlier?.reply?.txID;
  const again = observed.reading?.txID;
  if (first === undefined || first === again || (again !== undefined && isOfNothing(observed))) return undefined;
  const expected = `the repeated ${word} is answered with the same operator txID, ${JSON.stringify(first)}`;
  const actual = again === undefined ? 'the reply has no txID' : `the txID is ${JSON.stringify(again)}`;
  return breach(expected, actual, [...causes, ...causesOfUnreadable(observed)]);
}

/**
 * True for a repeated refund of a bet that was never taken. The first refund moved no money, so the operator need not store its
 * txID.
 */
function isOfNothing({ planned, target }: ObservedCall): boolean {
  if (planned.step.call !== 'refund' || !planned.source) return false;
  const isUntaken = target?.state === 'none' || target?.state === 'refused';
  return planned.source.step.refund?.kind === 'unknown' || planned.source.targetIsLater || isUntaken;
}

/**
 * Returns the rule that explains why the reply to a resend has another txID. If the operator carried out several copies that were
 * sent at the same instant, the operator has several transactions. The reply to a resend may then be about any of these
 * transactions.
 */
function severalOf({ planned }: ObservedCall): readonly RuleId[] {
  return planned.source?.group === null ? [] : ['idempotency.concurrent'];
}

/** For the first refund of a bet, returns the earlier bets that have the txID of this bet but a different body. */
function othersOfTarget(
  { step, index, target, refundsBefore, regular }: PlannedCall,
  plannedCalls: PlannedCalls,
): readonly PlannedCall[] {
  if (step.call !== 'refund' || step.origin.kind !== 'fresh' || !target || !regular || refundsBefore > 0) return [];
  return plannedCalls.calls.filter(
    ({ sameTxID, step: other, index: at }) => sameTxID === target && other.call === target.step.call && at < index,
  );
}

/** Returns the hypotheses that a refund gives back a wrong amount: the amount of a later call that has the txID of the bet. */
function ofReplaced(observed: ObservedCall): readonly BalanceHypothesis[] {
  const own = observed.target?.amount;
  if (observed.answer !== 'accepted' || !own) return [];
  return othersOfTarget(observed.planned, observed.plannedCalls)
    .flatMap((other) => observed.amountOf(other) ?? [])
    .filter((amount) => !amount.equals(own))
    .map((amount) => ({
      by: amount.minus(own),
      meaning: `the refund gave back ${amount}, the amount of another body, for a bet of ${own}`,
    }));
}

/**
 * True if the operator answers that the session of an earlier run has ended. Then the resend does not show whether the operator
 * still knows the transaction.
 */
function isOver({ planned, reading }: ObservedCall): boolean {
  const { origin } = planned.step;
  return (
    origin.kind === 'earlier' &&
    origin.from === 'journal' &&
    (reading?.code === 'session_expired' || reading?.code === 'session_not_found')
  );
}

/**
 * Returns the rule about a call that is sent again in the same run. If an operator breaks this rule for every repeated call, it
 * also handles a call of an earlier run wrongly.
 */
function ruleOfReplay(call: CallName): readonly RuleId[] {
  return call === 'balance' ? [] : [`idempotency.${call}`];
}

/** Describes the second effect of a txID that was sent again with another body. */
function meaningOfSecond(observed: ObservedCall): string {
  const { planned } = observed;
  const { call, session } = planned.step;
  if (planned.sameTxID?.step.session !== session) return inOtherSession(call);
  return `the call with a used txID and another ${isSameAmount(observed) ? 'body' : 'amount'} moved money`;
}

function isSameAmount({ amount, earlier }: ObservedCall): boolean {
  return amount !== undefined && earlier?.amount?.equals(amount) === true;
}

/** The end of a sentence: the likely cause if a call has a second effect in another session of its player. */
export const BY_SESSION = ', as if the wallet looks up repeated calls by session and txID';

/** Describes the second effect of a call that was sent again in another session of its player. */
export function inOtherSession(call: CallName): string {
  return `the ${call} took effect again in the other session${BY_SESSION}`;
}

export const idempotencyChecks: GroupChecks<'idempotency'> = {
  'idempotency.bet': replayOf('bet', 'bet'),
  'idempotency.win': replayOf('win', 'win'),
  'idempotency.refund': replayOf('refund', 'refund'),

  'idempotency.same-reply': {
    applies: (planned) =>
      planned.step.origin.kind === 'earlier' ||
      (planned.step.call !== 'balance' &&
        isReplay(planned) &&
        !(planned.step.call === 'bet' && planned.refundsBefore > 0)),
    reply(observed) {
      const first = observed.earlier?.reply;
      const { reading } = observed;
      if (observed.answer !== 'accepted' || !reading || !first) return undefined;
      if (reading.txID !== first.txID) {
        // If the first call moved money, another rule already reports the different txID. A second report would count one fault
        // twice.
        if (!isOfNothing(observed) || reading.txID === undefined || first.txID === undefined) return undefined;
        return breach(
          `the repeated call is answered with the txID of the first reply, ${JSON.stringify(first.txID)}, even if no money moved`,
          `the txID is ${JSON.stringify(reading.txID)}`,
        );
      }
      const then = first.balance.money;
      const now = reading.balance.money;
      if (then === undefined || now === undefined) return undefined;
      return then.equals(now)
        ? { kind: 'pass' }
        : breach(
            `the repeated call is answered with the balance of the first reply, ${first.balance.written}`,
            `the repeated call is answered with the balance ${reading.balance.written}`,
          );
    },
  },

  // The file races/race.ts judges this rule, for all copies of a call together.
  'idempotency.concurrent': {
    applies: (planned) => planned.group !== null && planned.regular && planned.step.origin.kind === 'copy',
  },

  'idempotency.declined-bet': {
    observed: true,
    applies: (planned) =>
      planned.step.call === 'bet' &&
      planned.step.origin.kind === 'resend' &&
      planned.source?.step.expect.outcome === 'declined' &&
      planned.regular,
  },

  'idempotency.after-refund': {
    effect: 'a refunded bet that is sent again takes nothing',
    applies: (planned) => planned.step.call === 'bet' && isReplay(planned) && planned.refundsBefore > 0,
    hypotheses: (observed) =>
      observed.earlier && !observed.earlier.effect.isZero() && observed.reading
        ? [
            {
              by: observed.earlier.effect,
              meaning: 'the refunded bet, sent again, was taken',
              causes: ['idempotency.bet'],
            },
          ]
        : [],
  },

  // If the same call is sent in two sessions at the same instant, the file races/race.ts judges this rule.
  'idempotency.conflicting-body': {
    effect: 'a processed txID that is sent again with another body moves nothing',
    applies: (planned, plannedCalls) => hasUsedTxID(planned) || othersOfTarget(planned, plannedCalls).length > 0,
    hypotheses(observed) {
      const { earlier } = observed;
      if (observed.planned.target && observed.planned.sameTxID === null) return ofReplaced(observed);
      if (!earlier || observed.effect.isZero()) return [];
      const meaning = meaningOfSecond(observed);
      // If an operator carries out every repeated call a second time, it also does so if the call is repeated in another session.
      const causes = isSameAmount(observed) ? ruleOfReplay(observed.planned.step.call) : [];
      const difference = observed.effect.minus(earlier.effect);
      return [
        { by: observed.effect, meaning, causes },
        { by: earlier.effect, meaning, causes },
        { by: difference, meaning: 'the earlier transaction was changed to the new amount' },
      ].filter(({ by }) => !by.isZero());
    },
  },

  'idempotency.across-calls': {
    observed: true,
    applies: (planned) =>
      planned.sameTxID !== null && planned.sameTxID.step.call !== planned.step.call && planned.signedRight,
  },

  'idempotency.durable': {
    effect: 'an old transaction that is sent again has no further effect',
    applies: (planned) => planned.step.origin.kind === 'earlier',
    reply(observed) {
      if (!observed.earlier) return undefined;
      if (isOver(observed)) return { kind: 'skip', reason: 'the session of the transaction has ended' };
      const { call } = observed.planned.step;
      return (
        explainedBy(check200(observed, 'an earlier transaction that is sent again'), ruleOfReplay(call)) ??
        otherTxID(observed, `earlier ${call}`, ruleOfReplay(call))
      );
    },
    hypotheses: (observed) =>
      observed.effect.isZero()
        ? []
        : [{ by: observed.effect, meaning: 'the earlier transaction took effect a second time' }],
  },
};
