import type { Money } from '../contract/money.ts';
import type { Owed, Sending } from '../journal/event.ts';
import type { Answer } from '../judge/check.ts';
import type { ReplyReading } from '../judge/reading.ts';
import type { PastCall } from './past-call.ts';
import type { Reckoning } from './reckoning.ts';

/** One transaction of a run, and what has become of it as far as its journal tells. */
export interface PastTransaction {
  readonly call: PastCall;
  /** The bodies that were sent for it: of one from two sessions of a player at once, either may have been the first. */
  readonly bodies: string[];
  readonly walletID: string;
  readonly scenario: string | null;
  /** Why it was sent. */
  readonly purpose: Sending['purpose'];
  /**
   * - `sent`: no answer yet
   * - `applied`: answered 200
   * - `none`: answered with an error that says that nothing was done
   * - `unknown`: it may have been carried out, now or later
   * - `reversed`: a bet whose refund was answered 200
   */
  state: 'sent' | 'applied' | 'none' | 'unknown' | 'reversed';
  /** It has to be sent again, or refunded, until that is answered 200. */
  open: boolean;
  /** The journal says in so many words that it is owed. */
  announced: boolean;
  /** The first answer with 200, where the transaction was answered at once. */
  reply: ReplyReading | undefined;
  /** What it moved by then; undefined: that is the operator's to decide, or not known. */
  effect: Money | undefined;
}

/** Answers that say: not yet. */
const BUSY: readonly number[] = [409, 423, 425, 429];

/** The transactions of a run, and what the answers that its journal holds make of them and of the wallets. */
export class PastTransactions {
  readonly #reckoningOf: (walletID: string) => Reckoning | undefined;
  readonly #byTxID = new Map<string, PastTransaction>();
  readonly #refunds = new Map<string, PastTransaction[]>();
  readonly #rounds = new Map<string, PastTransaction[]>();

  constructor(reckoningOf: (walletID: string) => Reckoning | undefined) {
    this.#reckoningOf = reckoningOf;
  }

  /** In the order in which they were sent first. */
  all(): readonly PastTransaction[] {
    return [...this.#byTxID.values()];
  }

  ofTxID(txID: string): PastTransaction | undefined {
    return this.#byTxID.get(txID);
  }

  /** The refund that was sent for a bet, whatever became of it: it is sent again rather than another. */
  refundOf(bet: PastTransaction): PastTransaction | undefined {
    return this.#refunds.get(bet.call.txID)?.find((refund) => refund.walletID === bet.walletID);
  }

  /** A transaction leaves for the first time. */
  sent(call: PastCall, walletID: string, { scenario, purpose }: Sending): PastTransaction {
    const transaction: PastTransaction = {
      call,
      bodies: [call.body],
      walletID,
      scenario,
      purpose,
      // A bet that comes after its own refund takes nothing any more (contract, Rules 3).
      state: call.call === 'bet' && this.#isRefunded(call.txID, walletID) ? 'reversed' : 'sent',
      open: false,
      announced: false,
      reply: undefined,
      effect: undefined,
    };
    this.#byTxID.set(call.txID, transaction);
    if (call.origTxID !== null) addTo(this.#refunds, call.origTxID, transaction);
    if (call.roundID !== null) addTo(this.#rounds, call.roundID, transaction);
    return transaction;
  }

  #isRefunded(txID: string, walletID: string): boolean {
    const refunds = this.#refunds.get(txID) ?? [];
    return refunds.some((refund) => refund.state === 'applied' && refund.walletID === walletID);
  }

  owed({ call, txID, open }: Owed): void {
    const transaction = this.#byTxID.get(txID);
    if (!transaction) return;
    transaction.announced = open;
    if (open && transaction.state !== 'reversed' && (call === 'refund' || transaction.state !== 'applied'))
      transaction.open = true;
  }

  /** What an answer to a transaction says of it. */
  answered(transaction: PastTransaction, answer: Answer, reading: ReplyReading | undefined): void {
    switch (transaction.state) {
      case 'applied':
      case 'reversed':
        if (answer !== 'accepted') return;
        // Whatever became of its bet in the meantime, it has been given back by now.
        if (transaction.call.call !== 'refund') transaction.open = false;
        else if (this.#byTxID.get(transaction.call.origTxID ?? '')?.state === 'unknown') this.#reverse(transaction);
        return;
      case 'sent':
      case 'none':
      case 'unknown':
        break;
    }
    if (answer === 'accepted') this.#accepted(transaction, reading);
    else if (isUnknown(answer, reading)) this.#unknown(transaction);
    else if (transaction.call.call === 'bet') this.#declinedBet(transaction, answer, reading);
    else if (answer !== 'refused') this.#declined(transaction);
    else if (transaction.state === 'sent') transaction.state = 'none';
  }

  #accepted(transaction: PastTransaction, reading: ReplyReading | undefined): void {
    const { call, state, walletID } = transaction;
    const reckoning = this.#reckoningOf(walletID);
    if (state === 'sent') transaction.reply = reading;
    transaction.open = false;
    if (call.call === 'refund') {
      this.#reverse(transaction);
      return;
    }
    transaction.state = 'applied';
    const delta = call.call === 'bet' ? call.amount.negated() : call.amount;
    if (reckoning?.resolve(call.txID, true)) return;
    if (call.free || state === 'none' || (call.call === 'win' && !this.#betOfRound(transaction))) {
      reckoning?.may(delta);
      return;
    }
    if (state === 'sent') transaction.effect = delta;
    reckoning?.move(delta);
  }

  #reverse(refund: PastTransaction): void {
    const { call, walletID, state } = refund;
    const reckoning = this.#reckoningOf(walletID);
    const target = this.#byTxID.get(call.origTxID ?? '');
    refund.state = 'applied';
    const resolved = reckoning?.resolve(call.txID, true) === true;
    if (!target) return;
    const before = target.state;
    if (target.call.call === 'bet') {
      target.state = 'reversed';
      target.open = false;
    }
    if (resolved || before === 'reversed') return;
    // A bet that nobody knows about is as if it had never been, now that it was given back.
    if (before === 'unknown' && this.#reckoningOf(target.walletID)?.resolve(target.call.txID, false)) return;
    if (before !== 'applied') return;
    if (target.walletID !== walletID || !this.#isPlainRefund(refund, target)) {
      this.#reckoningOf(target.walletID)?.may(call.amount);
      return;
    }
    if (state === 'sent') refund.effect = target.call.amount;
    reckoning?.move(target.call.amount);
  }

  /** It may have been carried out, now or later. */
  #unknown(transaction: PastTransaction): void {
    const { call, walletID } = transaction;
    const reckoning = this.#reckoningOf(walletID);
    const first = transaction.state !== 'unknown';
    transaction.state = 'unknown';
    switch (call.call) {
      case 'bet':
        transaction.open = true;
        if (first) reckoning?.leaveOpen(call.txID, call.amount.negated());
        return;
      case 'win':
        transaction.open = true;
        if (first) reckoning?.leaveOpen(call.txID, call.amount);
        return;
      case 'refund': {
        const target = this.#byTxID.get(call.origTxID ?? '');
        if (target?.call.call !== 'bet' || target.walletID !== walletID) return;
        if (target.state === 'none' || target.state === 'reversed') return;
        transaction.open = true;
        if (first && target.state === 'applied') reckoning?.leaveOpen(call.txID, target.call.amount);
        return;
      }
    }
  }

  /** A bet that was answered with a gateway's error is refunded too: it may have passed the gateway. */
  #declinedBet(transaction: PastTransaction, answer: Answer, reading: ReplyReading | undefined): void {
    if (answer === 'declined' && (reading?.status ?? 0) > 500) {
      this.#unknown(transaction);
      return;
    }
    if (answer === 'error-200') this.#reckoningOf(transaction.walletID)?.may(transaction.call.amount.negated());
    if (transaction.state === 'sent') transaction.state = 'none';
  }

  /** A win of an accepted bet, and the refund of one, are sent again until they are answered 200, whatever the error. */
  #declined(transaction: PastTransaction): void {
    const isDue =
      transaction.call.call === 'win'
        ? this.#betOfRound(transaction) !== undefined
        : this.#byTxID.get(transaction.call.origTxID ?? '') !== undefined;
    if (isDue) this.#unknown(transaction);
    else if (transaction.state === 'sent') transaction.state = 'none';
  }

  #betOfRound({ call, walletID }: PastTransaction): PastTransaction | undefined {
    return this.#rounds
      .get(call.roundID ?? '')
      ?.find((other) => other.call.call === 'bet' && other.state === 'applied' && other.walletID === walletID);
  }

  /** As the service sends it: of the whole amount, of a bet that moved money for sure, in a round that was not won yet. */
  #isPlainRefund(refund: PastTransaction, bet: PastTransaction): boolean {
    const round = this.#rounds.get(bet.call.roundID ?? '') ?? [];
    const won = round.some(({ call, state }) => call.call === 'win' && state === 'applied');
    return bet.call.call === 'bet' && !bet.call.free && !won && refund.call.amount.equals(bet.call.amount);
  }
}

function addTo(map: Map<string, PastTransaction[]>, key: string, transaction: PastTransaction): void {
  const known = map.get(key);
  if (known) known.push(transaction);
  else map.set(key, [transaction]);
}

function isUnknown(answer: Answer, reading: ReplyReading | undefined): boolean {
  switch (answer) {
    case 'failed':
    case 'late':
    case 'broken':
    case 'lost':
      return true;
    case 'declined':
      return BUSY.includes(reading?.status ?? 0);
    case 'accepted':
    case 'error-200':
    case 'refused':
      return false;
  }
}
