import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { breach, type Decision, type GroupChecks, type RuleCheck, type Seen, wants200 } from '../check.ts';
import type { Offset } from '../obligation.ts';
import { isBroken, isNamesakeAtOnce, type Part, type Story } from '../story.ts';

/** The same bytes once more, rightly signed, alone, of a call that the operator had carried out. */
const isReplay = (part: Part): boolean =>
  part.step.origin.kind === 'resend' &&
  part.regular &&
  part.group === null &&
  part.source?.regular === true &&
  !isBroken(part.source) &&
  part.source.step.expect.outcome !== 'declined' &&
  part.step.type !== 'free' &&
  part.source.step.type !== 'free' &&
  !part.source.step.campaign;

function replayOf(call: 'bet' | 'win' | 'refund', word: string): RuleCheck {
  return {
    effect: `a ${word} that is sent again has no second effect`,
    applies: (part) => part.step.call === call && isReplay(part) && !(call === 'bet' && part.refundsBefore > 0),
    reply(seen) {
      if (seen.earlier?.answer !== 'accepted' && seen.earlier?.reply === undefined) {
        const reason = `the first ${word} was not accepted`;
        return { kind: seen.earlier?.answer === 'declined' ? 'skip' : 'undecided', reason };
      }
      return wants200(seen, `a ${word} that was accepted, sent again,`) ?? otherTxID(seen, word, severalOf(seen));
    },
    offsets(seen) {
      const { earlier } = seen;
      if (!earlier?.reply) return [];
      const sum: Money = earlier.effect;
      return sum.isZero() ? [] : [{ by: sum, meaning: `the ${word} that was sent again took effect a second time` }];
    },
  };
}

function otherTxID(seen: Seen, word: string, causes: readonly RuleId[]): Decision | undefined {
  const first = seen.earlier?.reply?.txID;
  const again = seen.reading?.txID;
  if (first === undefined || first === again || (again !== undefined && isOfNothing(seen))) return undefined;
  return breach(
    `the replayed ${word} is answered with the same operator txID, ${JSON.stringify(first)}`,
    again === undefined ? 'there is none in the reply' : `its txID is ${JSON.stringify(again)}`,
    causes,
  );
}

/** The refund of a bet that never was has booked nothing: the operator need not have kept an id of its own for it. */
function isOfNothing({ part, target }: Seen): boolean {
  if (part.step.call !== 'refund' || !part.source) return false;
  const isUntaken = target?.state === 'none' || target?.state === 'refused';
  return part.source.step.refund?.kind === 'unknown' || part.source.targetIsLater || isUntaken;
}

/** Copies at once that were each carried out have left several transactions, any of which may be found again. */
function severalOf({ part }: Seen): readonly RuleId[] {
  return part.source?.group === null ? [] : ['idempotency.concurrent'];
}

/** Earlier bets with a body of their own, but under the txID of the bet that a refund names. */
function othersOfTarget({ step, index, target, refundsBefore, regular }: Part, story: Story): readonly Part[] {
  if (step.call !== 'refund' || step.origin.kind !== 'fresh' || !target || !regular || refundsBefore > 0) return [];
  return story.parts.filter(
    ({ namesake, step: other, index: at }) => namesake === target && other.call === target.step.call && at < index,
  );
}

/** What a refund gives back if it goes by the amount that came later under the bet's txID. */
function ofReplaced(seen: Seen): readonly Offset[] {
  const own = seen.target?.amount;
  if (seen.answer !== 'accepted' || !own) return [];
  return othersOfTarget(seen.part, seen.story)
    .flatMap((other) => seen.amountOf(other) ?? [])
    .filter((amount) => !amount.equals(own))
    .map((amount) => ({
      by: amount.minus(own),
      meaning: `the refund gave back ${amount}, the amount of another body, for a bet of ${own}`,
    }));
}

/** Sessions end, and what an earlier run has sent may well outlive them: then it can't be told whether it is known. */
function isOver({ part, reading }: Seen): boolean {
  const { origin } = part.step;
  return (
    origin.kind === 'earlier' &&
    origin.from === 'journal' &&
    (reading?.code === 'session_expired' || reading?.code === 'session_not_found')
  );
}

/** What is wrong with every replay is wrong with one from before too. */
function ruleOfReplay(call: CallName): readonly RuleId[] {
  return call === 'balance' ? [] : [`idempotency.${call}`];
}

export const idempotencyChecks: GroupChecks<'idempotency'> = {
  'idempotency.bet': replayOf('bet', 'bet'),
  'idempotency.win': replayOf('win', 'win'),
  'idempotency.refund': replayOf('refund', 'refund'),

  'idempotency.same-reply': {
    applies: (part) =>
      part.step.origin.kind === 'earlier' ||
      (part.step.call !== 'balance' && isReplay(part) && !(part.step.call === 'bet' && part.refundsBefore > 0)),
    reply(seen) {
      const first = seen.earlier?.reply;
      const { reading } = seen;
      if (seen.answer !== 'accepted' || !reading || !first) return undefined;
      if (reading.txID !== first.txID) {
        // Under the rule about the call itself it is told where something was booked: here it would count one fault twice.
        if (!isOfNothing(seen) || reading.txID === undefined || first.txID === undefined) return undefined;
        return breach(
          `the replay's txID is the first reply's, ${JSON.stringify(first.txID)}, also where nothing was booked`,
          `its txID is ${JSON.stringify(reading.txID)}`,
        );
      }
      const then = first.balance.money;
      const now = reading.balance.money;
      if (then === undefined || now === undefined) return undefined;
      return then.equals(now)
        ? { kind: 'pass' }
        : breach(
            `the replay's balance is the first reply's, ${first.balance.written}`,
            `its balance is ${reading.balance.written}`,
          );
    },
  },

  // Judged as a set, see race.ts.
  'idempotency.concurrent': {
    applies: (part) =>
      part.group !== null && part.regular && (part.step.origin.kind === 'copy' || isNamesakeAtOnce(part)),
  },

  'idempotency.declined-bet': {
    observed: true,
    applies: (part) =>
      part.step.call === 'bet' &&
      part.step.origin.kind === 'resend' &&
      part.source?.step.expect.outcome === 'declined' &&
      part.regular,
  },

  'idempotency.after-refund': {
    effect: 'a refunded bet that is sent again takes nothing',
    applies: (part) => part.step.call === 'bet' && isReplay(part) && part.refundsBefore > 0,
    offsets: (seen) =>
      seen.earlier && !seen.earlier.effect.isZero() && seen.reading
        ? [{ by: seen.earlier.effect, meaning: 'the refunded bet, sent again, was taken' }]
        : [],
  },

  'idempotency.conflicting-body': {
    effect: 'a processed txID that is sent again with another body moves nothing',
    applies: (part, story) =>
      (part.namesake !== null &&
        part.namesake.step.call === part.step.call &&
        part.signedRight &&
        !isNamesakeAtOnce(part)) ||
      othersOfTarget(part, story).length > 0,
    offsets(seen) {
      const { earlier } = seen;
      if (seen.part.target) return ofReplaced(seen);
      if (!earlier || seen.effect.isZero()) return [];
      const meaning = 'the call with a used txID and another amount moved money';
      const difference = seen.effect.minus(earlier.effect);
      return [
        { by: seen.effect, meaning },
        { by: earlier.effect, meaning },
        { by: difference, meaning: 'the earlier transaction was changed to the new amount' },
      ].filter(({ by }) => !by.isZero());
    },
  },

  'idempotency.across-calls': {
    observed: true,
    applies: (part) => part.namesake !== null && part.namesake.step.call !== part.step.call && part.signedRight,
  },

  'idempotency.durable': {
    effect: 'a transaction from long before, sent again, has no further effect',
    applies: (part) => part.step.origin.kind === 'earlier',
    reply(seen) {
      if (!seen.earlier) return undefined;
      if (isOver(seen)) return { kind: 'skip', reason: 'the session of the transaction is over by now' };
      const { call } = seen.part.step;
      return (
        wants200(seen, 'a transaction from before, sent again,') ??
        otherTxID(seen, `${call} from before`, ruleOfReplay(call))
      );
    },
    offsets: (seen) =>
      seen.effect.isZero()
        ? []
        : [{ by: seen.effect, meaning: 'the transaction from before took effect a second time' }],
  },
};
