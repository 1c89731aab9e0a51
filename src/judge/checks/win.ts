import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { keptBack } from '../attribution/candidates.ts';
import { isNothingInCents } from '../attribution/units.ts';
import { breach, explainedBy, PASS } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import { breaksConnection, type PlannedCall } from '../planned-calls.ts';
import { check200, type GroupChecks, isExcuse } from './check.ts';
import { isZeroAmount } from './planned-amount.ts';

const isNewWin = ({ step }: PlannedCall): boolean =>
  step.call === 'win' && step.origin.kind === 'fresh' && step.type !== 'free' && !step.campaign;

const isPayingWin = (planned: PlannedCall): boolean => isNewWin(planned) && isRegularWin(planned);

const isRegularWin = (planned: PlannedCall): boolean =>
  planned.step.call === 'win' &&
  planned.step.origin.kind === 'fresh' &&
  planned.regular &&
  planned.group === null &&
  planned.sameTxID === null &&
  planned.step.expect.outcome === 'accepted' &&
  !breaksConnection(planned);

/** True for a win that is sent again because its connection broke. */
function isRetriedWin({ step, source, regular }: PlannedCall): boolean {
  return step.call === 'win' && source !== null && breaksConnection(source) && regular;
}

const isZero = (planned: PlannedCall): boolean => isZeroAmount(planned.step);

function notCredited(observed: ObservedCall, meaning: string): BalanceHypothesis[] {
  return observed.answer === 'accepted' && !observed.effect.isZero()
    ? [{ by: observed.effect.negated(), meaning }]
    : [];
}

export const winChecks: GroupChecks<'win'> = {
  'win.credit': {
    rank: 1,
    effect: 'an accepted win raises the balance by exactly its amount',
    // Another rule judges further wins of a round.
    applies: (planned) =>
      isPayingWin(planned) &&
      !isZero(planned) &&
      planned.winsBefore === 0 &&
      planned.step.winOf !== undefined &&
      !planned.roundRefunded,
    reply(observed) {
      // The operator owes the win only if it accepted the bet.
      if (observed.target?.answer !== 'accepted' || observed.answer !== 'declined') return undefined;
      if (observed.plannedCalls.plan.needs.largeAmounts || observed.plannedCalls.plan.needs.state === 'expired')
        return undefined;
      const refused = check200(observed, 'a win in a round whose bet was accepted');
      if (refused?.kind !== 'breach') return refused;
      // If an operator cannot read decimals, it declines bets with decimals too.
      const others: readonly RuleId[] = (observed.amount?.decimals() ?? 0) > 0 ? ['bet.decimal-amount'] : [];
      return breach(refused.expected, `${refused.actual}: the win is not paid`, [
        ...(refused.causes ?? []),
        ...others,
        'session.round-id-reuse',
      ]);
    },
    hypotheses: (observed) =>
      observed.answer === 'accepted' && !observed.effect.isZero()
        ? [
            {
              by: observed.effect.negated(),
              meaning: 'the accepted win was not credited',
              causes: isNothingInCents(observed.effect, observed.unit) ? ['money.main-unit'] : [],
            },
            { by: observed.effect, meaning: 'the accepted win was credited twice' },
            { by: observed.effect.times(Money.of('2')).negated(), meaning: 'the win was taken instead of credited' },
            ...keptBack(observed.target?.amount, observed.effect, 'the win'),
          ]
        : [],
  },

  'win.zero': {
    controlled: 1,
    watched: true,
    effect: 'a win of 0 changes nothing',
    applies: (planned) => isRegularWin(planned) && isZero(planned),
    // Other rules judge whether the operator accepts wins of a campaign, and wins after a session has expired.
    reply: (observed) =>
      isNewWin(observed.planned) && observed.plannedCalls.plan.needs.state !== 'expired'
        ? (check200(observed, 'a win of 0') ?? PASS)
        : undefined,
  },

  'win.many-in-round': {
    effect: 'each accepted win of a round is credited',
    applies: (planned) => isPayingWin(planned) && planned.winsBefore > 0 && !isZero(planned),
    reply(observed) {
      const refused = check200(observed, 'a second win of a round');
      return refused?.kind === 'breach' && observed.answer === 'declined'
        ? {
            kind: 'warn',
            expected: refused.expected,
            actual: refused.actual,
            why: 'the contract does not say that a round may have several wins',
          }
        : refused;
    },
    hypotheses: (observed) => [
      ...notCredited(observed, 'a further win of the round was answered 200, but was not credited'),
      ...(observed.answer === 'accepted' && !observed.effect.isZero()
        ? [
            {
              by: observed.effect,
              meaning: 'a further win of the round was credited twice',
              causes: ['win.credit'] as const,
            },
          ]
        : []),
    ],
  },

  'win.retried': {
    effect: 'a win is credited exactly once, even if it is sent several times until it is answered 200',
    applies: isRetriedWin,
    reply: (observed) =>
      observed.planned.group === null
        ? explainedBy(
            check200(observed, 'a win that is sent again after its connection broke'),
            // If the operator refuses every win that is sent again, it refuses this one too.
            isExcuse(observed) ? ['idempotency.win', 'win.credit'] : ['idempotency.win'],
          )
        : undefined,
    hypotheses: (observed) =>
      observed.answer === 'accepted' && observed.earlier
        ? [
            // The operator may still be processing the first win when the repeated win arrives.
            {
              by: observed.earlier.effect,
              meaning: 'the win was credited more than once',
              causes: ['win.credit', 'idempotency.concurrent'],
            },
            {
              by: observed.earlier.effect.negated(),
              meaning: 'the win was never credited',
              causes: ['win.credit', 'concurrency.no-lost-update'],
            },
            ...keptBack(observed.target?.amount, observed.earlier.effect, 'the win').map((hypothesis) => ({
              ...hypothesis,
              causes: ['win.credit'] as const,
            })),
          ]
        : [],
    until: 'linger',
  },

  'win.failed-keeps-bet': {
    effect: 'a bet stays taken when the win of its round fails',
    // A win whose connection broke has failed too. Whether the bet stays taken shows only after the win was sent again.
    applies: (planned) =>
      (isNewWin(planned) &&
        planned.step.winOf !== undefined &&
        ['refused', 'declined'].includes(planned.step.expect.outcome)) ||
      isRetriedWin(planned),
    hypotheses(observed) {
      const { planned, answer, reading, target } = observed;
      if (!target?.amount || !reading) return [];
      const by = target.amount;
      if (isRetriedWin(planned))
        return answer === 'accepted'
          ? [
              {
                by,
                meaning: 'the bet was given back when the connection of its win broke',
                causes: ['bet.debit', 'win.credit'],
              },
            ]
          : [];
      return planned.step.winOf !== undefined && answer !== 'accepted'
        ? [{ by, meaning: 'the bet was given back when its win failed' }]
        : [];
    },
  },

  'win.without-bet': {
    observed: true,
    // If the round began in an earlier run, the operator knows its bet, although this bet is not in this scenario.
    applies: (planned, plannedCalls) =>
      isNewWin(planned) &&
      planned.step.winOf === undefined &&
      planned.regular &&
      planned.group === null &&
      planned.sameTxID === null &&
      // A win of 0 cannot show whether the operator credits a win without a bet.
      !isZero(planned) &&
      !plannedCalls.plan.needs.earlierRun,
  },

  'win.after-refund': {
    observed: true,
    applies: (planned) => isNewWin(planned) && planned.roundRefunded && planned.regular && planned.group === null,
  },
};
