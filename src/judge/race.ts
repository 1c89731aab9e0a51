import { Money } from '../contract/money.ts';
import { isTurnedDown, type Race } from './calls-at-once.ts';
import { breach, PASS, type Seen } from './check.ts';
import { isOverdraft } from './checks/concurrency.ts';
import { judgeCopies } from './copies.ts';
import type { Docket } from './docket.ts';
import type { QuietReads } from './quiet-reads.ts';
import { isOneOrder, judgeRepliedBalance } from './replied-balances.ts';
import { isNamesakeAtOnce } from './story.ts';

/** How many of the calls were in flight together with at least one other. */
export function overlapCount(seens: readonly Seen[]): number {
  return seens.filter((one) =>
    seens.some(
      (other) =>
        other !== one && inFlightFrom(one) < other.exchange.stamps.end && inFlightFrom(other) < one.exchange.stamps.end,
    ),
  ).length;
}

/** A call is with the operator from its last byte on; one whose body comes in pieces, from its first. */
function inFlightFrom({ part, exchange: { stamps } }: Seen): number {
  return part.step.deviations.trickle ? stamps.start : (stamps.sent ?? Number.POSITIVE_INFINITY);
}

/** Judges calls of one wallet that were sent at the same instant, as a set. What the balance says of them comes with the next quiet read. */
export function judgeRace(race: Race, docket: Docket, reads: QuietReads): void {
  judgeCopies(race, docket);
  const movers = race.seens.filter(
    ({ part }) =>
      part.step.origin.kind === 'fresh' &&
      (part.step.call === 'bet' || part.step.call === 'win') &&
      part.step.type !== 'free' &&
      part.regular &&
      !isNamesakeAtOnce(part),
  );
  const overdrafts = movers.filter(({ part }) => isOverdraft(part));
  if (overdrafts.length > 1) overdraft(race, overdrafts, docket, reads);
  else if (movers.length > 1) updates(race, movers, docket, reads);
  else refunds(race, reads);
}

/** That a bet is given back once is told elsewhere; that it is given back at all, here. */
function refunds({ seens, wallet }: Race, reads: QuietReads): void {
  const accepted = seens.filter(({ part, answer }) => part.step.call === 'refund' && answer === 'accepted');
  const [first] = accepted;
  if (!first || accepted.length < 2) return;
  reads.suspect(wallet, {
    rule: 'refund.restore',
    step: first.part.step,
    exchange: first.exchange.id,
    expected: 'of several refunds at once one gives the bet back',
    ...(new Set(accepted.map(({ part }) => part.target?.step.key)).size === 1 && { ifMore: 'refund.once' as const }),
  });
}

function overdraft({ before, wallet, seens }: Race, bets: readonly Seen[], docket: Docket, reads: QuietReads): void {
  const [first] = bets;
  if (!first) return;
  const matter = { rule: 'concurrency.no-overdraft', step: first.part.step, exchange: first.exchange.id } as const;
  if (before === undefined) {
    docket.decide(matter, { kind: 'undecided', reason: 'the balance before was not certain' });
    return;
  }
  const accepted = bets.filter(({ answer }) => answer === 'accepted');
  const sum = accepted.reduce((total, { amount }) => total.plus(amount ?? Money.zero), Money.zero);
  const won = seens
    .filter(({ part, answer }) => part.step.call === 'win' && answer === 'accepted')
    .reduce((total, { effect }) => total.plus(effect), Money.zero);
  const expected = `accepted bets never sum to more than the balance, ${before}`;
  if (sum.compare(before.plus(won)) > 0) {
    docket.decide(
      matter,
      breach(expected, `${accepted.length} bets were accepted, ${sum} in all`, [
        'bet.debit',
        'money.main-unit',
        'money.exact',
      ]),
    );
    // The balance after an overdraft is whatever the last write left: the overdraft explains it.
    wallet.owe({ ...matter, endpoint: null, offsets: [], rank: 0, until: 'read', expected, reported: true });
    return;
  }
  if (bets.every(({ reading }) => !reading)) docket.decide(matter, { kind: 'undecided', reason: 'no reply came' });
  else docket.decide(matter, PASS);
  reads.suspect(wallet, {
    rule: 'concurrency.no-lost-update',
    step: first.part.step,
    exchange: first.exchange.id,
    expected: 'each accepted call takes effect exactly once',
  });
}

/** It may: what it declines must have moved nothing, and what is declined can't be lost. */
const ONE_AT_A_TIME = 'the operator turns down whatever comes while another call of the player is under way';

function updates(race: Race, movers: readonly Seen[], docket: Docket, reads: QuietReads): void {
  const [first] = movers;
  if (!first) return;
  const expected = 'each accepted call takes effect exactly once';
  const matter = { rule: 'concurrency.no-lost-update', step: first.part.step, exchange: first.exchange.id } as const;
  reads.suspect(race.wallet, { ...matter, expected });
  const accepted = movers.filter(({ answer }) => answer === 'accepted');
  if (accepted.length < 2) {
    const isOnlyOne = movers.every((mover) => mover.answer === 'accepted' || isTurnedDown(mover));
    docket.decide(
      matter,
      isOnlyOne
        ? { kind: 'skip', reason: ONE_AT_A_TIME }
        : { kind: 'undecided', reason: `only ${accepted.length} of ${movers.length} calls was accepted` },
    );
    return;
  }
  race.wallet.owe({
    rule: matter.rule,
    endpoint: null,
    step: matter.step,
    exchange: matter.exchange,
    offsets: accepted.map(({ effect, amount, part }) => ({
      by: effect.negated(),
      meaning: `the ${part.step.call} of ${amount} was answered 200 and lost`,
    })),
    rank: 0,
    until: 'read',
    expected,
    reported: false,
  });
  if (race.before === undefined) return;
  for (const seen of accepted) judgeRepliedBalance(seen, race, docket);
  const fits = isOneOrder(race.before, accepted);
  docket.decide(
    { rule: 'concurrency.order', step: first.part.step, exchange: first.exchange.id },
    {
      kind: 'note',
      actual: fits
        ? 'the replied balances fit one order of the calls'
        : 'the replied balances fit no single order of the calls',
    },
  );
}
