import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import { type Answer, breach, PASS, type Seen } from './check.ts';
import { isOverdraft } from './checks/concurrency.ts';
import type { Docket } from './docket.ts';
import type { QuietReads } from './quiet-reads.ts';
import type { Part } from './story.ts';
import { isNamesakeAtOnce } from './story.ts';
import { PLAIN_EFFECTS } from './suspects.ts';
import type { Wallet } from './wallet.ts';

/** Subsets of more overlapping calls than this are not enumerated one by one but by the sums that they reach. */
const MOST_SUMS = 20_000;

const MAY_HAVE_HAPPENED: readonly Answer[] = ['accepted', 'failed', 'late', 'broken', 'lost'];

export interface Race {
  readonly seens: readonly Seen[];
  readonly wallet: Wallet;
  /** The balance before, when it was certain. */
  readonly before: Money | undefined;
}

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
  copies(race, docket);
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

/** What is wrong with every further call of a round is wrong with this one too. */
function ofManyInRound({ step, betsBefore, winsBefore }: Part): RuleId[] {
  if (step.call === 'bet' && betsBefore > 0) return ['bet.many-in-round'];
  return step.call === 'win' && winsBefore > 0 ? ['win.many-in-round'] : [];
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

/** The same bytes many times: one effect, and one transaction of the operator's. */
function copies({ seens, wallet }: Race, docket: Docket): void {
  const sets = new Map<string, Seen[]>();
  for (const seen of seens) {
    const { origin, key } = seen.part.step;
    if (!seen.part.regular) continue;
    const { namesake } = seen.part;
    const of = origin.kind === 'copy' ? origin.of : namesake && isNamesakeAtOnce(seen.part) ? namesake.step.key : key;
    sets.set(of, [...(sets.get(of) ?? []), seen]);
  }
  for (const set of sets.values()) {
    const [first] = set;
    if (!first || set.length < 2) continue;
    const rule = 'idempotency.concurrent';
    const matter = { rule, step: first.part.step, exchange: first.exchange.id } as const;
    const answered = set.filter(({ answer }) => answer === 'accepted');
    const txIDs = new Set(
      answered.map(({ reading }) => reading?.txID).filter((txID) => txID !== undefined && txID !== ''),
    );
    if (answered.length === 0) {
      const reason = `none of the ${set.length} copies was answered 200`;
      docket.decide(matter, { kind: set.every(isTurnedDown) ? 'skip' : 'undecided', reason });
      continue;
    }
    const differ = txIDs.size > 1;
    if (differ) {
      docket.decide(
        matter,
        breach(
          `${set.length} copies of one call at once are one transaction`,
          `they were answered with ${txIDs.size} different operator txIDs`,
        ),
      );
    }
    const effect = first.effect;
    if (effect.isZero()) {
      if (!differ) docket.decide(matter, PASS);
      continue;
    }
    // A call that moves twice its sum, or nothing, does so when it comes alone too.
    const plain = PLAIN_EFFECTS[first.part.step.call];
    const alike = [...(plain ? [plain.rule] : []), ...ofManyInRound(first.part)];
    const times = set.map((_, extra) => ({
      by: effect.times(Money.of(String(extra + 1))),
      meaning: `it took effect ${extra + 2} times`,
      causes: extra === 0 ? alike : [],
    }));
    wallet.owe({
      rule,
      endpoint: null,
      step: first.part.step,
      exchange: first.exchange.id,
      offsets: [
        ...times.slice(0, -1),
        {
          by: effect.negated(),
          meaning: 'it had no effect at all',
          causes: alike,
        },
      ],
      rank: 0,
      until: 'read',
      expected: `${set.length} copies of one call at once have one effect`,
      reported: differ,
    });
  }
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

/** Declined; or a bet or a win failed, with an answer: the one is refunded, the other sent again. */
function isTurnedDown({ answer, reading }: Seen): boolean {
  return answer === 'declined' || (answer === 'failed' && reading?.status === 500);
}

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
  for (const seen of accepted) unfittingReply(seen, race, docket);
  const fits = oneOrder(race.before, accepted);
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

/** A balance may show its effect already. Of bets alone an error says that nothing was done: wins and refunds are sent again. */
function mayShow({ answer, part }: Seen): boolean {
  return MAY_HAVE_HAPPENED.includes(answer) || (answer === 'declined' && part.step.call !== 'bet');
}

/** A wallet that commits and then reads may already see what overlapped, and must see what had finished. */
function unfittingReply(seen: Seen, { seens, before }: Race, docket: Docket): void {
  const said = seen.reading?.balance.money;
  if (!said || before === undefined) return;
  const others = seens.filter((other) => other !== seen && !other.effect.isZero());
  const mayHave = others.filter(mayShow);
  if (isReached(said, seen, mayHave, before)) return;
  // A declined bet that takes its money all the same is a fault of its own, and lowers what the others see.
  const declined = others.filter(({ part, answer }) => part.step.call === 'bet' && answer === 'declined');
  const isOfDeclined = declined.length > 0 && isReached(said, seen, [...mayHave, ...declined], before);
  docket.decide(
    { rule: 'concurrency.no-lost-update', step: seen.part.step, exchange: seen.exchange.id },
    breach(
      "each replied balance fits the call's own effect and some of those that overlapped it",
      `the ${seen.part.step.call} of ${seen.amount} was answered with the balance ${said}, which no set of the calls gives`,
      [
        ...(isOfDeclined ? (['bet.declined-takes-nothing'] as const) : []),
        'bet.debit',
        'win.credit',
        'money.main-unit',
        'money.exact',
        'session.isolated',
        'balance.read-only',
      ],
    ),
  );
}

/** Whether the balance is that after the call, all that had finished before it, and some of what overlapped it. */
function isReached(said: Money, seen: Seen, others: readonly Seen[], before: Money): boolean {
  const sent = seen.exchange.stamps.sent ?? seen.exchange.stamps.start;
  const finished = others.filter(({ exchange, answer }) => answer === 'accepted' && exchange.stamps.end <= sent);
  const base = [seen, ...finished].reduce((sum, { effect }) => sum.plus(effect), before);
  const sums = new Map([[base.toString(), base]]);
  for (const other of others.filter(
    (one) => !finished.includes(one) && (one.exchange.stamps.sent ?? 0) < seen.exchange.stamps.end,
  )) {
    const reached = Array.from(sums.values());
    for (const sum of reached) {
      const further = sum.plus(other.effect);
      sums.set(further.toString(), further);
    }
    if (sums.size > MOST_SUMS) return true;
  }
  return sums.has(said.toString());
}

/**
 * Whether the replied balances are those of the calls one after another, in some order: each call leads from the balance
 * that it found to the one that it replied, and an order is a way through all of them from where the balance was.
 */
function oneOrder(before: Money, seens: readonly Seen[]): boolean {
  const ways = new Map<string, string[]>();
  const surplus = new Map<string, number>();
  const count = (place: string, by: number): void => void surplus.set(place, (surplus.get(place) ?? 0) + by);
  for (const { reading, effect } of seens) {
    const to = reading?.balance.money;
    if (!to) return false;
    const from = to.minus(effect).toString();
    ways.set(from, [...(ways.get(from) ?? []), to.toString()]);
    count(from, 1);
    count(to.toString(), -1);
  }
  const start = before.toString();
  count(start, -1);
  count(seens.reduce((sum, { effect }) => sum.plus(effect), before).toString(), 1);
  // Such a way exists when every place is left as often as it is come to, and all can be reached.
  if ([...surplus.values()].some((one) => one !== 0)) return false;
  const reached = new Set([start]);
  for (const place of reached) for (const next of ways.get(place) ?? []) reached.add(next);
  return [...ways.keys()].every((place) => reached.has(place));
}
