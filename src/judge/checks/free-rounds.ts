import type { RuleId } from '../../contract/catalogue.ts';
import { isClientError } from '../../reply/status.ts';
import { breach, type Decision, explainedBy, PASS } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import { isTakenBet, type PlannedCall } from '../planned-calls.ts';
import { causesOfUnreadable, check200, type GroupChecks, UNKNOWN_CAMPAIGN } from './check.ts';

const isFree = (planned: PlannedCall): boolean => planned.step.type === 'free' || planned.source?.step.type === 'free';

const isNewFree = (planned: PlannedCall, call: 'bet' | 'win'): boolean =>
  planned.step.call === call &&
  planned.step.type === 'free' &&
  planned.step.origin.kind === 'fresh' &&
  planned.regular &&
  planned.group === null;

const isWithdrawal = (planned: PlannedCall): boolean =>
  planned.step.call === 'win' &&
  planned.step.campaign &&
  planned.step.type !== 'free' &&
  planned.step.origin.kind === 'fresh' &&
  planned.regular;

/**
 * Judges a call of a campaign, which must be answered 200. The operator may refuse a `frID` that croupier invented for the test.
 */
function checkFree(observed: ObservedCall, what: string): Decision | undefined {
  const refused = check200(observed, what);
  if (refused?.kind === 'breach' && !observed.campaignKnown && isClientError(observed.reading?.status)) {
    return { kind: 'skip', reason: UNKNOWN_CAMPAIGN };
  }
  // An operator that declines every win of 0 breaks `win.zero`. Then `win.zero` explains this breach too.
  return refused?.kind === 'breach' && observed.planned.step.call === 'win' && observed.amount?.isZero()
    ? breach(refused.expected, refused.actual, [...(refused.causes ?? []), 'win.zero'])
    : refused;
}

/**
 * Returns the rule about repeated bets or wins with money. If the operator breaks this rule, the same fault explains why the
 * operator handles a repeated free bet or win wrongly.
 */
function ruleOfReplay({ planned }: ObservedCall): readonly RuleId[] {
  return [planned.step.call === 'bet' ? 'idempotency.bet' : 'idempotency.win'];
}

const afterWholeBalance = (planned: PlannedCall, plannedCalls: { readonly calls: readonly PlannedCall[] }): boolean =>
  plannedCalls.calls.some(
    (other) =>
      other.index < planned.index && isTakenBet(other) && JSON.stringify(other.step.fields).includes('"balance"'),
  );

export const freeRoundsChecks: GroupChecks<'free-rounds'> = {
  'free-rounds.bet': {
    applies: (planned, plannedCalls) =>
      isNewFree(planned, 'bet') &&
      planned.step.expect.outcome === 'accepted' &&
      !afterWholeBalance(planned, plannedCalls),
    reply: (observed) => checkFree(observed, 'a free bet') ?? PASS,
  },
  'free-rounds.win': {
    applies: (planned) => isNewFree(planned, 'win') && planned.step.expect.outcome === 'accepted',
    reply: (observed) => checkFree(observed, 'a free win') ?? PASS,
  },
  'free-rounds.replay': {
    effect: 'a free bet or free win that is sent again has no second effect',
    applies: (planned) =>
      isFree(planned) && planned.step.origin.kind === 'resend' && planned.regular && planned.step.call !== 'refund',
    reply(observed) {
      if (!observed.earlier?.reply) return { kind: 'undecided', reason: 'the first call was not accepted' };
      const refused = check200(observed, 'an accepted free bet or free win that is sent again');
      if (refused) return explainedBy(refused, ruleOfReplay(observed));
      const first = observed.earlier.reply.txID;
      const again = observed.reading?.txID;
      return first !== undefined && first !== again
        ? breach(
            `the repeated call is answered with the same operator txID, ${JSON.stringify(first)}`,
            again === undefined ? 'the reply has no txID' : `the txID is ${JSON.stringify(again)}`,
            // A different txID shows that the operator carried out the call again. Perhaps the operator does so with every repeated
            // call, also outside free rounds.
            again === undefined ? causesOfUnreadable(observed) : ruleOfReplay(observed),
          )
        : undefined;
    },
    hypotheses: (observed) =>
      observed.earlier && !observed.earlier.effect.isZero() && observed.answer === 'accepted'
        ? [
            {
              by: observed.earlier.effect,
              meaning: 'the free bet or free win that was sent again took effect a second time',
              causes: ruleOfReplay(observed),
            },
          ]
        : [],
  },
  'free-rounds.empty-wallet': {
    applies: (planned, plannedCalls) => isNewFree(planned, 'bet') && afterWholeBalance(planned, plannedCalls),
    reply(observed) {
      if (observed.freeBetsTakeMoney) return { kind: 'skip', reason: 'free bets take money at this operator' };
      return checkFree(observed, 'a free bet when the wallet is empty') ?? PASS;
    },
  },
  'free-rounds.withdrawal': {
    effect: 'the bonus withdrawal is credited once, and not in addition to free wins that were credited already',
    applies: isWithdrawal,
    reply: (observed) => checkFree(observed, 'the bonus withdrawal (a regular win with a frID)'),
    hypotheses(observed) {
      if (observed.answer !== 'accepted' || !observed.amount || observed.amount.isZero()) return [];
      return [
        { by: observed.amount.negated(), meaning: 'the bonus withdrawal was not credited' },
        {
          by: observed.amount,
          meaning: 'the bonus withdrawal was credited in addition to what had been credited already',
        },
      ];
    },
  },
  'free-rounds.refund': {
    effect: 'the refund of a free bet gives back exactly what the bet took',
    applies: (planned) =>
      planned.step.call === 'refund' &&
      planned.step.origin.kind === 'fresh' &&
      planned.target?.step.type === 'free' &&
      planned.regular,
    hypotheses(observed) {
      const amount = observed.target?.amount;
      if (!amount || amount.isZero() || observed.answer !== 'accepted') return [];
      return [
        { by: amount, meaning: 'the refund of a free bet paid more than the bet had taken' },
        { by: amount.negated(), meaning: 'the refund of a free bet did not give back what the bet had taken' },
      ];
    },
  },
  'free-rounds.effect': {
    observed: true,
    applies: (planned) => isNewFree(planned, 'bet') || isNewFree(planned, 'win'),
  },
};
