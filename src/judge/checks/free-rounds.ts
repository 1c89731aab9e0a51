import { breach, type Decision, type GroupChecks, PASS, type Seen, UNKNOWN_CAMPAIGN, wants200 } from '../check.ts';
import { isTakenBet, type Part } from '../story.ts';

const isFree = (part: Part): boolean => part.step.type === 'free' || part.source?.step.type === 'free';

const isNewFree = (part: Part, call: 'bet' | 'win'): boolean =>
  part.step.call === call &&
  part.step.type === 'free' &&
  part.step.origin.kind === 'fresh' &&
  part.regular &&
  part.group === null;

const isWithdrawal = (part: Part): boolean =>
  part.step.call === 'win' &&
  part.step.campaign &&
  part.step.type !== 'free' &&
  part.step.origin.kind === 'fresh' &&
  part.regular;

/** A frID that was made up for the test may be refused; one that the operator knows may not. */
function wantsFree(seen: Seen, what: string): Decision | undefined {
  const refused = wants200(seen, what);
  if (
    refused?.kind === 'breach' &&
    !seen.campaignKnown &&
    seen.reading &&
    seen.reading.status >= 400 &&
    seen.reading.status < 500
  ) {
    return { kind: 'skip', reason: UNKNOWN_CAMPAIGN };
  }
  // A win of nothing that is declined is told of wins of every kind.
  return refused?.kind === 'breach' && seen.part.step.call === 'win' && seen.amount?.isZero()
    ? breach(refused.expected, refused.actual, [...(refused.causes ?? []), 'win.zero'])
    : refused;
}

const afterWholeBalance = (part: Part, story: { readonly parts: readonly Part[] }): boolean =>
  story.parts.some(
    (other) => other.index < part.index && isTakenBet(other) && JSON.stringify(other.step.fields).includes('"balance"'),
  );

export const freeRoundsChecks: GroupChecks<'free-rounds'> = {
  'free-rounds.bet': {
    applies: (part, story) =>
      isNewFree(part, 'bet') && part.step.expect.outcome === 'accepted' && !afterWholeBalance(part, story),
    reply: (seen) => wantsFree(seen, 'a free bet') ?? PASS,
  },
  'free-rounds.win': {
    applies: (part) => isNewFree(part, 'win') && part.step.expect.outcome === 'accepted',
    reply: (seen) => wantsFree(seen, 'a free win') ?? PASS,
  },
  'free-rounds.replay': {
    effect: 'a free bet or free win that is sent again has no second effect',
    applies: (part) =>
      isFree(part) && part.step.origin.kind === 'resend' && part.regular && part.step.call !== 'refund',
    reply(seen) {
      if (!seen.earlier?.reply) return { kind: 'undecided', reason: 'the first was not accepted' };
      const refused = wants200(seen, 'a free bet or free win that was accepted, sent again,');
      if (refused) return refused;
      const first = seen.earlier.reply.txID;
      const again = seen.reading?.txID;
      return first !== undefined && first !== again
        ? breach(
            `the replay is answered with the same operator txID, ${JSON.stringify(first)}`,
            again === undefined ? 'there is none in the reply' : `its txID is ${JSON.stringify(again)}`,
          )
        : undefined;
    },
    offsets: (seen) =>
      seen.earlier && !seen.earlier.effect.isZero() && seen.answer === 'accepted'
        ? [
            {
              by: seen.earlier.effect,
              meaning: 'the free bet or free win that was sent again took effect a second time',
            },
          ]
        : [],
  },
  'free-rounds.empty-wallet': {
    applies: (part, story) => isNewFree(part, 'bet') && afterWholeBalance(part, story),
    reply(seen) {
      if (seen.freeBetsTakeMoney) return { kind: 'skip', reason: 'free bets take money here' };
      return wantsFree(seen, 'a free bet when the wallet is empty') ?? PASS;
    },
  },
  'free-rounds.withdrawal': {
    effect: 'the bonus withdrawal is credited once, and not on top of free wins that were credited already',
    applies: isWithdrawal,
    reply: (seen) => wantsFree(seen, 'the bonus withdrawal, a regular win with a frID,'),
    offsets(seen) {
      if (seen.answer !== 'accepted' || !seen.amount || seen.amount.isZero()) return [];
      return [
        { by: seen.amount.negated(), meaning: 'the bonus withdrawal was not credited' },
        { by: seen.amount, meaning: 'the bonus withdrawal was credited on top of what had been credited already' },
      ];
    },
  },
  'free-rounds.refund': {
    effect: 'the refund of a free bet gives back exactly what the bet took',
    applies: (part) =>
      part.step.call === 'refund' &&
      part.step.origin.kind === 'fresh' &&
      part.target?.step.type === 'free' &&
      part.regular,
    offsets(seen) {
      const amount = seen.target?.amount;
      if (!amount || amount.isZero() || seen.answer !== 'accepted') return [];
      return [
        { by: amount, meaning: 'the refund of a free bet paid more than the bet had taken' },
        { by: amount.negated(), meaning: 'the refund of a free bet did not give back what the bet had taken' },
      ];
    },
  },
  'free-rounds.effect': {
    observed: true,
    applies: (part) => isNewFree(part, 'bet') || isNewFree(part, 'win'),
  },
};
