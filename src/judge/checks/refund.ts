import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { breach, type Decision, explainedBy, PASS } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import { breaksConnection, isTakenBet, type PlannedCall } from '../planned-calls.ts';
import { check200, type GroupChecks, mayBeUnknown } from './check.ts';
import { haveOtherAmounts } from './planned-amount.ts';

/** True for a refund that does not repeat another one. */
const isNewRefund = ({ step }: PlannedCall): boolean => step.call === 'refund' && step.origin.kind === 'fresh';

/** True for a new refund that is exactly like a refund of the service, whatever reply the scenario expects. */
const isRegularRefund = (planned: PlannedCall): boolean =>
  isNewRefund(planned) && planned.regular && planned.sameTxID === null && planned.step.session !== 'unknown';

/** True if the refund names a call of another session. */
const isForeign = (planned: PlannedCall): boolean =>
  planned.target !== null && planned.target.step.session !== planned.step.session;

/** True if the amount of the refund is not the amount of the bet. */
const hasAmountOfItsOwn = ({ step, target }: PlannedCall): boolean =>
  target !== null && haveOtherAmounts(step, target.step);

/**
 * True if the refund has a `roundID`. For a refund without a `roundID`, the rule `refund.without-round` replaces the other rules.
 */
const hasRound = ({ step }: PlannedCall): boolean => step.roundID !== null;

/** Returns the hypothesis that `amount` was paid. Empty if no reply came, or if the amount is 0 or unknown. */
function paid(
  observed: ObservedCall,
  amount: Money | undefined,
  meaning: string,
  causes: readonly RuleId[] = [],
): BalanceHypothesis[] {
  return amount && !amount.isZero() && observed.reading ? [{ by: amount, meaning, causes }] : [];
}

/** Returns the amount of the bet, or the amount of the refund if the bet is unknown. */
function refundedSum(observed: ObservedCall): Money | undefined {
  return observed.target?.amount ?? observed.amount;
}

const isUnknown = (planned: PlannedCall): boolean =>
  isRegularRefund(planned) && planned.step.refund?.kind === 'unknown';

/** The checks of refunds whose transaction the operator does not know, or whose bet the operator did not take. */
const unknownRefundChecks: Pick<
  GroupChecks<'refund'>,
  'refund.unknown' | 'refund.unknown-pays-nothing' | 'refund.declined-bet'
> = {
  'refund.unknown': {
    controlled: 1,
    applies: (planned, plannedCalls) =>
      isUnknown(planned) && planned.group === null && plannedCalls.plan.needs.state !== 'expired',
    reply(observed) {
      const refused = check200(observed, 'the refund of a transaction that the operator does not know');
      if (refused) return hasRound(observed.planned) ? refused : explainedBy(refused, ['refund.without-round']);
      if (!observed.reading?.object)
        return { kind: 'undecided', reason: 'the body of the reply cannot be read as JSON' };
      if (observed.reading.balance.money) return PASS;
      return breach(
        'the reply to the refund of an unknown transaction has a valid body, with `balance`',
        observed.reading.balance.written === undefined
          ? 'the reply has no `balance`'
          : `the \`balance\` is ${observed.reading.balance.written}`,
      );
    },
  },

  'refund.unknown-pays-nothing': {
    effect: 'the refund of an unknown transaction pays nothing',
    applies: (planned) =>
      isUnknown(planned) || (isRegularRefund(planned) && planned.targetIsLater && planned.group === null),
    hypotheses: (observed) => [
      ...paid(observed, observed.amount, 'a refund of an unknown transaction was paid'),
      ...paid(observed, observed.amount?.negated(), 'the amount of a refund of an unknown transaction was taken'),
    ],
  },

  'refund.declined-bet': {
    effect: 'the refund of a bet that was declined pays nothing',
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.target !== null &&
      planned.target.step.call === 'bet' &&
      ['declined', 'refused'].includes(planned.target.step.expect.outcome),
    reply(observed) {
      if (observed.target?.state !== 'none' && observed.target?.state !== 'refused') return undefined;
      const refused = check200(observed, 'the refund of a declined bet');
      // If an operator does not store declined bets, it handles this refund like the refund of an unknown transaction.
      return refused?.kind === 'breach'
        ? breach(refused.expected, refused.actual, [...(refused.causes ?? []), 'refund.unknown'])
        : refused;
    },
    hypotheses: (observed) =>
      observed.target?.state === 'none' || observed.target?.state === 'refused'
        ? [
            ...paid(observed, refundedSum(observed), 'the refund of a declined bet was paid', [
              'refund.unknown-pays-nothing',
            ]),
            ...paid(
              observed,
              refundedSum(observed)?.negated(),
              'the refund of a declined bet took the amount of the bet',
              ['refund.unknown-pays-nothing'],
            ),
          ]
        : [],
  },
};

/** True if the scenario also refunds another bet of the same round. */
function isOneOfRound({ planned: { target }, plannedCalls }: ObservedCall): boolean {
  const bet = target?.step;
  if (!bet || bet.roundID === null) return false;
  return plannedCalls.calls.some(
    ({ target: other }) => other !== null && other.step.key !== bet.key && other.step.roundID === bet.roundID,
  );
}

/** Returns the hypotheses for the refund of a bet whose outcome is unknown. */
function hypothesesOfUncertainBet(observed: ObservedCall, others: readonly RuleId[] = []): BalanceHypothesis[] {
  const ofRound = isOneOfRound(observed) ? (['refund.one-of-many'] as const) : [];
  const amount = refundedSum(observed);
  return amount
    ? [
        {
          by: amount.negated(),
          meaning: 'the bet was taken and stayed taken although its refund was answered 200',
          causes: ['refund.restore', 'concurrency.no-lost-update', 'money.main-unit', ...others, ...ofRound],
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

/** The checks of refunds whose bet has an unknown outcome. */
const uncertainBetChecks: Pick<GroupChecks<'refund'>, 'refund.broken-connection' | 'refund.after-error'> = {
  'refund.broken-connection': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, even if the bet is carried out late',
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.target !== null &&
      breaksConnection(planned.target) &&
      planned.target.step.call === 'bet',
    reply: (observed) =>
      hasRound(observed.planned)
        ? becauseUnknown(observed, check200(observed, 'the refund of a bet whose connection broke'))
        : undefined,
    // If the connection of a bet broke, nobody knows the reply. It may have been a 500.
    hypotheses: (observed) => hypothesesOfUncertainBet(observed, ['refund.after-error']),
  },

  'refund.after-error': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, even if the bet was answered 500 or too late',
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.target?.step.call === 'bet' &&
      (planned.target.regular || (planned.target.signedRight && planned.target.step.expect.outcome === 'accepted')) &&
      !breaksConnection(planned.target) &&
      !isForeign(planned) &&
      !planned.targetIsLater,
    reply(observed) {
      const bet = observed.target?.answer;
      if (bet !== 'failed' && bet !== 'late') {
        return observed.planned.target?.step.expect.outcome === 'either'
          ? { kind: 'skip', reason: 'no bet of the scenario was answered 500 or after the deadline' }
          : undefined;
      }
      return becauseUnknown(
        observed,
        check200(observed, `the refund of a bet that was answered ${bet === 'failed' ? '500' : 'too late'}`),
      );
    },
    hypotheses: (observed) =>
      observed.target?.answer === 'failed' || observed.target?.answer === 'late' ? hypothesesAfterError(observed) : [],
  },
};

/**
 * Returns the hypotheses for the refund of a bet that failed or was answered too late. A bet that failed with a reply is not in
 * progress any more. So if such a bet was sent alone, a lost update is not one of the causes.
 */
function hypothesesAfterError(observed: ObservedCall): BalanceHypothesis[] {
  const isAlone = observed.target?.answer === 'failed' && observed.planned.target?.group === null;
  return hypothesesOfUncertainBet(observed).map(({ causes = [], ...hypothesis }) => ({
    ...hypothesis,
    causes: isAlone ? causes.filter((rule) => rule !== 'concurrency.no-lost-update') : causes,
  }));
}

/**
 * If a refund was declined, and its bet may never have reached the operator, adds `refund.unknown` as a cause: the operator then
 * does not know the transaction that the refund names.
 */
function becauseUnknown(observed: ObservedCall, decision: Decision | undefined): Decision | undefined {
  const isUnknown = observed.target?.state === 'unknown' || observed.target?.state === 'none';
  return isUnknown && (observed.answer === 'declined' || observed.answer === 'failed')
    ? explainedBy(decision, ['refund.unknown'])
    : decision;
}

/** The checks of bets that arrive after their own refund. */
const overtakenBetChecks: Pick<GroupChecks<'refund'>, 'refund.before-bet'> = {
  'refund.before-bet': {
    effect: 'a bet that arrives after its own refund, or together with it, leaves the balance as it was',
    applies: (planned, plannedCalls) =>
      planned.step.call === 'bet' &&
      planned.step.origin.kind === 'fresh' &&
      planned.signedRight &&
      plannedCalls.calls.some(
        (other) => isNewRefund(other) && other.target?.step.key === planned.step.key && comesFirst(other, planned),
      ),
    hypotheses: (observed) =>
      observed.effect.isZero()
        ? []
        : [
            {
              by: observed.effect,
              meaning: 'the bet that came after its own refund was taken',
              causes: [...causesAtOnce(observed), ...causesOfFailure(observed)],
            },
            ...(observed.planned.group === null
              ? []
              : [
                  {
                    by: observed.effect.negated(),
                    meaning: 'the refund was paid and the bet was not taken',
                    causes: [
                      ...causesAtOnce(observed),
                      ...causesOfFailure(observed),
                      'refund.unknown-pays-nothing',
                    ] as const,
                  },
                ]),
          ],
  },
};

/**
 * Returns the rules that explain a wrong balance after a bet that was sent together with other calls. The operator may have lost
 * the effect of any of these calls.
 */
function causesAtOnce({ planned }: ObservedCall): readonly RuleId[] {
  return planned.group === null ? [] : ['concurrency.no-lost-update', 'refund.restore'];
}

/**
 * If the bet failed, returns the rule about refunds of failed bets. The operator can break this rule in both orders: bet then
 * refund, and refund then bet.
 */
function causesOfFailure({ answer }: ObservedCall): readonly RuleId[] {
  return answer === 'failed' || answer === 'late' ? ['refund.after-error'] : [];
}

/** True if the refund is sent before its bet, or at the same instant. */
function comesFirst(refund: PlannedCall, bet: PlannedCall): boolean {
  return bet.group === null ? refund.targetIsLater : refund.group === bet.group;
}

const isOfTakenBet = (planned: PlannedCall): boolean =>
  isRegularRefund(planned) &&
  planned.target !== null &&
  isTakenBet(planned.target) &&
  !planned.targetIsLater &&
  !isForeign(planned) &&
  !hasAmountOfItsOwn(planned);

function notRestored(observed: ObservedCall): BalanceHypothesis[] {
  const amount = refundedSum(observed);
  // If a read has shown what the bet took, the wrong bet does not explain a wrong refund.
  const { taken } = observed.target ?? {};
  const ofBet = taken && !taken.isZero() ? [] : (['bet.debit'] as const);
  return observed.answer === 'accepted' && amount && !amount.isZero()
    ? [
        {
          by: amount.negated(),
          meaning: 'the refunded bet was not given back',
          causes: [...ofBet, 'refund.restore'],
        },
        // A refund gives back what the bet took. So it gives back twice the amount if the bet was taken twice.
        { by: amount, meaning: 'the refunded bet was given back twice', causes: ofBet },
        {
          by: amount.times(Money.of('2')).negated(),
          meaning: 'the refund took the amount of the bet once more',
          causes: ['refund.restore'],
          alone: true,
        },
      ]
    : [];
}

export const refundChecks: GroupChecks<'refund'> = {
  'refund.restore': {
    rank: 1,
    effect: 'refunding an accepted bet gives back exactly its amount',
    applies: (planned) =>
      isOfTakenBet(planned) &&
      hasRound(planned) &&
      !breaksConnection(planned) &&
      planned.group === null &&
      planned.refundsBefore === 0 &&
      !planned.roundSettled,
    reply: (observed) => check200(observed, 'the refund of an accepted bet'),
    hypotheses: notRestored,
  },

  ...unknownRefundChecks,

  'refund.without-round': {
    controlled: 1,
    effect: 'a refund without `roundID` gives the bet back',
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.step.roundID === null &&
      // The rule `refund.unknown` judges every refund of an unknown transaction, with or without a `roundID`.
      planned.target !== null &&
      planned.group === null &&
      // `refund.once` judges a further refund of the same bet.
      planned.refundsBefore === 0 &&
      planned.step.fields.every(([name]) => name !== 'roundID'),
    reply(observed) {
      const refused = check200(observed, 'a refund without `roundID`');
      // If the operator does not know the bet, a refund with a `roundID` would fail in the same way.
      return mayBeUnknown(observed) ? explainedBy(refused, ['refund.unknown', 'refund.broken-connection']) : refused;
    },
    hypotheses: notRestored,
  },

  ...uncertainBetChecks,

  'refund.retried': {
    effect: 'a refund pays exactly once, even if it is sent several times until it is answered 200',
    applies: (planned) =>
      planned.step.call === 'refund' && planned.source !== null && breaksConnection(planned.source) && planned.regular,
    until: 'linger',
    reply: (observed) =>
      observed.planned.group === null
        ? explainedBy(
            check200(observed, 'a refund that is sent again after its connection broke'),
            // If the operator refuses every refund that is sent again, it refuses this one too.
            ['idempotency.refund'],
          )
        : undefined,
    // The operator may still be processing the first refund when the repeated refund arrives.
    hypotheses: (observed) =>
      notRestored(observed).map(({ causes = [], ...hypothesis }) => ({
        ...hypothesis,
        causes: [...causes, hypothesis.by.isNegative() ? 'concurrency.no-lost-update' : 'idempotency.concurrent'],
      })),
  },

  'refund.one-of-many': {
    effect: 'the refund of one of several bets of a round gives back that bet alone',
    applies: (planned) => isOfTakenBet(planned) && planned.refundsBefore === 0 && othersOfRound(planned).length > 0,
    reply: (observed) =>
      hasRound(observed.planned) ? check200(observed, 'the refund of one of several bets of a round') : undefined,
    hypotheses(observed) {
      const own = refundedSum(observed);
      if (observed.answer !== 'accepted' || !own) return [];
      const others = observed.plannedCalls.calls
        .filter(
          (planned) =>
            isTakenBet(planned) &&
            planned.step.roundID === observed.target?.planned.step.roundID &&
            planned !== observed.target?.planned,
        )
        .filter((planned) => planned.index < observed.planned.index)
        .map((planned) => observed.amountOf(planned))
        .filter((amount) => amount !== undefined);
      const all = others.reduce((total, amount) => total.plus(amount), Money.zero);
      return [
        { by: all, meaning: 'all bets of the round were given back' },
        ...others.map((amount) => ({
          by: amount.minus(own),
          meaning: `another bet of the round, ${amount}, was given back`,
          // If one bet is half of another, the operator may give back half of each bet.
          causes: ['refund.restore'] as const,
        })),
        ...(isFurtherOfRound(observed)
          ? [{ by: own.negated(), meaning: 'the refund was handled as a refund of another bet of the round' }]
          : []),
      ].filter(({ by }) => !by.isZero());
    },
  },

  'refund.once': {
    effect: 'a second refund of the same bet pays nothing more',
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.target?.step.call === 'bet' &&
      planned.refundsBefore > 0 &&
      !planned.targetIsLater &&
      !isForeign(planned),
    hypotheses(observed) {
      const once = paid(observed, refundedSum(observed), 'a bet that had been refunded was refunded again');
      // If several refunds of the bet are sent at the same instant, the operator may have paid any number of them.
      return observed.planned.group === null
        ? once
        : once.flatMap(({ by, meaning }) =>
            Array.from({ length: observed.planned.refundsBefore }, (_, more) => ({
              by: by.times(Money.of(String(more + 1))),
              meaning,
            })),
          );
    },
  },

  ...overtakenBetChecks,

  'refund.foreign-session': {
    effect: "a refund in one player's session that names another player's bet credits nothing to the sender",
    applies: (planned, plannedCalls) =>
      isRegularRefund(planned) &&
      planned.target?.step.call === 'bet' &&
      isForeign(planned) &&
      plannedCalls.plan.needs.sessions.get(planned.step.session)?.player === 'other',
    // The operator may look for the bet only among the bets of the player in whose session the refund is sent. Then it does not
    // find the bet of another player.
    hypotheses: (observed) => [
      ...paid(observed, refundedSum(observed), "the sender was paid another player's bet", [
        'refund.unknown-pays-nothing',
      ]),
      ...paid(observed, refundedSum(observed)?.negated(), "the sender lost the amount of another player's bet", [
        'refund.unknown-pays-nothing',
      ]),
    ],
  },

  'refund.amount-mismatch': {
    observed: true,
    isAbout: ({ amount, target }) => !amount || !target?.amount || !amount.equals(target.amount),
    applies: (planned) =>
      isRegularRefund(planned) &&
      planned.target !== null &&
      !isForeign(planned) &&
      isTakenBet(planned.target) &&
      hasAmountOfItsOwn(planned) &&
      !planned.targetIsLater,
  },

  'refund.after-win': {
    observed: true,
    applies: (planned) => isOfTakenBet(planned) && planned.roundSettled && planned.refundsBefore === 0,
  },

  'refund.of-win': {
    observed: true,
    applies: (planned) => isRegularRefund(planned) && planned.target?.step.call === 'win',
  },
};

/** True if an earlier step has refunded another bet of the round. */
function isFurtherOfRound({ planned, plannedCalls }: ObservedCall): boolean {
  const mates = othersOfRound(planned);
  return plannedCalls.calls.some(
    ({ index, step: { refund } }) => index < planned.index && refund?.kind === 'step' && mates.includes(refund.of),
  );
}

function othersOfRound(planned: PlannedCall): readonly string[] {
  return planned.target === null || planned.target.step.roundID === null ? [] : planned.otherBetsOfRound;
}
