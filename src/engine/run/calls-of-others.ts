import { Money } from '../../contract/money.ts';
import type { JournalEvent, Received, Sending } from '../../journal/event.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import type { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { readReply } from '../../reply/read.ts';
import { sessionOfSending } from '../after/past-call.ts';
import type { RunOptions } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';

/** Number of recent calls that are kept. Some changes are judged only seconds later, after many further calls. */
const MAX_CALLS = 4096;
/** Maximum number of different sums of calls that are compared with a change. */
const MAX_SUMS = 4096;

/** A balance of another player may be shown with fewer decimals, because the players have different currencies. */
const CUT_DECIMALS = Money.of('0.01');

interface MovingCall {
  readonly walletID: string;
  readonly effect: Money;
  readonly sentMs: number;
  receivedMs: number;
  /** The balance in the reply. */
  replied?: Money;
}

/** A period of time: from `fromMs` to `toMs`. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The recent calls of all players. They show whether the balance of one player changed because of the calls that croupier sent for
 * other players at the same time.
 */
export class CallsOfOthers {
  readonly #options: Pick<RunOptions, 'client' | 'now'>;
  readonly #balancesOfOthers: BalancesOfOthers;
  readonly #calls = new Map<string, MovingCall>();
  /** The wallets of the balance calls in progress. */
  readonly #reads = new CallsInFlight<string>();

  /** @param balancesOfOthers gets the balances in the replies */
  constructor(options: Pick<RunOptions, 'client' | 'now'>, balancesOfOthers: BalancesOfOthers) {
    this.#options = options;
    this.#balancesOfOthers = balancesOfOthers;
  }

  /** Notes the calls of the run. Each event must be noted at the time at which it occurs. */
  note(event: JournalEvent): void {
    if (event.event === 'sending') this.#sending(event);
    else if (event.event === 'received') this.#received(event);
  }

  #sending(event: Sending): void {
    const sessionID = sessionOfSending(event);
    const session = this.#options.client.sessions.find((one) => one.sessionID === sessionID);
    if (!session || event.signed !== undefined) return;
    const walletID = walletIdOf(session);
    if (event.call === 'balance') {
      this.#reads.set(event.id, walletID);
      return;
    }
    if (event.amount === undefined) return;
    const amount = Money.of(event.amount);
    if (this.#calls.size >= MAX_CALLS) {
      const [oldest = ''] = this.#calls.keys();
      this.#calls.delete(oldest);
    }
    this.#calls.set(event.id, {
      walletID,
      effect: event.call === 'bet' ? amount.negated() : amount,
      sentMs: this.#options.now(),
      receivedMs: Number.POSITIVE_INFINITY,
    });
  }

  #received({ id, outcome }: Received): void {
    const [call, readOf] = [this.#calls.get(id), this.#reads.take(id)];
    if (call) call.receivedMs = this.#options.now();
    const balance = outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
    if (!balance) return;
    if (readOf !== undefined) this.#balancesOfOthers.recordRead(readOf, balance);
    if (!call) return;
    call.replied = balance;
    this.#balancesOfOthers.recordReplied(call.walletID, balance);
  }

  /**
   * True if calls that were in progress for other players in the period explain a change of a balance: the change is the sum of the
   * effects of some of these calls, or the new balance is the balance in the reply to one of them.
   *
   * If there were many calls, this may be chance. So it proves nothing alone.
   */
  explain(walletID: string, { from, to }: { readonly from: Money; readonly to: Money }, period: Period): boolean {
    const change = to.minus(from);
    const candidates = [...this.#calls.values()].filter(
      (one) => one.walletID !== walletID && one.sentMs <= period.toMs && one.receivedMs >= period.fromMs,
    );
    if (candidates.some(({ effect, replied }) => effect.equals(change) || isShownAs(replied, to))) return true;
    const effects = candidates.map(({ effect }) => effect).filter((effect) => !effect.isZero());
    const sums = new Map([['0', Money.zero]]);
    for (const effect of effects) {
      if (sums.has(change.toString()) || sums.size > MAX_SUMS) break;
      for (const sum of [...sums.values()].map((one) => one.plus(effect))) sums.set(sum.toString(), sum);
    }
    return sums.has(change.toString());
  }
}

function isShownAs(replied: Money | undefined, shown: Money): boolean {
  return replied !== undefined && replied.minus(shown).absolute().compare(CUT_DECIMALS) < 0;
}
