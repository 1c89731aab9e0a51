import type { Money } from '../../contract/money.ts';
import type { Answer } from '../../reply/classify.ts';
import { breach } from '../decision.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ObservedCall } from '../observed-call.ts';

/**
 * Maximum number of possible balances that are computed for calls at the same instant. If there are more, every balance counts
 * as possible.
 */
const MAX_SUMS = 20_000;

const MAY_HAVE_HAPPENED: readonly Answer[] = ['accepted', 'failed', 'late', 'broken', 'lost'];

/**
 * True if a balance may include the effect of the call. A declined bet has no effect. A declined win or refund may still have an
 * effect, because the service sends it again.
 */
function mayShow({ answer, planned }: ObservedCall): boolean {
  return MAY_HAVE_HAPPENED.includes(answer) || (answer === 'declined' && planned.step.call !== 'bet');
}

/**
 * Judges the balance in a reply. The balance must include the effects of calls that had finished before, and may include the
 * effects of overlapping calls.
 */
export function judgeRepliedBalance(
  observed: ObservedCall,
  calls: readonly ObservedCall[],
  before: Money,
  collector: FindingCollector,
): void {
  const said = observed.reading?.balance.money;
  if (!said) return;
  const others = calls.filter((other) => other !== observed && !other.effect.isZero());
  const mayHave = others.filter(mayShow);
  if (isReachable(said, observed, mayHave, before)) return;
  // A declined bet that still takes money breaks another rule. It also lowers the balances in the other replies.
  const declined = others.filter(({ planned, answer }) => planned.step.call === 'bet' && answer === 'declined');
  const isOfDeclined = declined.length > 0 && isReachable(said, observed, [...mayHave, ...declined], before);
  const { call } = observed.planned.step;
  const what = call === 'balance' ? 'a balance call' : `the ${call} of ${observed.amount}`;
  collector.decide(
    { rule: 'concurrency.no-lost-update', step: observed.planned.step, exchange: observed.exchange.id },
    breach(
      "each balance in a reply includes the call's own effect and the effects of some overlapping calls",
      `${what} was answered with the balance ${said}, which no combination of the calls explains`,
      [
        ...(call === 'balance' ? (['balance.read'] as const) : []),
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

/**
 * True if the balance is possible. It must be the sum of these values:
 *
 * - the balance before the calls
 * - the effect of this call
 * - the effects of all calls that had finished before it
 * - the effects of some of the overlapping calls (all, none or any of them)
 */
function isReachable(said: Money, observed: ObservedCall, others: readonly ObservedCall[], before: Money): boolean {
  const sent = observed.exchange.stamps.sent ?? observed.exchange.stamps.start;
  const finished = others.filter(({ exchange, answer }) => answer === 'accepted' && exchange.stamps.end <= sent);
  const base = [observed, ...finished].reduce((sum, { effect }) => sum.plus(effect), before);
  const sums = new Map([[base.toString(), base]]);
  for (const other of others.filter(
    (one) => !finished.includes(one) && (one.exchange.stamps.sent ?? 0) < observed.exchange.stamps.end,
  )) {
    const reached = Array.from(sums.values());
    for (const sum of reached) {
      const further = sum.plus(other.effect);
      sums.set(further.toString(), further);
    }
    if (sums.size > MAX_SUMS) return true;
  }
  return sums.has(said.toString());
}

/**
 * True if some order of the calls explains the balances in all replies. The balances are the nodes of a graph, and each call is an
 * edge from the balance before it to the balance in its reply. An order of the calls is a path that uses each edge once.
 */
export function isOneOrder(before: Money, calls: readonly ObservedCall[]): boolean {
  const edges = new Map<string, string[]>();
  const surplus = new Map<string, number>();
  const count = (node: string, by: number): void => void surplus.set(node, (surplus.get(node) ?? 0) + by);
  for (const { reading, effect } of calls) {
    const to = reading?.balance.money;
    if (!to) return false;
    const from = to.minus(effect).toString();
    edges.set(from, [...(edges.get(from) ?? []), to.toString()]);
    count(from, 1);
    count(to.toString(), -1);
  }
  const start = before.toString();
  count(start, -1);
  count(calls.reduce((sum, { effect }) => sum.plus(effect), before).toString(), 1);
  // A path that uses each edge once exists if each node has as many edges out as in, and all nodes can be reached (Euler).
  if ([...surplus.values()].some((one) => one !== 0)) return false;
  const reached = new Set([start]);
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next);
  return [...edges.keys()].every((node) => reached.has(node));
}
