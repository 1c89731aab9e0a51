import type { RuleId } from '../../contract/catalogue.ts';
import { breach, type Decision, type GroupChecks, type Seen, wants200 } from '../check.ts';
import type { Offset } from '../obligation.ts';
import { isBroken } from '../story.ts';
import { hasRound, isForeign, isMeant, refundedSum } from './refund-step.ts';

/** The story refunds several bets of the round. */
function isOneOfRound({ part: { target }, story }: Seen): boolean {
  const bet = target?.step;
  if (!bet || bet.roundID === null) return false;
  return story.parts.some(
    ({ target: other }) => other !== null && other.step.key !== bet.key && other.step.roundID === bet.roundID,
  );
}

/** A bet whose fate the service does not know, and its refund. */
function lateOffsets(seen: Seen, others: readonly RuleId[] = []): Offset[] {
  const ofRound = isOneOfRound(seen) ? (['refund.one-of-many'] as const) : [];
  const amount = refundedSum(seen);
  return amount
    ? [
        {
          by: amount.negated(),
          meaning: 'the bet was taken and stayed taken although its refund was answered 200',
          causes: ['refund.restore', 'concurrency.no-lost-update', 'money.main-unit', ...ofRound],
        },
        {
          by: amount,
          meaning: 'the refund was paid for a bet that had not been taken',
          causes: [
            'bet.debit',
            'refund.unknown-pays-nothing',
            'concurrency.no-lost-update',
            'money.main-unit',
            ...others,
            ...ofRound,
            ...(ofRound.length > 0 ? (['bet.many-in-round'] as const) : []),
          ],
        },
      ]
    : [];
}

/** Refunds of bets whose fate the service does not know. */
export const uncertainBetChecks: Pick<GroupChecks<'refund'>, 'refund.broken-connection' | 'refund.after-error'> = {
  'refund.broken-connection': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, also when it is carried out late',
    applies: (part) =>
      isMeant(part) && part.target !== null && isBroken(part.target) && part.target.step.call === 'bet',
    reply: (seen) =>
      hasRound(seen.part)
        ? becauseUnknown(seen, wants200(seen, 'the refund of a bet whose connection broke'))
        : undefined,
    // How the operator had answered a bet is not known where the connection broke: it may have been with a 500.
    offsets: (seen) => lateOffsets(seen, ['refund.after-error']),
  },

  'refund.after-error': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, also when the bet was answered 500 or too late',
    applies: (part) =>
      isMeant(part) &&
      part.target?.step.call === 'bet' &&
      (part.target.regular || (part.target.signedRight && part.target.step.expect.outcome === 'accepted')) &&
      !isBroken(part.target) &&
      !isForeign(part) &&
      !part.targetIsLater,
    reply(seen) {
      const bet = seen.target?.answer;
      if (bet !== 'failed' && bet !== 'late') {
        return seen.part.target?.step.expect.outcome === 'either'
          ? { kind: 'skip', reason: 'no bet of the story was answered 500 or after the deadline' }
          : undefined;
      }
      return becauseUnknown(
        seen,
        wants200(seen, `the refund of a bet that was answered ${bet === 'failed' ? '500' : 'too late'}`),
      );
    },
    offsets: (seen) =>
      seen.target?.answer === 'failed' || seen.target?.answer === 'late' ? offsetsAfterError(seen) : [],
  },
};

/** A bet that failed, with an answer, is not at work any more: if it was alone, nothing was lost among calls at once. */
function offsetsAfterError(seen: Seen): Offset[] {
  const isAlone = seen.target?.answer === 'failed' && seen.part.target?.group === null;
  return lateOffsets(seen).map(({ causes = [], ...offset }) => ({
    ...offset,
    causes: isAlone ? causes.filter((rule) => rule !== 'concurrency.no-lost-update') : causes,
  }));
}

/** Where the bet never arrived, its refund is one of an unknown transaction, and refused for that. */
function becauseUnknown(seen: Seen, decision: Decision | undefined): Decision | undefined {
  return decision?.kind === 'breach' && seen.answer === 'declined' && seen.target?.state === 'unknown'
    ? breach(decision.expected, decision.actual, ['refund.unknown'])
    : decision;
}
