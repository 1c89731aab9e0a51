import path from 'node:path';
import { Money } from '../../contract/money.ts';
import { amountOf, bodyFields } from '../../journal/call-amount.ts';
import type { Sending } from '../../journal/event.ts';
import { overlapped, type Stamps } from '../../journal/exchange.ts';
import { DEFAULT_MIX, type Mix } from '../../load/mix.ts';
import { UsageError } from '../exit-status.ts';
import { journalEvents } from '../journal-files.ts';

/** The traffic of a journal: when its calls were sent, and what players did. */
export interface RecordedTraffic {
  /** The times of all calls, in milliseconds after the first one. */
  readonly offsets: readonly number[];
  readonly mix: Mix;
}

/** The calls of one round. */
interface Round {
  readonly bets: Set<string>;
  isWon: boolean;
  isFree: boolean;
}

/**
 * Reads from a journal, such as a journal of `croupier proxy`, when the calls were sent and what players did. Does not use the
 * amounts, players and ids of the journal, because croupier uses its own.
 *
 * @throws UsageError if the journal can't be read, or has no bet with a reply
 */
export async function readTraffic(given: string, cwd: string): Promise<RecordedTraffic> {
  const reader = new TrafficReader();
  for await (const event of journalEvents(path.resolve(cwd, given), given)) {
    if (event.event === 'sending') reader.sent(event);
    else if (event.event === 'received') reader.ended(event.id, event.stamps, event.outcome.kind === 'reply');
  }
  const traffic = reader.traffic();
  if (!traffic)
    throw new UsageError(
      `--like ${given}: the journal has no bet that was answered, so it shows no traffic. Nothing was sent.`,
    );
  return traffic;
}

class TrafficReader {
  readonly #open = new Map<string, Sending>();
  readonly #starts: number[] = [];
  readonly #rounds = new Map<string, Round>();
  /** The times of the latest copy of each transaction. Only copies that have ended are in the map. */
  readonly #copies = new Map<string, Stamps>();
  /** The times of the latest transaction of each session. Only transactions that have ended are in the map. */
  readonly #latest = new Map<string, Stamps>();
  readonly #counts = { bets: 0, wins: 0, zeroWins: 0, reads: 0, transactions: 0, broken: 0, brokenWins: 0 };
  readonly #repeats = { atOnce: 0, later: 0, overlapping: 0 };

  sent(sending: Sending): void {
    this.#open.set(sending.id, sending);
  }

  ended(id: string, stamps: Stamps, hasReply: boolean): void {
    const sending = this.#open.get(id);
    if (!sending) return;
    this.#open.delete(id);
    this.#starts.push(stamps.start);
    const counts = this.#counts;
    if (sending.call === 'balance') {
      counts.reads += 1;
      return;
    }
    const fields = sending.request.body ? bodyFields(sending.request.body) : undefined;
    const text = (name: string): string => (typeof fields?.[name] === 'string' ? fields[name] : '');
    const [txID, roundID, sessionID] = [text('txID'), text('roundID'), text('sessionID')];
    if (txID === '') return;
    const earlier = this.#copies.get(txID);
    this.#copies.set(txID, stamps);
    if (earlier) {
      if (overlapped(earlier, stamps)) this.#repeats.atOnce += 1;
      else this.#repeats.later += 1;
      return;
    }
    counts.transactions += 1;
    const before = this.#latest.get(sessionID);
    if (before && overlapped(before, stamps)) this.#repeats.overlapping += 1;
    this.#latest.set(sessionID, stamps);
    const round = this.#rounds.get(roundID) ?? { bets: new Set(), isWon: false, isFree: false };
    this.#rounds.set(roundID, round);
    round.isFree ||= text('type') === 'free';
    if (sending.call === 'bet') {
      counts.bets += 1;
      round.bets.add(txID);
      if (!hasReply) counts.broken += 1;
    } else if (sending.call === 'win') {
      counts.wins += 1;
      round.isWon = true;
      if (amountOf(sending)?.equals(Money.zero) === true) counts.zeroWins += 1;
      if (!hasReply) counts.brokenWins += 1;
    }
  }

  traffic(): RecordedTraffic | undefined {
    const { bets, wins, zeroWins, reads, transactions, broken, brokenWins } = this.#counts;
    if (bets === 0) return undefined;
    const rounds = [...this.#rounds.values()].filter((round) => round.bets.size > 0);
    const first = this.#starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
    return {
      offsets: this.#starts.map((start) => start - first).sort((one, other) => one - other),
      mix: {
        ...DEFAULT_MIX,
        severalBets: percent(rounds.filter((round) => round.bets.size > 1).length, rounds.length),
        zeroWins: percent(zeroWins, wins),
        simultaneousRounds: percent(this.#repeats.overlapping, transactions),
        // The service never places a bet above the balance on purpose. So recorded traffic contains no such bet, and the share of
        // such bets is 0.
        wholeBalance: 0,
        freeRounds: percent(rounds.filter(({ isFree }) => isFree).length, rounds.length),
        repeatsAtOnce: percent(this.#repeats.atOnce, transactions),
        repeatsLater: percent(this.#repeats.later, transactions),
        brokenBets: percent(broken, bets),
        brokenWins: percent(brokenWins, wins),
        reads: percent(reads, rounds.length),
      },
    };
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 1000) / 10);
}
