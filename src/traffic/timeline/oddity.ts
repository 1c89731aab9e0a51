import type { Deviation } from '../books/deviation.ts';
import type { Books } from '../books/wallet-books.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { type Bets, type Transaction, UNANSWERED } from '../calls/transaction.ts';
import type { Oddity } from './oddity-type.ts';
import { type OtherCalls, otherReason } from './other-providers.ts';
import { serviceFaultsOf } from './service-fault.ts';

/**
 * Finds duplicates, bets above the balance, calls out of order, late replies, differences between the logs of the two sides, and
 * faults of the service.
 *
 * @param isKeyProven true if a call is signed with one of the given keys, so the keys are right
 */
export function odditiesOf(
  calls: readonly LoggedCall[],
  books: Books,
  bets: Bets,
  isKeyProven: boolean,
): readonly Oddity[] {
  const { transactions } = books;
  const rounds = Map.groupBy(
    transactions.filter(({ roundID }) => roundID !== null),
    ({ roundID, wallet }) => `${wallet ?? ''} ${roundID ?? ''}`,
  );
  return [
    ...calls.flatMap(lateness),
    ...calls.flatMap(difference),
    ...transactions.flatMap(repeats),
    ...transactions.flatMap(overdraft),
    ...transactions.flatMap((one) => refundOddities(one, bets)),
    ...[...rounds.values()].flatMap(roundOrder),
    ...serviceFaultsOf(calls, books, bets, isKeyProven),
  ].toSorted((a, b) => (a.calls[0] ?? 0) - (b.calls[0] ?? 0));
}

/**
 * Reports balances that were wrong and were corrected later. Nothing is owed because of them, but players may ask about such a
 * balance.
 */
export function fixedOf(deviations: readonly Deviation[], otherCalls: OtherCalls): readonly Oddity[] {
  return deviations.flatMap((deviation) => {
    const { call, by, causes, fixedBy } = deviation;
    if (fixedBy === null) return [];
    const [cause] = causes;
    const other = cause ? otherReason(deviation, otherCalls) : null;
    const why = cause ? `: ${other === null ? cause.text : `either ${cause.text}, or ${other}`}` : '';
    const off = `${by.absolute().format(2)} too ${by.isNegative() ? 'little' : 'much'}`;
    const text = `the balance in the reply to call ${call.number} was ${off}${why}; call ${fixedBy} shows the correct balance`;
    return [{ kind: 'corrected' as const, calls: [call.number, fixedBy], text }];
  });
}

function lateness(call: LoggedCall): Oddity[] {
  if (call.ending !== 'late' || call.done !== 'yes') return [];
  const text = `the ${call.seen.call} of call ${call.number} was carried out, but its reply came too late, so the service counts the call as failed`;
  return [{ kind: 'late', calls: [call.number], text }];
}

function difference(call: LoggedCall): Oddity[] {
  const mine = call.seen.exchange.answer;
  const theirs = call.alsoSeen?.exchange.answer;
  if (theirs?.kind !== 'reply') return [];
  if (mine.kind === 'none') {
    const text = `the operator logged that it answered call ${call.number} with ${theirs.status}, but the service had no reply (${mine.reason})`;
    return [{ kind: 'sides-differ', calls: [call.number], text }];
  }
  if (mine.kind !== 'reply' || mine.status === theirs.status) return [];
  const text = `the operator logged that it answered call ${call.number} with ${theirs.status}, but the service received ${mine.status}, so something between them replied instead`;
  return [{ kind: 'sides-differ', calls: [call.number], text }];
}

function repeats({ call, attempts: all }: Transaction): Oddity[] {
  // Calls of croupier are left out. croupier repeats calls on purpose, so these repetitions say nothing about the service.
  const attempts = all.filter(({ seen }) => !seen.exchange.isProbe && !seen.exchange.isOfRun);
  const [first, ...again] = attempts;
  if (!first || again.length === 0) return [];
  const times = again.length === 1 ? 'once more' : `${again.length} times more`;
  const isDue = call !== 'bet' && first.ending !== 'accepted';
  const text = `the ${call} of call ${first.number} was sent ${times} with the same txID${isDue ? ', as the contract requires until the call is answered 200' : ''}`;
  const isRetriedBet = call === 'bet' && first.ending !== 'accepted';
  return [
    { kind: isDue ? 'resent' : 'duplicate', calls: attempts.map(({ number }) => number), text },
    ...(isRetriedBet
      ? [
          {
            kind: 'retried-bet' as const,
            calls: attempts.map(({ number }) => number),
            text: `the bet of call ${first.number} was not accepted and was sent again, but the service never sends a bet twice`,
          },
        ]
      : []),
  ];
}

/** Reports an accepted bet that was above the balance: the balance in its reply is below zero. */
function overdraft({ call, amount, attempts }: Transaction): Oddity[] {
  if (call !== 'bet' || amount === null) return [];
  const first = attempts.find(({ ending }) => ending === 'accepted');
  if (!first?.balance?.isNegative() || first.seen.exchange.isOfRun) return [];
  const before = first.balance.plus(amount);
  // The bet of a player who was in the red before says nothing new.
  if (before.isNegative()) return [];
  const text = `the bet of ${amount.format(2)} (call ${first.number}) was accepted, though the balance was only ${before.format(2)}: the contract requires insufficient_funds, unless the player has a credit`;
  return [{ kind: 'overdraft', calls: [first.number], text }];
}

function refundOddities(transaction: Transaction, bets: Bets): Oddity[] {
  if (transaction.call !== 'refund' || transaction.origTxID === null) return [];
  const bet = bets.get(transaction.origTxID);
  const [first] = transaction.attempts;
  const [placed] = bet?.attempts ?? [];
  if (!bet || !first || !placed || first.seen.exchange.isOfRun) return [];
  if (placed.number > first.number) {
    const text = `the refund (call ${first.number}) came before its bet (call ${placed.number})`;
    return [{ kind: 'out-of-order', calls: [first.number, placed.number], text }];
  }
  // If the bet had no reply before the refund, the refund was right. This is so even if the operator logged later that it carried
  // out the bet.
  if (bet.attempts.some(({ number, ending }) => number < first.number && UNANSWERED.has(ending))) return [];
  const ended = bet.state === 'accepted' ? 'was accepted in time' : bet.state === 'declined' ? 'was declined' : null;
  if (ended === null) return [];
  const text = `the refund (call ${first.number}) names a bet (call ${placed.number}) that ${ended}, but only a bet with an unknown outcome is refunded`;
  return [{ kind: 'needless-refund', calls: [first.number, placed.number], text }];
}

function roundOrder(round: readonly Transaction[]): Oddity[] {
  const found: Oddity[] = [];
  const firstOf = (name: Transaction['call']): LoggedCall | undefined =>
    round.find(({ call }) => call === name)?.attempts[0];
  const [bet, win] = [firstOf('bet'), firstOf('win')];
  if (bet?.seen.exchange.isOfRun) return [];
  if (win && bet && win.number < bet.number) {
    const text = `the win (call ${win.number}) came before the bet of its round (call ${bet.number})`;
    found.push({ kind: 'out-of-order', calls: [win.number, bet.number], text });
  }
  const after = win && round.filter(({ call, attempts }) => call === 'bet' && (attempts[0]?.number ?? 0) > win.number);
  for (const late of after ?? []) {
    const number = late.attempts[0]?.number ?? 0;
    if (win && bet && win.number > bet.number) {
      const text = `the bet (call ${number}) came after the win of its round (call ${win.number})`;
      found.push({ kind: 'out-of-order', calls: [number, win.number], text });
    }
  }
  return found;
}
