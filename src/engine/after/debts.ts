import type { Money } from '../../contract/money.ts';
import type { BalanceOwed, JournalEvent, Owed } from '../../journal/event.ts';
import type { BalanceEstimate } from '../balances/balance-estimate.ts';
import type { AfterRun } from './after-run.ts';
import { type OpenItem, openItemsOf } from './open-items.ts';
import type { PastCall } from './past-call.ts';

/** A balance that will still differ from the balance before the run after all owed calls are answered 200. */
interface OwedBalance {
  readonly estimate: BalanceEstimate;
  /** The missing amount. It is negative if the balance is too high. Undefined if only a new read can show it. */
  readonly missing: Money | undefined;
}

/** Everything that a run owes. */
export interface Debts {
  readonly calls: readonly Exclude<OpenItem, { kind: 'balance' }>[];
  readonly balances: readonly OwedBalance[];
}

/**
 * Returns what a run owes, according to its journal. All reports and `croupier settle` take their lists and sums from here.
 *
 * @param afterRun the state at the end of the run. It can't be used any more afterwards, except for its run
 */
export function debtsOf(afterRun: AfterRun): Debts {
  const calls = openItemsOf(afterRun).flatMap((item) => (item.kind === 'balance' ? [] : [item]));
  afterRun.assumeSettled();
  const balances = (afterRun.owesBalances ? afterRun.estimates : []).flatMap((estimate): readonly OwedBalance[] => {
    const missing = estimate.missing();
    return missing?.isZero() === true ? [] : [{ estimate, missing }];
  });
  return { calls, balances };
}

/**
 * Returns an `owed` event for each call that is newly owed, and for each call that is newly settled. With these events, the list of
 * owed calls in the reports is right.
 */
export function callEvents({ transactions }: AfterRun): readonly Owed[] {
  return transactions
    .filter(({ open, announced }) => open !== announced)
    .map(({ call, scenario, open }) => ({
      event: 'owed',
      scenario,
      call: call.call === 'bet' ? 'refund' : call.call,
      sessionID: call.sessionID,
      txID: call.txID,
      open,
      fields: fieldsOf(call),
    }));
}

/**
 * Returns a `balance-owed` event for each balance that is newly owed, whose sum has changed, or that is newly restored.
 *
 * @param afterRun it can't be used any more afterwards, except for its run
 */
export function balanceEvents(afterRun: AfterRun): readonly BalanceOwed[] {
  const { announcedBalances } = afterRun;
  const owed = debtsOf(afterRun).balances.map(
    ({ estimate: { sessionID, target }, missing }): BalanceOwed => ({
      event: 'balance-owed',
      sessionID,
      open: true,
      wanted: target.toString(),
      missing: missing?.toString() ?? null,
    }),
  );
  const restored = announcedBalances.filter(({ sessionID }) => !owed.some((one) => one.sessionID === sessionID));
  return [
    ...owed.filter((one) => !announcedBalances.some((known) => isSame(one, known))),
    ...restored.map((one) => ({ ...one, open: false })),
  ];
}

function isSame(a: BalanceOwed, b: BalanceOwed): boolean {
  return a.sessionID === b.sessionID && a.wanted === b.wanted && a.missing === b.missing;
}

/** Records everything that a run owes at its end. @param afterRun it can't be used any more afterwards, except for its run */
export function recordDebts(afterRun: AfterRun, record: (event: JournalEvent) => void): void {
  for (const event of callEvents(afterRun)) record(event);
  for (const event of balanceEvents(afterRun)) record(event);
}

/** Returns the fields of a call that tell the reader of a report which call is owed. */
function fieldsOf({ sessionID, txID, origTxID, amountText, roundID }: PastCall): Owed['fields'] {
  return {
    sessionID,
    txID,
    amount: amountText,
    ...(origTxID !== null && { origTxID }),
    ...(roundID !== null && { roundID }),
  };
}
