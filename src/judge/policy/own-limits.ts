import { Money } from '../../contract/money.ts';
import type { ReplyReading } from '../../reply/read.ts';
import { isFormRejected } from '../../reply/status.ts';
import { operatorLimit } from '../checks/check.ts';
import { plannedAmount } from '../checks/planned-amount.ts';
import type { ObservedCall } from '../observed-call.ts';
import { isPlain } from '../planned-calls.ts';

/**
 * A bet that the operator declined. The reason may be one of the operator's own limits, or the difference between this bet and a
 * plain bet.
 */
export interface OwnDecline {
  /** The status, code and message of the reply. If two replies have the same words, the bets were declined for the same reason. */
  readonly words: string;
  /** True for a plain bet of one stake. If the operator declines such a bet, only a limit can be the reason. */
  readonly isPlain: boolean;
  /** True for a free bet of a campaign that the operator knows. */
  readonly isFree: boolean;
  /** The comparison that shows whether bets must be multiples of a step. undefined if a step can't be the reason of the decline. */
  readonly steps: StepComparison | undefined;
}

/**
 * A comparison that shows whether bets must be multiples of a step, such as 0.50. `accepted`: a step is the reason if the
 * operator accepts a bet of one of the amounts. `declined`: a step is the reason if it declines such a bet with the same words.
 */
interface StepComparison {
  readonly sign: 'accepted' | 'declined';
  readonly amounts: readonly Money[];
  /**
   * True if the amounts must be written with as few decimals as possible, because the declined amount was. Otherwise an operator that
   * accepts only amounts with two decimals would seem to accept only multiples of a step.
   */
  readonly isShort: boolean;
}

/**
 * Returns how a bet was declined, if only a comparison with plain bets can show whether a limit of the operator was the reason. For
 * example, an operator may require a pause between two bets. Returns undefined for all other bets.
 */
export function ownDeclineOf(observed: ObservedCall): OwnDecline | undefined {
  const { answer, reading, planned, earlier, amount, stake, campaignKnown } = observed;
  const { step } = planned;
  const isFree = step.type === 'free';
  if (step.call !== 'bet' || (isFree && !campaignKnown) || step.session === 'unknown' || planned.group !== null)
    return undefined;
  const mustBeJudged =
    step.expect.outcome === 'accepted' ||
    step.expect.code === 'insufficient_funds' ||
    (isFree && step.expect.outcome === 'either');
  if (answer !== 'declined' || !reading || !planned.signedRight || !mustBeJudged) return undefined;
  const isNew = step.origin.kind === 'fresh' && planned.sameTxID === null;
  const isAfterRefusal = step.origin.kind === 'resend' && earlier?.state === 'refused';
  if (!isNew && !isAfterRefusal) return undefined;
  if (reading.code === 'insufficient_funds' || isFormRejected(reading.status) || operatorLimit(observed) !== undefined)
    return undefined;
  const isOfStake = amount !== undefined && stake !== undefined && amount.equals(stake);
  return {
    words: wordsOf(reading),
    isPlain: isPlain(planned) && !isFree && isOfStake && !observed.exceedsBalance && hasNewRound(observed),
    isFree,
    steps: isFree ? undefined : stepComparison(observed),
  };
}

/** Returns the comparison for a bet whose amount is no multiple of the stake. */
function stepComparison({
  amount,
  stake,
  exceedsBalance,
  planned: { step },
}: ObservedCall): StepComparison | undefined {
  if (!amount || !stake || amount.isMultipleOf(stake)) return undefined;
  // The bet was too high for the balance, or the scenario expects such a bet. If the operator declines a low bet with the same
  // words, the reason is not the balance.
  if (exceedsBalance || step.expect.code === 'insufficient_funds')
    return { sign: 'declined', amounts: [stake.plus(Money.unit(amount.decimals()))], isShort: false };
  // The bets of the comparison have one more decimal than the stake. If the operator accepts one of them, it accepts decimals. Then
  // a step is the reason for the decline.
  const decimals = stake.decimals() + 1;
  if (amount.decimals() < decimals) return undefined;
  const amounts = ['5', '2'].map((digit) => stake.plus(Money.of(digit).shift(-decimals)));
  return {
    sign: 'accepted',
    amounts: amounts.filter((other) => !other.equals(amount)),
    isShort: plannedAmount(step).hasFewDecimals,
  };
}

/** True if the bet is the first call of its round in this scenario, whatever the session. */
function hasNewRound({ planned: { step, index }, plannedCalls }: ObservedCall): boolean {
  return plannedCalls.calls.every((other) => other.index >= index || other.step.roundID !== step.roundID);
}

/** Returns the words of a decline without ids and numbers, which differ from call to call. */
export function wordsOf({ status, code, message }: Pick<ReplyReading, 'status' | 'code' | 'message'>): string {
  const text = (message ?? '').replaceAll(/[\da-f]{8}[\da-f-]*|\d+/gi, '#');
  return `${status} ${code ?? ''} ${text}`;
}
