import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { PLAIN_EFFECTS } from '../attribution/candidates.ts';
import { isBelowUnit, listBalances } from '../attribution/wrong-balance.ts';
import { breach } from '../decision.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { IdleRead, UnexpectedReply } from '../idle-read.ts';
import type { Effects } from '../wallet/effects.ts';
import type { Move, Wallet } from '../wallet/wallet.ts';
import type { OldRead } from './reads-behind-replies.ts';
import { ReplyHistory } from './reply-history.ts';

/**
 * Maximum number of waits without success if no wait has succeeded yet. A wait succeeds if a stale balance is right when it is read
 * again.
 */
const MAX_WAITS_WITHOUT_SIGHTING = 2;

/** Maximum number of waits without success if at least one wait has succeeded. */
const MAX_WAITS_AFTER_SIGHTING = 20;

/**
 * This number of stale reads proves the fault. A single stale read is no proof: by chance, the wrong balance may look like an old
 * balance.
 */
const ENOUGH_SIGHTINGS = 2;

/** A pause is the longest delay that was observed, multiplied by this factor. */
const PAUSE_FACTOR = 1.2;

/**
 * If the run has seen this number of stale reads, and none of them in some wallets, then the fault may not concern these wallets. Reads
 * of these wallets that were not stale must show this.
 */
const ENOUGH_OF_OTHERS = 6;

/**
 * This number of reads that were not stale shows that the fault does not concern a wallet. A few are no proof: on a busy machine, some
 * time passes between a call and the read after it, so the call may be carried out just before this read.
 */
const ENOUGH_IN_TIME = 6;

const MIN_PAUSE_MS = 20;

/** The stale reads that a run has seen. */
interface SeenStaleReads {
  readonly kinds: Set<CallName>;
  /** The ids of the wallets with stale reads. */
  readonly wallets: Set<string>;
  /**
   * The number of reads that included the call just before them, although croupier did not wait, or that showed the wrong balance of its
   * reply. The keys are the id of the wallet, and the kind of the call.
   */
  readonly inTime: Map<string, Map<CallName, number>>;
  /** The balances in the replies to the calls of each wallet, by the id of the wallet. */
  readonly replies: Map<string, ReplyHistory>;
  sightings: number;
  healed: boolean;
  waitsWithoutSuccess: number;
  longestMs: number;
  leftMs: number;
}

/**
 * The stale reads of a run. A stale read does not include the effect of an earlier call. The reason is one of two: the operator
 * carries out one kind of call late, or it shows the effects of all calls late. All scenarios of a run share this object. So each
 * fault is reported only once, and later reads wait long enough.
 */
export class StaleReadHistory {
  readonly #seen: SeenStaleReads;
  readonly #waits: boolean;

  /**
   * @param budgetMs the total time in milliseconds that a run may wait because of stale reads; after that, stale reads are only
   * reported
   */
  constructor(budgetMs = Number.POSITIVE_INFINITY, of?: SeenStaleReads) {
    this.#seen = of ?? {
      kinds: new Set(),
      wallets: new Set(),
      inTime: new Map(),
      replies: new Map(),
      sightings: 0,
      healed: false,
      waitsWithoutSuccess: 0,
      longestMs: 0,
      leftMs: budgetMs,
    };
    this.#waits = of === undefined;
  }

  /**
   * Returns the same history for a scenario whose reads do not wait. If croupier repeats a scenario, this scenario must show a stale
   * read again.
   */
  withoutPauses(): StaleReadHistory {
    return new StaleReadHistory(this.#seen.leftMs, this.#seen);
  }

  /**
   * Records a read that did not include calls of these kinds.
   *
   * @param healed true if a second read a little later included these calls
   * @param walletID the id of the wallet that was read
   */
  record(kinds: Iterable<CallName>, healed: boolean, walletID: string): void {
    this.#seen.wallets.add(walletID);
    for (const kind of kinds) this.#seen.kinds.add(kind);
    this.#seen.sightings += 1;
    if (!healed) return;
    this.#seen.healed = true;
    this.repliesOf(walletID).noteCaughtUp();
  }

  /**
   * Records a read of a wallet that included a call of this kind just before it, although croupier did not wait, or that showed the wrong
   * balance of its reply.
   */
  recordInTime(kind: CallName, walletID: string): void {
    const counts = this.#seen.inTime.get(walletID) ?? new Map<CallName, number>();
    this.#seen.inTime.set(walletID, counts.set(kind, (counts.get(kind) ?? 0) + 1));
  }

  /** Returns the balances in the replies to the calls of a wallet. */
  repliesOf(walletID: string): ReplyHistory {
    const known = this.#seen.replies.get(walletID);
    if (known) return known;
    const replies = new ReplyHistory();
    this.#seen.replies.set(walletID, replies);
    return replies;
  }

  /** Returns true if the replies have proven that the reads of the wallet are old. */
  areReadsOld(walletID: string): boolean {
    return this.#seen.replies.get(walletID)?.areReadsOld === true;
  }

  /** Records how many milliseconds it took until a stale balance was right. */
  caughtUpAfter(ms: number): void {
    this.#seen.longestMs = Math.max(this.#seen.longestMs, ms);
  }

  /** Records the time in milliseconds that was spent on waiting. */
  waited(ms: number): void {
    this.#seen.leftMs -= ms;
  }

  /** Records that waiting did not help: a second read returned the same wrong balance. */
  waitedWithoutSuccess(): void {
    this.#seen.waitsWithoutSuccess += 1;
  }

  /**
   * The rule that the operator breaks with its stale reads: the rule about the kind of call, or `balance.read` if several kinds are
   * late.
   */
  get rule(): RuleId | undefined {
    const [only, ...others] = this.#seen.kinds;
    if (only === undefined) return undefined;
    return others.length > 0 ? 'balance.read' : PLAIN_EFFECTS[only]?.rule;
  }

  /** True if there were enough stale reads to explain earlier findings. */
  get isSure(): boolean {
    return this.#waits && this.#seen.sightings >= ENOUGH_SIGHTINGS;
  }

  /** True if an old balance was right when it was read again a little later. */
  get hasCaughtUp(): boolean {
    return this.#seen.healed;
  }

  /** True if later reads must wait, because an earlier wait has shown that a stale balance becomes right. */
  get isWaitedFor(): boolean {
    return this.#waits && this.#seen.healed && this.isWorthWaiting;
  }

  /** False when waiting has failed too often, or when the run has waited for its maximum time. */
  get isWorthWaiting(): boolean {
    const { leftMs, waitsWithoutSuccess, healed } = this.#seen;
    return leftMs > 0 && waitsWithoutSuccess < (healed ? MAX_WAITS_AFTER_SIGHTING : MAX_WAITS_WITHOUT_SIGHTING);
  }

  /**
   * True if the stale reads concern other wallets only, so that they explain nothing in these wallets: no read of these wallets was
   * stale, and reads included the calls that are late in other wallets, perhaps with a wrong sum.
   *
   * @param walletIDs ids of wallets; none: they are not known
   */
  isOnlyOfOthers(walletIDs: readonly string[]): boolean {
    const { sightings, wallets } = this.#seen;
    if (walletIDs.length === 0 || sightings < ENOUGH_OF_OTHERS) return false;
    return walletIDs.every((id) => !wallets.has(id) && this.#readsInTime(id) >= ENOUGH_IN_TIME);
  }

  /** The number of reads of a wallet that show that calls of a late kind are not late in this wallet. */
  #readsInTime(walletID: string): number {
    const counts = this.#seen.inTime.get(walletID);
    return [...this.#seen.kinds].reduce((sum, kind) => sum + (counts?.get(kind) ?? 0), 0);
  }

  /** Returns true if calls of all these kinds may be late. */
  covers(kinds: readonly CallName[]): boolean {
    return this.#seen.kinds.size > 1 || kinds.every((kind) => this.#seen.kinds.has(kind));
  }

  /** The pause in milliseconds between the last call and a read. 0 while no stale read was seen. */
  get pauseMs(): number {
    return this.isWaitedFor ? Math.max(MIN_PAUSE_MS, this.#seen.longestMs * PAUSE_FACTOR) : 0;
  }
}

/** Handles stale reads in one scenario: how long reads pause for earlier calls, and the findings about stale reads. */
export class StaleReads {
  readonly #collector: FindingCollector;
  readonly #effects: Effects;
  readonly #staleReads: StaleReadHistory;
  /** Rules under which a stale read was reported in this scenario. */
  readonly #reported = new Set<RuleId>();
  /** The ids of the wallets that this scenario has used. */
  readonly #begun = new Set<string>();

  constructor(collector: FindingCollector, effects: Effects, staleReads: StaleReadHistory) {
    this.#collector = collector;
    this.#effects = effects;
    this.#staleReads = staleReads;
  }

  /**
   * Returns the pause in milliseconds between the last call and a read. Returns 0 if one of the calls is of a kind that was never
   * late: without a pause, the read shows whether this kind is late too.
   */
  pauseMs(wallet: Wallet): number {
    // If no money has moved since the last read, the balance cannot be stale.
    const isNews = wallet.moves.length > 0 || wallet.branches.length > 0 || wallet.openSince !== null;
    if (wallet.known && !isNews) return 0;
    const kinds = [
      ...wallet.moves.map(({ step }) => this.#effects.callOf(step)),
      ...wallet.branches.map(({ txID }) => this.#effects.ofTxID(txID)?.planned.step.call),
    ];
    return this.#staleReads.covers(kinds.filter((kind) => kind !== undefined)) ? this.#staleReads.pauseMs : 0;
  }

  /**
   * Returns true if a wrong balance may be right a little later. This is possible in three cases: the replies had the right
   * balance, the last call is not booked yet, or an earlier stale balance became right.
   */
  mayCatchUp(read: IdleRead, odd: UnexpectedReply | undefined): boolean {
    const { wallet } = read;
    if (isBelowUnit(read)) return false;
    const { isWaitedFor, isWorthWaiting, isSure } = this.#staleReads;
    if (isWaitedFor) return true;
    if (odd) return !isSure && isWorthWaiting && (odd.rule === 'refund.restore' || lacksLastMove(read));
    return wallet.isTold && !wallet.readsLag && !isSure;
  }

  /**
   * Reports a stale read. Reports each rule only once in a scenario.
   *
   * @param balance the balance that the read returned
   * @param healed true if a second read a little later returned the right balance
   */
  report({ wallet, step, exchange }: IdleRead, balance: Money, healed: boolean, actual: string): void {
    const kinds = kindsLeftOut(wallet, balance, {
      callOf: (key) => this.#effects.callOf(key),
      isLate: (kind) => this.#staleReads.covers([kind]),
    });
    if (kinds.length === 0) return;
    // A warning explains no other finding. So it must not change the rule that explains them.
    if (!this.#collector.isAfterProbe) this.#staleReads.record(kinds, healed, wallet.id);
    this.#decide({ step, exchange }, listBalances(wallet.possible()), actual);
  }

  /**
   * Records a read that shows that the reads of its wallet are not old: it had the right balance at once, or it had the wrong balance of the
   * last reply. An old read does not show such a balance, also after a pause.
   */
  noteInTime({ wallet, value, lingered }: IdleRead): void {
    const last = wallet.moves.at(-1);
    const kind = last && this.#effects.callOf(last.step);
    if (kind === undefined) return;
    const isInTime = wallet.allows(value)
      ? !lingered && wallet.branches.length === 0 && this.pauseMs(wallet) === 0
      : this.repliesOf(wallet.id).behind.includesLast(value);
    if (isInTime) this.#staleReads.recordInTime(kind, wallet.id);
  }

  /** Reports a read that was old, as the replies prove. Reports each rule only once in a scenario. */
  reportOld({ value, step, exchange, call, said }: OldRead, walletID: string): void {
    this.repliesOf(walletID).noteOldRead();
    // A warning explains no other finding. So it must not change the rule that explains them.
    if (this.#collector.isAfterProbe) return;
    this.#staleReads.record([call], false, walletID);
    const actual = `the balance is ${value}, which does not include the last call; the next reply continues from ${said}`;
    this.#decide({ step, exchange }, said.toString(), actual);
  }

  #decide(at: Pick<IdleRead, 'step' | 'exchange'>, right: string, actual: string): void {
    const { rule } = this.#staleReads;
    if (rule === undefined || this.#reported.has(rule)) return;
    this.#reported.add(rule);
    // If calls of another kind prove to be late too, all reads are late. This is one fault, and not one fault of each kind of call.
    const causes: readonly RuleId[] = rule === 'balance.read' ? [] : ['balance.read'];
    const expected = `the next read includes all earlier calls: the balance is ${right}`;
    this.#collector.decide({ rule, ...at }, { ...breach(expected, actual, causes), staleRead: true });
  }

  /** Returns the balances in the replies to the calls of a wallet. The first call in a scenario begins a new part of them. */
  repliesOf(walletID: string): ReplyHistory {
    const replies = this.#staleReads.repliesOf(walletID);
    if (!this.#begun.has(walletID)) replies.begin();
    this.#begun.add(walletID);
    return replies;
  }

  /** The rule that the operator breaks with its stale reads; undefined if there was none. */
  get rule(): RuleId | undefined {
    return this.#staleReads.rule;
  }

  /** True if an old balance was right when it was read again a little later. */
  get hasCaughtUp(): boolean {
    return this.#staleReads.hasCaughtUp;
  }

  /** Records that waiting did not help: a second read returned the same wrong balance. */
  waitedWithoutSuccess(): void {
    this.#staleReads.waitedWithoutSuccess();
  }
}

/** True if the balance of a read would be right without the last call that moved money. */
function lacksLastMove({ wallet, value }: IdleRead): boolean {
  const last = wallet.moves.at(-1);
  return last !== undefined && wallet.possible().some((possible) => possible.minus(last.delta).equals(value));
}

/**
 * Returns the kinds of the calls whose effect is missing in a balance. Tries the last calls, each single call, and all calls of one
 * kind. If none of these explains the balance, returns the kind of the last call that moved money.
 *
 * @param balance the wrong balance that was read
 */
export function kindsLeftOut(
  wallet: Wallet,
  balance: Money,
  of: {
    /** Returns the kind of call of a step. */
    readonly callOf: (step: string) => CallName | undefined;
    /** Returns true if calls of the kind were late before. */
    readonly isLate: (kind: CallName) => boolean;
  },
): CallName[] {
  const { moves } = wallet;
  const kindsOf = (some: readonly Move[]): CallName[] => [
    ...new Set(some.map(({ step }) => of.callOf(step)).filter((kind) => kind !== undefined)),
  ];
  const fitting = movesLeftOut(wallet, balance, of.callOf).map(kindsOf);
  // Prefers kinds that are known to be late, and then a small number of kinds.
  const news = (kinds: readonly CallName[]): number => kinds.filter((kind) => !of.isLate(kind)).length;
  const [cheapest] = fitting.sort((a, b) => news(a) - news(b) || a.length - b.length);
  return cheapest ?? kindsOf(moves.slice(-1));
}

/**
 * Returns the groups of moves each of which explains a balance if it is left out: the last moves, each single move, and all moves of one
 * kind of call.
 */
export function movesLeftOut(
  wallet: Wallet,
  balance: Money,
  callOf: (step: string) => CallName | undefined,
): (readonly Move[])[] {
  const { moves } = wallet;
  const missing = wallet.possible().map((possible) => possible.minus(balance));
  const kinds = new Set(moves.map(({ step }) => callOf(step)));
  return [
    ...moves.map((_, index) => moves.slice(moves.length - 1 - index)),
    ...moves.map((move) => [move]),
    ...[...kinds].map((kind) => moves.filter(({ step }) => callOf(step) === kind)),
  ].filter((some) => {
    const sum = some.reduce((total, { delta }) => total.plus(delta), Money.zero);
    return some.length > 0 && missing.some((one) => one.equals(sum));
  });
}
