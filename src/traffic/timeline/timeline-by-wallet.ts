import type { KnownSession } from '../call-selection.ts';
import type { KeysOf } from '../calls/signature.ts';
import { type GatheredCalls, MAX_CALLS, type ReopenableSource } from '../read/gather.ts';
import { WalletGroups } from '../read/gather-by-wallet.ts';
import { unreadClauses } from '../read/unread.ts';
import type { CallPaths } from '../recorded-call.ts';
import { OrdinaryWallets } from './ordinary-wallet.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { buildTimeline, type IncidentTimeline } from './timeline.ts';
import type { WalletVerdict } from './verdict.ts';
import { stateOfWallet, worstFirst } from './wallet-state.ts';

/** Maximum number of calls that the timeline lists. The other calls appear only in the verdicts of their wallets. */
const MAX_LISTED = 10_000;

/**
 * Builds the timeline of logs that have more calls than fit in memory, one group of wallets after another. It lists the calls of the
 * wallets with a problem.
 *
 * @param folder an empty folder for temporary files
 * @param maxCalls the maximum number of calls in memory, if a wallet has no more
 * @param fewest the number of calls that fit in memory
 * @returns null if there are not more calls than that
 */
export async function timelineByWallet(
  sources: readonly ReopenableSource[],
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf | undefined,
  {
    paths,
    folder,
    maxCalls = MAX_CALLS_OF_GROUP,
    fewest = MAX_CALLS,
  }: { paths: CallPaths; folder: string; maxCalls?: number; fewest?: number },
): Promise<{ readonly gathered: GatheredCalls; readonly timeline: IncidentTimeline } | null> {
  const survey = new OrdinaryWallets(known, { paths, folder, keysOf });
  const groups = new WalletGroups(sources, known, survey, { paths, folder, maxCalls });
  const counts = await groups.read(fewest);
  if (counts === null) return null;
  const { nobodys } = groups;
  const unread = [
    ...unreadClauses(counts),
    ...(nobodys === 0 ? [] : [`the logs do not show whose ${nobodys === 1 ? '1 call is' : `${nobodys} calls are`}`]),
  ];
  const all = new Timelines();
  for await (const { calls, isOfNobody } of groups.groups()) {
    all.add(
      buildTimeline(calls, {}, known, keysOf, {
        unread: isOfNobody ? unreadClauses(counts) : unread,
        judgements: counts.judgements,
        earlier: all.numbered,
        isKeyProven: survey.isKeyProven,
      }),
      calls.length,
    );
  }
  for (const { name, player, sessions, calls, surveyed } of groups.ordinary())
    all.addOrdinary(surveyed.verdict({ wallet: name, player, sessions }, all.numbered + calls, unread), calls);
  return { gathered: { ...counts, calls: [] }, timeline: all.merged() };
}

/** Maximum number of calls that are judged at once. */
const MAX_CALLS_OF_GROUP = 10_000;

/** Joins the timelines of groups of wallets. Keeps the calls of a wallet only if it has a problem. */
class Timelines {
  #calls: IncidentTimeline['calls'][number][] = [];
  #breaches: IncidentTimeline['breaches'][number][] = [];
  #oddities: IncidentTimeline['oddities'][number][] = [];
  #wallets: WalletVerdict[] = [];
  readonly #breakers = new Set<string | null>();
  readonly #notes = new Set<string>();
  #clocks: IncidentTimeline['clocks'] = null;
  readonly #statuses = new Set<IncidentTimeline['status']>();
  /** The number of calls so far. Numbers of calls are never used twice. */
  numbered = 0;

  add(timeline: IncidentTimeline, count: number): void {
    this.numbered += count;
    for (const name of timeline.breakers) this.#breakers.add(name);
    for (const note of timeline.notes) this.#notes.add(note);
    this.#clocks ??= timeline.clocks;
    this.#statuses.add(timeline.status);
    const listed = new Set<number>();
    for (const verdict of timeline.wallets) {
      const isRight = stateOfWallet(verdict, timeline.breakers) === 'right';
      const isListed = !isRight && verdict.calls.length <= MAX_LISTED - this.#calls.length - listed.size;
      if (isListed) for (const { number } of verdict.calls) listed.add(number);
      this.#wallets.push(isListed ? verdict : withoutCalls(verdict));
    }
    this.#calls = this.#calls.concat(timeline.calls.filter(({ number }) => listed.has(number)));
    this.#breaches = this.#breaches.concat(timeline.breaches.filter(({ call }) => listed.has(call)));
    this.#oddities = this.#oddities.concat(
      timeline.oddities.filter(({ calls }) => calls.some((one) => listed.has(one))),
    );
  }

  /** Adds a wallet in which nothing is unusual. Its calls are not listed. */
  addOrdinary(verdict: WalletVerdict, count: number): void {
    this.numbered += count;
    this.#wallets.push(verdict);
    this.#statuses.add(stateOfWallet(verdict, new Set()) === 'right' ? 0 : 3);
  }

  merged(): IncidentTimeline {
    return {
      calls: this.#calls,
      breaches: this.#breaches,
      oddities: this.#oddities,
      wallets: worstFirst(this.#wallets, this.#breakers),
      breakers: this.#breakers,
      clocks: this.#clocks,
      notes: [...this.#notes, 'The logs have many calls, so only calls of wallets with a problem are listed.'],
      status: this.#statuses.has(1) ? 1 : this.#statuses.has(3) ? 3 : 0,
    };
  }
}

/** Maximum number of rounds that are kept of a wallet whose calls are not listed. */
const MAX_ROUNDS = 100;

/** Returns a verdict with only its last call, and with the rounds that did not end, to save memory. */
function withoutCalls(verdict: WalletVerdict): WalletVerdict {
  const { books, rounds } = verdict;
  return {
    ...verdict,
    calls: verdict.calls.slice(-1),
    books: { ...books, transactions: [], worlds: [], deviations: [] },
    rounds: rounds.filter(({ state }) => UNENDED.has(state)).slice(0, MAX_ROUNDS),
  };
}

const UNENDED: ReadonlySet<RoundVerdict['state']> = new Set(['open', 'owing', 'unknown']);
