import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import type { JournalEvent, MovedAlone, Received, Sending } from '../../journal/event.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import type { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { readReply } from '../../reply/read.ts';
import { sessionOfSending } from '../after/past-call.ts';
import type { RunOptions } from '../run-options.ts';
import { playerOf, walletIdOf } from '../session-pool.ts';

/** Maximum number of recent replies of a player whose balances are kept. */
const MAX_REPLIES = 3;
/** Maximum number of changes that are kept. */
const MAX_CHANGES = 8;
/** Number of decimals of a currency for which the contract states no number. */
const MAX_DECIMALS = 8;

/** A balance that was read while no other call of the player was in progress. */
interface QuietRead {
  readonly balance: Money;
  /** Number of calls of the player before the read that may have moved money. */
  readonly moves: number;
}

/** A change of a balance between two reads without a call between them. */
interface Change {
  readonly moved: MovedAlone;
  readonly walletID: string | undefined;
  readonly values: readonly Money[];
}

/** The calls of one player that may move money. */
interface PlayerCalls {
  moves: number;
  inFlight: number;
  /** Until this time, a call without a reply may still take effect. */
  openUntil: number;
  /** The balances in the last replies to bets, wins and refunds. */
  replied: readonly { readonly balance: Money; readonly atMs: number }[];
}

/**
 * Finds a balance that changed between two reads, although croupier sent no bet, win or refund for this player between them. Such a
 * change is a sign that somebody else moves the balance. It is no proof, because a faulty wallet may carry out a call late.
 */
export class SilentChanges {
  readonly #options: Pick<RunOptions, 'client' | 'deadlineMs' | 'lingerMs' | 'now'>;
  readonly #players = new Map<string, PlayerCalls>();
  readonly #playerOfSession: ReadonlyMap<string, string>;
  /** The last quiet read of each session. */
  readonly #last = new Map<string, QuietRead>();
  readonly #inFlight = new CallsInFlight<{
    readonly sending: Sending;
    readonly moves: number;
    readonly quiet: boolean;
  }>();
  readonly #balancesOfOthers: BalancesOfOthers;
  /** The last balance of each session, if it was 0 or the balance of another player. */
  readonly #aside = new Map<string, Money>();
  /** The changes that were found. */
  #changes: readonly Change[] = [];

  constructor(
    options: Pick<RunOptions, 'client' | 'deadlineMs' | 'lingerMs' | 'now'>,
    balancesOfOthers: BalancesOfOthers,
  ) {
    this.#options = options;
    this.#balancesOfOthers = balancesOfOthers;
    this.#playerOfSession = new Map(options.client.sessions.map((one) => [one.sessionID, playerOf(one)]));
  }

  /** The first change that was found. */
  get first(): MovedAlone | undefined {
    return this.#changes.find((one) => !this.#isOfRead(one))?.moved;
  }

  /** Notes the calls of the run. */
  note(event: JournalEvent): void {
    if (event.event === 'sending') this.#sending(event);
    else if (event.event === 'received') this.#received(event);
  }

  #sending(sending: Sending): void {
    const affected = this.#affectedBy(sending);
    const [calls] = affected;
    const quiet = affected.length === 1 && calls?.inFlight === 0 && calls.openUntil < this.#options.now();
    this.#inFlight.set(sending.id, { sending, moves: calls?.moves ?? 0, quiet });
    if (sending.call === 'balance') return;
    for (const one of affected) {
      if (!isLostRound(sending)) one.moves += 1;
      one.inFlight += 1;
    }
  }

  #received({ id, outcome }: Received): void {
    const sent = this.#inFlight.take(id);
    if (!sent) return;
    const { sending, moves, quiet } = sent;
    const affected = this.#affectedBy(sending);
    if (sending.call !== 'balance') {
      const { deadlineMs, lingerMs, now } = this.#options;
      const isOpen = outcome.kind !== 'reply' || outcome.reply.status >= 500;
      const balance = balanceIn(outcome);
      const last = this.#last.get(sessionOfSending(sending) ?? '');
      const hasMoved = !balance || !last?.balance.equals(balance);
      for (const one of affected) {
        one.inFlight -= 1;
        if (isLostRound(sending) && hasMoved) one.moves += 1;
        if (balance) {
          const atMs = now();
          const recent = one.replied.filter((reply) => atMs - reply.atMs < lingerMs);
          one.replied = [...recent.slice(1 - MAX_REPLIES), { balance, atMs }];
        }
        if (isOpen) one.openUntil = Math.max(one.openUntil, now() + deadlineMs + lingerMs);
      }
      return;
    }
    const sessionID = sessionOfSending(sending);
    const balance = balanceIn(outcome);
    if (!quiet || !balance || sessionID === undefined || affected[0]?.moves !== moves) return;
    // The balance of another player may be known only a moment after a read has shown it.
    if (this.#changes.length > 0) this.#changes = this.#changes.filter((one) => !this.#isOfRead(one));
    if (this.#changes.length >= MAX_CHANGES) return;
    const session = this.#options.client.sessions.find((one) => one.sessionID === sessionID);
    const before = this.#last.get(sessionID);
    const aside = this.#aside.get(sessionID);
    this.#aside.delete(sessionID);
    // A single balance of 0 or of another player is a fault of the read. If the next read shows it too, somebody may have moved the
    // balance.
    const isOther = session && this.#balancesOfOthers.ownerOf(walletIdOf(session), balance) !== undefined;
    if ((isOther || balance.isZero()) && !aside?.equals(balance)) {
      this.#aside.set(sessionID, balance);
      return;
    }
    this.#last.set(sessionID, { balance, moves });
    if (!before || before.moves !== moves || before.balance.equals(balance)) return;
    // The second read has the balance of a recent reply. So one of the reads may be out of date, and perhaps nobody moved the balance.
    if (affected[0].replied.some((reply) => reply.balance.equals(balance))) return;
    // A faulty wallet may lose the smallest unit with a win of 0.
    const unit = Money.unit(currencyByCode(session?.currency ?? '')?.decimals ?? MAX_DECIMALS);
    if (balance.minus(before.balance).absolute().compare(unit) <= 0) return;
    const player = session?.player ?? null;
    const values = [before.balance, balance];
    const moved = {
      event: 'moved-alone',
      sessionID,
      player,
      values: values.map(String),
      onlyUnrepeated: true,
    } as const;
    this.#changes = [...this.#changes, { moved, walletID: session && walletIdOf(session), values }];
  }

  /** True if one of the two reads showed the balance of another player. */
  #isOfRead({ walletID, values }: Change): boolean {
    if (walletID === undefined) return false;
    return values.some((value) => this.#balancesOfOthers.ownerOf(walletID, value) !== undefined);
  }

  /** Returns the calls of the player of a session. If the session is not configured, any player may be affected. */
  #affectedBy(sending: Sending): readonly PlayerCalls[] {
    const player = this.#playerOfSession.get(sessionOfSending(sending) ?? '');
    const players = player === undefined ? [...new Set(this.#playerOfSession.values())] : [player];
    return players.map((name) => {
      const calls = this.#players.get(name) ?? {
        moves: 0,
        inFlight: 0,
        openUntil: Number.NEGATIVE_INFINITY,
        replied: [],
      };
      this.#players.set(name, calls);
      return calls;
    });
  }
}

/** True for a win of 0, which completes a lost round. If its reply has the balance of the last read, it has moved no money. */
function isLostRound({ call, amount }: Sending): boolean {
  return call === 'win' && amount === '0';
}

function balanceIn(outcome: Received['outcome']): Money | undefined {
  return outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
}
