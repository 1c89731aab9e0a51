import { excuseOf, type LoggedForm, loggedForm } from '../calls/excuse.ts';
import { isPerhapsDeclined, type LoggedCall } from '../calls/logged-call.ts';
import type { Bets, Transaction } from '../calls/transaction.ts';
import type { RecordedCall } from '../recorded-call.ts';

/**
 * Adds to each call the reason why the operator may decline it. Calls of a run of croupier have their reason in the journal.
 *
 * @param usedElsewhere some `txID`s of calls of other wallets. These calls are not in `calls`
 */
export function withExcuses(
  calls: readonly LoggedCall[],
  usedElsewhere: ReadonlySet<string> = NONE,
): readonly LoggedCall[] {
  const contradictionOf = contradictions(calls, usedElsewhere);
  // Most wallets have no declined call, so this is computed only when it is needed.
  let form: LoggedForm | undefined;
  return calls.map((call) => {
    if (call.ending === 'accepted' || call.seen.exchange.isOfRun === true || call.seen.exchange.isJudged === true)
      return call;
    const whole = call.alsoSeen !== null && !call.seen.whole && call.alsoSeen.whole ? call.alsoSeen : call.seen;
    form ??= loggedForm(calls.map(({ seen }) => seen));
    const excuse = excuseOf(whole, {
      isRefused: call.ending === 'refused',
      isOfOperator: call.seen.exchange.side === 'operator',
      signature: call.signature,
      contradiction: contradictionOf(call),
      logged: form,
    });
    return excuse === null ? call : { ...call, excuse };
  });
}

const NONE: ReadonlySet<string> = new Set();

/** Returns a function that says how the request of a call contradicts other calls. It returns null if there is no contradiction. */
function contradictions(
  calls: readonly LoggedCall[],
  usedElsewhere: ReadonlySet<string>,
): (call: LoggedCall) => string | null {
  const reused = reusedOf(calls);
  const placed = new Map(
    calls.flatMap(({ seen }) => (seen.txID === null || seen.call !== 'bet' ? [] : [[seen.txID, seen]])),
  );
  return (call) => {
    const { txID, origTxID, sessionID, money } = call.seen;
    if (reused.has(call) || (txID !== null && usedElsewhere.has(txID)))
      return 'has a txID that was used before for something else';
    if (call.seen.call !== 'refund' || origTxID === null) return null;
    const bet = placed.get(origTxID);
    if (usedElsewhere.has(origTxID)) return 'names a bet of another session';
    if (!bet) return null;
    if (sessionID !== null && bet.sessionID !== null && sessionID !== bet.sessionID)
      return 'names a bet of another session';
    return money !== null && bet.money !== null && !money.equals(bet.money) ? 'has another amount than its bet' : null;
  };
}

/**
 * Finds the calls whose `txID` was used before: with another content, for another session, or in another kind of call. A call
 * answered 401 does not count as a use, because it may not be of the service.
 */
function reusedOf(calls: readonly LoggedCall[]): ReadonlySet<LoggedCall> {
  const first = new Map<string, RecordedCall>();
  const reused = new Set<LoggedCall>();
  for (const call of calls) {
    const { txID } = call.seen;
    if (txID === null) continue;
    const before = first.get(txID);
    if (before && !isSameContent(before, call.seen)) reused.add(call);
    else if (!before && call.ending !== 'refused') first.set(txID, call.seen);
  }
  return reused;
}

/** True if two requests with the same `txID` are the same call. Fields that were not logged count as equal. */
export function isSameContent(a: RecordedCall, b: RecordedCall): boolean {
  if (a.call !== b.call) return false;
  if (a.money !== null && b.money !== null && !a.money.equals(b.money)) return false;
  return (['sessionID', 'roundID', 'origTxID'] as const).every(
    (name) => a[name] === null || b[name] === null || a[name] === b[name],
  );
}

/**
 * Says which wins and refunds the operator did not accept, and perhaps did not have to accept. It is then unknown whether their
 * money is owed. Leaves out the calls that another call has settled.
 */
export function undecidedDeclines(transactions: readonly Transaction[], bets: Bets): readonly string[] {
  return transactions.flatMap((one) => {
    if (one.call === 'bet' || one.state === 'accepted' || isSettledOtherwise(one, transactions, bets)) return [];
    const [call] = one.attempts;
    const excuse = one.attempts.find(({ excuse: each }) => each !== null)?.excuse;
    if (!call || !excuse || excuse.isCertain || !one.attempts.every(isPerhapsDeclined)) return [];
    if (one.call === 'win' && one.amount?.isZero() === true) return [];
    return [
      `the ${one.call} of call ${call.number} ${excuse.text}, so it is unknown whether the operator had to accept it`,
    ];
  });
}

/**
 * True for a win or a refund that the operator perhaps did not have to accept, if another call shows that nothing is owed for it: a
 * win of the same round, or a refund of the same bet, was accepted.
 */
export function isSettledOtherwise(one: Transaction, transactions: readonly Transaction[], bets: Bets): boolean {
  if (!one.attempts.every(isPerhapsDeclined)) return false;
  const accepted = transactions.filter(({ key, state }) => key !== one.key && state === 'accepted');
  const { roundID, origTxID, amount } = one;
  if (one.call === 'win')
    return (
      roundID !== null &&
      accepted.some(
        (win) =>
          win.call === 'win' &&
          win.roundID === roundID &&
          (win.amount === null || amount === null || win.amount.equals(amount)),
      )
    );
  if (one.call !== 'refund' || origTxID === null) return false;
  if (accepted.some((refund) => refund.call === 'refund' && refund.origTxID === origTxID)) return true;
  // The service sends the win of a round only if it counts the bet as accepted.
  const bet = bets.get(origTxID);
  if (bet?.state !== 'accepted' || bet.roundID === null) return false;
  const round = accepted.filter((other) => other.roundID === bet.roundID);
  return round.some(({ call }) => call === 'win') && round.filter(({ call }) => call === 'bet').length === 1;
}
