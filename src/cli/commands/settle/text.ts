import { amountText } from '../../../contract/amount-text.ts';
import type { Money } from '../../../contract/money.ts';
import type { Debts } from '../../../engine/after/debts.ts';
import type { OpenItem } from '../../../engine/after/open-items.ts';
import type { Settled } from '../../../engine/after/settle.ts';
import type { RunStarted } from '../../../journal/event.ts';

/** One win, refund, round or balance that the run owes, as the text and the JSON output show it. */
export interface SettleItem {
  /**
   * `refund`: a bet must be refunded. `win`: a win must be sent again. `round`: a round must be completed with a win of 0.
   * `balance`: a balance must be restored.
   */
  readonly kind: 'refund' | 'win' | 'round' | 'balance';
  readonly sessionID: string;
  readonly player: string | null;
  readonly currency: string | null;
  /**
   * The amount of the refund or win. For a balance, the missing amount with its sign; null if the missing amount is uncertain.
   */
  readonly amount: string | null;
  /** The txID of the refund or win; null for a refund that was not sent yet, and for a balance. */
  readonly txID: string | null;
  /** The txID of the bet that a refund gives back; null for a win or a balance. */
  readonly origTxID: string | null;
  readonly scenario: string | null;
  /** The current balance, and in `wanted` the balance before the run; null for a refund or a win. */
  readonly found: string | null;
  readonly wanted: string | null;
  readonly settled: boolean;
  readonly tries: number;
  /** The HTTP status of the last reply; null if there was no reply. */
  readonly status: number | null;
  readonly reason: string | null;
}

const UNTRIED = { done: false, tries: 0, status: null, found: null, reason: null };

/**
 * Converts one owed win, refund, round or balance to an entry of the output.
 *
 * @param settled the result of the settlement; undefined if nothing was sent
 */
export function itemOf(due: OpenItem, run: RunStarted, settled?: Settled): SettleItem {
  return itemWith(due, run, settled, settled?.missing ?? undefined);
}

/** Returns the entries for everything that a run owes, if nothing was sent. */
export function debtItems({ calls, balances }: Debts, run: RunStarted): readonly SettleItem[] {
  return [
    ...calls.map((call) => itemWith(call, run, undefined, undefined)),
    ...balances.map(({ estimate, missing }) => itemWith({ kind: 'balance', estimate }, run, undefined, missing)),
  ];
}

/** @param missing for a balance: the missing amount; undefined if it is not known */
function itemWith(
  due: OpenItem,
  run: RunStarted,
  settled: Settled | undefined,
  missing: Money | undefined,
): SettleItem {
  const { done, tries, status, reason, found } = settled ?? UNTRIED;
  const came = { settled: done, tries, status, reason };
  switch (due.kind) {
    case 'refund': {
      const owner = whose(due.bet.call.sessionID, run);
      return {
        kind: 'refund',
        ...owner,
        amount: inUnits(due.bet.call.amount, owner),
        txID: due.refund?.call.txID ?? null,
        origTxID: due.bet.call.txID,
        scenario: due.bet.scenario,
        found: null,
        wanted: null,
        ...came,
      };
    }
    case 'again': {
      const { call, scenario } = due.transaction;
      const owner = whose(call.sessionID, run);
      return {
        kind: call.call === 'win' ? 'win' : 'refund',
        ...owner,
        amount: inUnits(call.amount, owner),
        txID: call.txID,
        origTxID: call.origTxID,
        scenario,
        found: null,
        wanted: null,
        ...came,
      };
    }
    case 'round':
      return {
        kind: 'round',
        ...whose(due.bet.call.sessionID, run),
        amount: '0',
        txID: null,
        origTxID: null,
        scenario: due.bet.scenario,
        found: null,
        wanted: null,
        ...came,
      };
    case 'balance': {
      const { estimate } = due;
      const owner = whose(estimate.sessionID, run);
      return {
        kind: 'balance',
        ...owner,
        amount: missing === undefined ? null : inUnits(missing, owner),
        txID: null,
        origTxID: null,
        scenario: null,
        found: found && inUnits(found, owner),
        wanted: inUnits(estimate.target, owner),
        ...came,
      };
    }
  }
}

function whose(sessionID: string, { settings }: RunStarted): Pick<SettleItem, 'sessionID' | 'player' | 'currency'> {
  const session = settings.sessions.find((one) => one.sessionID === sessionID);
  return { sessionID, player: session?.player ?? null, currency: session?.currency ?? null };
}

/** Writes an amount with the decimals of its currency, and without the code of the currency. */
function inUnits(amount: Money, { currency }: Pick<SettleItem, 'currency'>): string {
  return amountText(amount, currency).split(' ', 1).join('');
}

/**
 * Returns the lines for one call or balance that is owed, with its amount, session and result. The caller must escape the names of
 * sessions and players before it prints them.
 */
export function itemLines(item: SettleItem, isSent: boolean): readonly string[] {
  const { kind, amount, currency, sessionID, player } = item;
  const money = amount === null ? 'an unknown amount' : [amount, currency].filter(Boolean).join(' ');
  const who = `session ${sessionID}${player === null ? '' : ` (${player})`}`;
  const mark = !isSent ? '-' : item.settled ? '✓' : '!';
  const why = item.scenario === null ? [] : [`from ${item.scenario}`];
  return [
    `${mark} ${kind}: ${kind === 'balance' && amount !== null ? signed(amount, currency) : money}, ${who}`,
    ...[...ids(item), ...why, ...outcome(item, isSent)].map((line) => `    ${line}`),
  ];
}

function signed(amount: string, currency: string | null): string {
  const text = [amount.replace(/^-/, ''), currency].filter(Boolean).join(' ');
  return /^-?0+(\.0+)?$/.test(amount)
    ? 'nothing is missing'
    : amount.startsWith('-')
      ? `${text} too much`
      : `${text} too little`;
}

function ids({ kind, txID, origTxID, found, wanted, settled }: SettleItem): readonly string[] {
  if (kind === 'balance')
    return [
      found === null
        ? `the balance was ${wanted} before the run`
        : `the balance was ${wanted} before the run, and ${settled && found !== wanted ? `${found} before this correction` : `is ${found} now`}`,
    ];
  if (kind === 'win') return [`txID ${txID}`];
  if (kind === 'round')
    return ['a round with an accepted bet has no win, so croupier completes the round with a win of 0'];
  return [`refunds the bet ${origTxID}, ${txID === null ? 'not sent yet' : `txID ${txID}`}`];
}

function outcome({ kind, settled, tries, reason, status }: SettleItem, isSent: boolean): readonly string[] {
  if (!isSent) {
    return [
      kind === 'balance'
        ? 'croupier would read the balance, and restore the balance if no other transaction has changed it'
        : 'croupier would send this call until the operator answers 200',
    ];
  }
  if (!settled) return [`still owed: ${reason}`];
  if (kind === 'balance') return ['the balance is now the same as before the run'];
  const answer = `answered ${status}${tries > 1 ? `, at attempt ${tries}` : ''}`;
  return [status === 200 ? answer : `${answer}: the round has no accepted bet, so the operator may decline this win`];
}

/** Returns the last line of the output. It says how much is still owed. */
export function lastSentence(
  owed: number,
  all: number,
  { isSent, journal }: { readonly isSent: boolean; readonly journal: string },
): string {
  if (all === 0) return 'Nothing is owed. Nothing was sent.';
  if (!isSent) return `${count(owed)} owed. Nothing was sent. To send it: croupier settle ${journal}`;
  return owed === 0
    ? 'Nothing is owed any more.'
    : `${count(owed)} still owed. The journal contains every attempt. To try again: croupier settle ${journal}`;
}

function count(owed: number): string {
  return owed === 1 ? '1 thing is' : `${owed} things are`;
}
