import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../../contract/money.ts';
import type { JournalEvent, MovedAlone } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { isShownByBalance } from '../../journal/moved-alone.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { MOVED_ALONE } from '../../journal/scenario-result.ts';
import type { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { sessionOfSending } from '../after/past-call.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { RunOptions, SessionAssignment, SessionUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { denominationOf } from '../stakes.ts';
import type { CallsOfOthers, Period } from './calls-of-others.ts';

/**
 * Minimum number of reads in one watch. The pauses between them are a part of the time in which a call may take effect late
 * (`lingerMs`).
 */
const READS = 16;
/** Maximum number of further reads in a watch whose last read has another balance than the one before. */
const MAX_FURTHER_READS = 2;
/** Minimum time of a watch after a failure that did not occur again, as a multiple of `lingerMs`. */
const LONG_WATCH_LINGERS = 2;
/**
 * Maximum number of watches of one wallet that find nothing. Without this limit, a wallet with many failures would make the run
 * very slow.
 */
const MAX_WATCHES = 5;

/** A balance that a watch has read, and the time of the read. */
interface Reading extends Period {
  readonly value: Money;
}

/** A wallet in which something failed. */
interface Suspect {
  readonly session: SessionUnderTest;
  watches: number;
  /** The last call that could move money before the last watch, if nobody moved the balance during this watch. */
  quietSince?: number;
}

/**
 * Watches the balances of players after a failure, while croupier sends nothing else for these players. If a balance changes in
 * this time, somebody else changes it. Then croupier must not blame the wallet for the failure.
 */
export class SilentWatch {
  readonly #options: RunOptions;
  readonly #balancesOfOthers: BalancesOfOthers;
  readonly #callsOfOthers: CallsOfOthers;
  readonly #suspects = new Map<string, Suspect>();
  /** The time of the last call that could move money, by session. */
  readonly #lastCall = new Map<string, number>();
  readonly #inFlight = new CallsInFlight<string>();
  #found: MovedAlone | undefined;
  /** The first changes of each wallet that are the amounts of calls of other players. */
  readonly #ofOthers = new Map<string, MovedAlone>();

  constructor(options: RunOptions, balancesOfOthers: BalancesOfOthers, callsOfOthers: CallsOfOthers) {
    this.#options = options;
    this.#balancesOfOthers = balancesOfOthers;
    this.#callsOfOthers = callsOfOthers;
  }

  /** Notes the calls of the run. */
  note(event: JournalEvent): void {
    if (event.event === 'sending' && event.call !== 'balance') {
      const sessionID = sessionOfSending(event);
      if (sessionID !== undefined) this.#inFlight.set(event.id, sessionID);
    } else if (event.event === 'received') {
      const sessionID = this.#inFlight.take(event.id);
      if (sessionID !== undefined) this.#lastCall.set(sessionID, this.#options.now());
    }
  }

  get #isMoved(): boolean {
    return this.#found !== undefined;
  }

  /**
   * Watches the wallets of a scenario that failed. During the watch, no other scenario may use the players of these wallets.
   *
   * @param reason the reason why the scenario could not be played to its end; null if there is none
   */
  async after(
    assignment: SessionAssignment,
    findings: readonly Finding[],
    reason: string | null,
    adjuster: BalanceAdjuster,
  ): Promise<void> {
    const isSuspect =
      reason === MOVED_ALONE || findings.some((finding) => finding.verdict === 'fail' && isShownByBalance(finding));
    if (!isSuspect || this.#options.watchesBalances !== true) return;
    for (const suspect of this.#suspectsOf(assignment)) {
      const isWatched = suspect.quietSince === this.#lastCallOf(suspect.session);
      if (suspect.watches < MAX_WATCHES && !isWatched) await this.#watch(suspect, adjuster);
    }
  }

  /**
   * Watches the wallets of a scenario whose failure did not occur again. During the watch, no other scenario may use their players.
   *
   * @returns true if croupier could read the balances all the time, and nobody moved them
   */
  async staysQuiet(assignment: SessionAssignment, adjuster: BalanceAdjuster): Promise<boolean> {
    for (const suspect of this.#suspectsOf(assignment))
      if (!(await this.#watch(suspect, adjuster, LONG_WATCH_LINGERS))) return false;
    return true;
  }

  #suspectsOf(assignment: SessionAssignment): readonly Suspect[] {
    const sessions = new Map([...assignment.values()].map((one) => [walletIdOf(one), one]));
    return [...sessions].map(([wallet, session]) => {
      const suspect = this.#suspects.get(wallet) ?? { session, watches: 0 };
      this.#suspects.set(wallet, suspect);
      return suspect;
    });
  }

  /**
   * Watches, at the end of the run, all wallets in which something failed. Meanwhile no scenario may run.
   *
   * A balance may have changed by the amounts of the calls of other players. If the calls of these players fail again and again, the
   * operator moves their money in the wrong account. Else it is chance, and somebody else moves the balance.
   *
   * @param failsForOthers true if a failure counts in a scenario that did not use the wallet with this id
   */
  async atEnd(adjuster: BalanceAdjuster, failsForOthers: (walletID: string) => boolean): Promise<void> {
    for (const suspect of this.#suspects.values()) await this.#watch(suspect, adjuster);
    for (const [walletID, moved] of this.#ofOthers)
      if (!this.#isMoved && !failsForOthers(walletID)) this.#record(moved);
  }

  /** Returns true if croupier could read the balance all the time, and nobody moved it. */
  async #watch(suspect: Suspect, adjuster: BalanceAdjuster, lingers = 1): Promise<boolean> {
    const { signal, lingerMs, now } = this.#options;
    if (this.#isMoved) return false;
    suspect.watches += 1;
    const { session } = suspect;
    // A call that croupier itself has sent may take effect late. So the watch begins only when this is no longer possible.
    const restMs = this.#lastCallOf(session) + lingerMs - now();
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    const account = {
      sessionID: session.sessionID,
      denomination: denominationOf(session.currency, this.#options, undefined),
      scenario: null,
    };
    const readings: Reading[] = [];
    let aside: Money | undefined;
    let faults = 0;
    const lastCall = this.#lastCallOf(session);
    const endMs = now() + (lingers - 1) * lingerMs;
    // A change in the last read may be a fault of this read. A further read decides it.
    const isOver = (): boolean =>
      readings.length >= READS &&
      now() >= endMs &&
      (readings.length > READS + MAX_FURTHER_READS ||
        readings.at(-1)?.value.equals(readings.at(-2)?.value ?? Money.zero) === true);
    while (!isOver() && !this.#isMoved && !signal.aborted) {
      if (readings.length > 0) await sleep(lingerMs / READS, undefined, { signal }).catch(() => undefined);
      const fromMs = now();
      const value = await adjuster.read(account, 'probe');
      if (!value) return false;
      // If the next read shows the same balance, it is no fault of a single read, and somebody may have moved the balance.
      if (this.#mayBeFaultOfRead(session, value)) {
        if (!aside?.equals(value)) {
          aside = value;
          faults += 1;
          if (faults > READS) return false;
          continue;
        }
      } else aside = undefined;
      readings.push({ value, fromMs, toMs: now() });
      // After one change, it is still possible that croupier's own reads change the balance, each by the same amount. So one change
      // does not prove that somebody else moves it.
      if (changesOf(readings).length > 1 && !this.#judge(session, readings)) return false;
    }
    const isQuiet = isOver() && changesOf(this.#withoutFaults(session, readings)).length === 0;
    if (isOver() && !this.#isMoved && !isQuiet) this.#judge(session, readings);
    if (isQuiet && !this.#isMoved) suspect.quietSince = lastCall;
    return isQuiet && !this.#isMoved;
  }

  /** True for a balance that a read may show by mistake: the balance of another player, or 0. */
  #mayBeFaultOfRead(session: SessionUnderTest, value: Money): boolean {
    return value.isZero() || this.#balancesOfOthers.isOfRead(walletIdOf(session), value);
  }

  /**
   * Leaves out each single balance that a read may show by mistake. That it is another player's balance may be known only a moment later,
   * because the call that moved it was still in progress.
   */
  #withoutFaults(session: SessionUnderTest, readings: readonly Reading[]): readonly Reading[] {
    return readings.filter(({ value }, index) => {
      const [before, after] = [readings[index - 1], readings[index + 1]];
      const isSingle = before && after && before.value.equals(after.value) && !before.value.equals(value);
      return !isSingle || !this.#mayBeFaultOfRead(session, value);
    });
  }

  /** Reports the changes of a balance if somebody else causes them. Returns true if the reads themselves may cause them. */
  #judge(session: SessionUnderTest, all: readonly Reading[]): boolean {
    const readings = this.#withoutFaults(session, all);
    if (changesOf(readings).length === 0) return true;
    const values = readings.map(({ value }) => value);
    if (isMovedByReads(values)) return true;
    const walletID = walletIdOf(session);
    const different = values.filter((value, index) => index === 0 || !values[index - 1]?.equals(value));
    const moved = {
      event: 'moved-alone',
      sessionID: session.sessionID,
      player: session.player ?? null,
      values: different.map(String),
    } as const;
    const isOfOthers = changesOf(readings).every(({ period, ...change }) =>
      this.#callsOfOthers.explain(walletID, change, period),
    );
    if (!isOfOthers) this.#record(moved);
    else if (!this.#ofOthers.has(walletID)) this.#ofOthers.set(walletID, moved);
    return false;
  }

  /** Returns the time of the last call that could move money in the wallet of a session. */
  #lastCallOf(session: SessionUnderTest): number {
    const shared = this.#options.client.sessions.filter((one) => walletIdOf(one) === walletIdOf(session));
    return Math.max(...shared.map(({ sessionID }) => this.#lastCall.get(sessionID) ?? Number.NEGATIVE_INFINITY));
  }

  #record(moved: MovedAlone): void {
    this.#found = moved;
    this.#options.record(moved);
  }
}

/** Returns the changes between the readings, each with the time in which it happened. */
function changesOf(
  readings: readonly Reading[],
): readonly { readonly from: Money; readonly to: Money; readonly period: Period }[] {
  return readings.flatMap(({ value, toMs }, index) => {
    const before = readings[index - 1];
    if (!before || before.value.equals(value)) return [];
    return [{ from: before.value, to: value, period: { fromMs: before.fromMs, toMs } }];
  });
}

/**
 * True if the reads themselves may be the reason for the changes. There are two such cases:
 * - each balance differs from the balance before by the same amount, because each read may change the balance
 * - there are only two values, which alternate, because the operator may show an old balance in some of its replies
 */
function isMovedByReads(values: readonly Money[]): boolean {
  const steps = values.slice(1).map((value, index) => value.minus(values[index] ?? value));
  const [first] = steps;
  if (first && !first.isZero() && steps.length > 1 && steps.every((step) => step.equals(first))) return true;
  const changes = steps.filter((step) => !step.isZero()).length;
  return changes > 2 && new Set(values.map(String)).size === 2;
}
