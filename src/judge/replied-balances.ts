import type { Money } from '../contract/money.ts';
import type { Race } from './calls-at-once.ts';
import { type Answer, breach, type Seen } from './check.ts';
import type { Docket } from './docket.ts';

/** So many sums that calls at once may add up to are looked at; where there are more, any balance may be one of them. */
const MOST_SUMS = 20_000;

const MAY_HAVE_HAPPENED: readonly Answer[] = ['accepted', 'failed', 'late', 'broken', 'lost'];

/** A balance may show its effect already. Of bets alone an error says that nothing was done: wins and refunds are sent again. */
function mayShow({ answer, part }: Seen): boolean {
  return MAY_HAVE_HAPPENED.includes(answer) || (answer === 'declined' && part.step.call !== 'bet');
}

/** A wallet that commits and then reads may already see what overlapped, and must see what had finished. */
export function judgeRepliedBalance(seen: Seen, { seens, before }: Race, docket: Docket): void {
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
export function isOneOrder(before: Money, seens: readonly Seen[]): boolean {
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
