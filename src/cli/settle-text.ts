import type { Due } from '../engine/due.ts';
import type { Settled } from '../engine/settle.ts';
import type { RunStarted } from '../journal/event.ts';

/** One thing that was owed, in plain values: a row for people, an object for machines. */
export interface SettleItem {
  /** `refund`: of a bet without a known outcome, or of one that was accepted; `win`: sent again; `balance`: given back. */
  readonly kind: 'refund' | 'win' | 'balance';
  readonly sessionID: string;
  readonly player: string | null;
  readonly currency: string | null;
  /** Of a balance: what had to be added, with its sign; null: that is not certain. */
  readonly amount: string | null;
  /** The transaction that is owed; null: a refund that had not been sent, and balances. */
  readonly txID: string | null;
  /** The bet that a refund gives back. */
  readonly origTxID: string | null;
  readonly scenario: string | null;
  /** Of a balance: what was found now, and what it was before the run. */
  readonly found: string | null;
  readonly wanted: string | null;
  readonly settled: boolean;
  readonly tries: number;
  /** Of the last answer. */
  readonly status: number | null;
  readonly reason: string | null;
}

const UNTRIED = { done: false, tries: 0, status: null, found: null, missing: null, reason: null };

/** @param settled what became of it; left out: nothing was sent */
export function itemOf(due: Due, run: RunStarted, settled?: Settled): SettleItem {
  const { done, tries, status, reason, found, missing } = settled ?? UNTRIED;
  const came = { settled: done, tries, status, reason };
  switch (due.kind) {
    case 'refund':
      return {
        kind: 'refund',
        ...whose(due.bet.call.sessionID, run),
        amount: due.bet.call.amount.format(2),
        txID: due.refund?.call.txID ?? null,
        origTxID: due.bet.call.txID,
        scenario: due.bet.scenario,
        found: null,
        wanted: null,
        ...came,
      };
    case 'again': {
      const { call, scenario } = due.transaction;
      return {
        kind: call.call === 'win' ? 'win' : 'refund',
        ...whose(call.sessionID, run),
        amount: call.amount.format(2),
        txID: call.txID,
        origTxID: call.origTxID,
        scenario,
        found: null,
        wanted: null,
        ...came,
      };
    }
    case 'balance': {
      const { reckoning } = due;
      return {
        kind: 'balance',
        ...whose(reckoning.sessionID, run),
        amount: (settled ? missing : (reckoning.missing() ?? null))?.format(2) ?? null,
        txID: null,
        origTxID: null,
        scenario: null,
        found: found?.format(2) ?? null,
        wanted: reckoning.target.format(2),
        ...came,
      };
    }
  }
}

function whose(sessionID: string, { settings }: RunStarted): Pick<SettleItem, 'sessionID' | 'player' | 'currency'> {
  const session = settings.sessions.find((one) => one.sessionID === sessionID);
  return { sessionID, player: session?.player ?? null, currency: session?.currency ?? null };
}

/** What was owed, to whom, and what became of it. Names from outside are not yet escaped. */
export function itemLines(item: SettleItem, isSent: boolean): readonly string[] {
  const { kind, amount, currency, sessionID, player } = item;
  const money = amount === null ? 'an amount that is not certain' : [amount, currency].filter(Boolean).join(' ');
  const who = `session ${sessionID}${player === null ? '' : ` (${player})`}`;
  const what = kind === 'balance' ? 'balance' : item.kind === 'win' ? 'win' : 'refund';
  const mark = !isSent ? '-' : item.settled ? '✓' : '!';
  const why = item.scenario === null ? [] : [`from ${item.scenario}`];
  return [
    `${mark} ${what}: ${kind === 'balance' && amount !== null ? signed(amount, currency) : money}, ${who}`,
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

function ids({ kind, txID, origTxID, found, wanted }: SettleItem): readonly string[] {
  if (kind === 'balance')
    return [found === null ? `it was ${wanted} before the run` : `it was ${wanted} before the run, and ${found} now`];
  if (kind === 'win') return [`txID ${txID}`];
  return [`of the bet ${origTxID}, ${txID === null ? 'not sent so far' : `txID ${txID}`}`];
}

function outcome({ kind, settled, tries, reason, status }: SettleItem, isSent: boolean): readonly string[] {
  if (!isSent) {
    return [
      kind === 'balance'
        ? 'would be read, and given back where nothing else has moved it'
        : 'would be sent until it is answered 200',
    ];
  }
  if (!settled) return [`still owed: ${reason}`];
  if (kind === 'balance') return ['it is what it was before the run'];
  return [`answered ${status}${tries > 1 ? `, at try ${tries}` : ''}`];
}

/** The sentence that everything ends with. */
export function lastSentence(
  owed: number,
  all: number,
  { isSent, journal }: { readonly isSent: boolean; readonly journal: string },
): string {
  if (all === 0) return 'Nothing is owed: nothing was sent.';
  if (!isSent) return `${count(owed)} owed. Nothing was sent: croupier settle ${journal} sends it.`;
  return owed === 0
    ? 'Nothing is owed any more.'
    : `${count(owed)} still owed. The journal knows what was done: croupier settle ${journal} tries again.`;
}

function count(owed: number): string {
  return owed === 1 ? '1 thing is' : `${owed} things are`;
}
