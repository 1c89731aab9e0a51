import { Money } from '../../contract/money.ts';
import { type LoggedExchange, textBody } from '../logged-exchange.ts';
import { ByteText } from '../read/templates/byte-text.ts';
import type { RecordedCall } from '../recorded-call.ts';
import type { RepeatedIds } from './repeated-ids.ts';
import type { IncidentTimeline } from './timeline.ts';
import type { WalletVerdict } from './verdict.ts';

/** The division waits for the end of a round or of a call. After this number of calls, it stops waiting. */
const MAX_WAIT = 2000;

/**
 * Divides the calls of one wallet into parts that can be judged one after another. A part ends where no round is open and the last
 * reply has a balance. The next part begins with this balance, as if it came from the reply to a balance call.
 *
 * @param size if a part has this number of calls, it ends at the next place where a part may end
 */
export class PartsOfWallet {
  readonly #size: number;
  readonly #ids: RepeatedIds;
  #part: RecordedCall[] = [];
  #number = 0;
  /** The rounds without an accepted win. The value is the number of the last call of the round. */
  readonly #open = new Map<string, number>();
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #endOfPartMs = Number.NEGATIVE_INFINITY;
  #currency: string | null = null;
  #isMixed = false;
  #isForced = false;
  /** The txIDs of this part. If a txID occurs again, the call is repeated, and its reply may have an old balance. */
  readonly #inPart = new Set<string>();
  #isRepeat = false;
  #isOutOfOrder = false;

  /** @param ids finds the ids that occur in several parts */
  constructor(size: number, ids: RepeatedIds) {
    this.#size = size;
    this.#ids = ids;
  }

  /** Adds the next call in the order of the files. If a part ends before this call, returns this part. Otherwise returns null. */
  add(call: RecordedCall): readonly RecordedCall[] | null {
    const ended = this.#part.length >= this.#size ? this.#end(call) : null;
    this.#count += 1;
    this.#part.push(call);
    this.#note(call);
    return ended;
  }

  /** Returns the last part. */
  last(): readonly RecordedCall[] {
    return this.#part;
  }

  /** The number of calls. */
  get calls(): number {
    return this.#count;
  }

  /** Returns the reasons why the parts together do not show the state of the wallet, each as a clause. */
  doubts(): readonly string[] {
    const many = 'the wallet has more calls than croupier compares at once';
    return [
      ...(this.#isOutOfOrder ? [`${many}, and their lines are not in the order of their times`] : []),
      ...(this.#isForced ? [`${many}, and always some without their end`] : []),
      ...(this.#isMixed ? [`${many}, and they are in several currencies`] : []),
      ...(this.#ids.isShared() ? [`${many}, and some ids occur again after many other calls`] : []),
    ];
  }

  #note(call: RecordedCall): void {
    const { txID, origTxID, roundID, currency, exchange } = call;
    for (const id of [txID, origTxID]) if (id !== null) this.#ids.add('transaction', ByteText.of(id), this.#number);
    if (roundID !== null) this.#ids.add('round', ByteText.of(roundID), this.#number);
    if (currency !== null) {
      this.#isMixed ||= this.#currency !== null && this.#currency !== currency;
      this.#currency = currency;
    }
    const ms = exchange.time?.ms;
    if (ms !== undefined) {
      this.#lastMs = Math.max(this.#lastMs, ms);
      this.#isOutOfOrder ||= ms < this.#endOfPartMs;
    }
    this.#isRepeat = txID !== null && this.#inPart.has(txID);
    if (txID !== null) this.#inPart.add(txID);
    if (call.call === 'balance') return;
    const round = roundID ?? origTxID ?? txID ?? '';
    if (call.call !== 'bet' && isAccepted(exchange)) this.#open.delete(round);
    else this.#open.set(round, this.#count);
  }

  /** Ends the part before the next call, if no round and no call is open, and the last reply has a balance. */
  #end(next: RecordedCall): readonly RecordedCall[] | null {
    for (const [round, since] of this.#open) if (this.#count - since > MAX_WAIT) this.#open.delete(round);
    const part = this.#part;
    const last = part.at(-1);
    const isQuiet =
      last !== undefined &&
      this.#open.size === 0 &&
      !this.#isRepeat &&
      isBefore(part.at(-2), last) &&
      isBefore(last, next);
    const balance = isQuiet ? balanceOf(last) : null;
    // There was no place where the part may end, and the part is now too long. So it ends here, and the sums of the wallet are
    // unknown.
    if (balance === null && part.length < MAX_SIZES * this.#size) return null;
    this.#isForced ||= balance === null;
    this.#endOfPartMs = this.#lastMs;
    this.#number += 1;
    this.#part = last && balance !== null ? [askedFor(last, balance)] : [];
    this.#inPart.clear();
    return part;
  }
}

/** Maximum size of a part, as a multiple of the size after which the part ends at the next possible place. */
const MAX_SIZES = 5;
/** Times with a precision of more ms than this do not show which of two calls came first. */
const FINE_MS = 100;

/**
 * True if a call certainly ended before the next call began. This must be true both if the logged times are beginnings and if they
 * are ends.
 */
function isBefore(call: RecordedCall | undefined, next: RecordedCall): boolean {
  if (!call) return false;
  const [from, to] = [call.exchange, next.exchange];
  if (!from.time || !to.time) return false;
  const precisionMs = Math.max(from.time.precisionMs, to.time.precisionMs);
  const margin = precisionMs > FINE_MS ? precisionMs : 0;
  const isAfterEnd = to.time.ms >= from.time.ms + (from.tookMs ?? 0) + margin;
  return isAfterEnd && to.time.ms - (to.tookMs ?? 0) >= from.time.ms + margin;
}

function isAccepted({ answer }: LoggedExchange): boolean {
  return answer.kind === 'reply' && answer.status === 200;
}

/** Returns the balance in the reply to a call that was answered 200. */
function balanceOf({ call, exchange }: RecordedCall): string | null {
  const { answer } = exchange;
  if (call === 'refund' || answer.kind !== 'reply' || answer.status !== 200) return null;
  const { body } = answer;
  if (body === null || body.truncated || body.encoding !== 'utf8') return null;
  return /"balance"\s*:\s*"(\d{1,30}(?:\.\d{1,30})?)"/.exec(body.data)?.[1] ?? null;
}

/** Returns a balance call that has this balance in its reply, and the time of the given call. */
function askedFor(call: RecordedCall, balance: string): RecordedCall {
  const { exchange } = call;
  return {
    ...call,
    call: 'balance',
    txID: null,
    origTxID: null,
    roundID: null,
    amount: null,
    money: null,
    type: null,
    frID: null,
    exchange: {
      ...exchange,
      tookMs: 0,
      request: { ...exchange.request, body: null },
      answer: { kind: 'reply', status: 200, headers: null, body: textBody(JSON.stringify({ balance })) },
    },
  };
}

/**
 * Joins the verdicts on the parts of a wallet. If the verdict on one part is unknown, calls of this part may have settled debts of
 * other parts. So these debts are not certain.
 *
 * @param calls the number of calls of the wallet
 * @param doubts the reasons why the parts together do not show the state of the wallet
 */
export function joinedVerdict(
  parts: readonly WalletVerdict[],
  calls: number,
  doubts: readonly string[],
): WalletVerdict | null {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return null;
  const debts = parts.flatMap((part) => part.debts);
  const possible = parts.flatMap((part) => part.possibleDebts);
  const difference = parts.reduce<Money | null>(
    (sum, part) => (sum === null || part.difference === null ? null : sum.plus(part.difference)),
    doubts.length > 0 ? null : Money.zero,
  );
  const isSure = difference !== null && possible.length === 0;
  const booked = doubts.length > 0 ? null : last.booked;
  return {
    ...last,
    currency: parts.find(({ currency }) => currency !== null)?.currency ?? null,
    sessions: [...new Set(parts.flatMap(({ sessions }) => sessions))],
    evidence: {
      calls,
      files: [...new Set(parts.flatMap(({ evidence }) => evidence.files))],
    },
    books: { ...last.books, firstSaid: first.books.firstSaid },
    since: first.since,
    rounds: parts.flatMap(({ rounds }) => rounds),
    debts: isSure ? debts : [],
    possibleDebts: isSure ? [] : [...possible, ...debts],
    unknowns: [...new Set([...doubts, ...parts.flatMap(({ unknowns }) => unknowns)])],
    difference: isSure ? difference : null,
    should: isSure && booked !== null ? booked.minus(difference) : null,
    booked,
  };
}

/** True if each part has one wallet, and it is the same one. */
export function isOneWallet(parts: readonly IncidentTimeline[]): boolean {
  const names = new Set(parts.flatMap(({ wallets }) => wallets.map(({ wallet }) => wallet)));
  return names.size === 1 && parts.every(({ wallets }) => wallets.length === 1);
}
