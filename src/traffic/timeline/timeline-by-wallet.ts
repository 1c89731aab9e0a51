import type { KnownSession } from '../call-selection.ts';
import type { KeysOf } from '../calls/signature.ts';
import { type GatheredCalls, MAX_CALLS, type ReopenableSource } from '../read/gather.ts';
import { WalletGroups } from '../read/gather-by-wallet.ts';
import { unreadClauses } from '../read/unread.ts';
import type { CallPaths, RecordedCall } from '../recorded-call.ts';
import { OrdinaryWallets } from './ordinary-wallet.ts';
import { RepeatedIds } from './repeated-ids.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { buildTimeline, type IncidentTimeline } from './timeline.ts';
import type { WalletVerdict } from './verdict.ts';
import { isOneWallet, joinedVerdict, PartsOfWallet } from './wallet-in-parts.ts';
import { stateOfWallet, worstFirst } from './wallet-state.ts';

/** Maximum number of calls that the timeline lists. The other calls appear only in the verdicts of their wallets. */
const MAX_LISTED = 10_000;

/**
 * Builds the timeline of logs that have more calls than fit in memory. Judges one group of wallets after another. The timeline
 * lists only the calls of wallets with a problem.
 *
 * @param folder an empty folder for temporary files
 * @param maxCalls the maximum number of calls in a group of wallets, and in one part of a wallet that is judged in parts
 * @param largest the maximum number of calls of one wallet that are judged at once
 * @param fewest the number of calls that fit in memory
 * @param mayGuess if true, the logs are not read to their end if they probably do not have more calls than `fewest`
 * @returns null if the logs do not have more calls than `fewest`
 */
export async function timelineByWallet(
  sources: readonly ReopenableSource[],
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf | undefined,
  {
    paths,
    folder,
    maxCalls = MAX_CALLS_OF_GROUP,
    largest = MAX_CALLS,
    fewest = MAX_CALLS,
    mayGuess = false,
  }: {
    paths: CallPaths;
    folder: string;
    maxCalls?: number;
    largest?: number;
    fewest?: number;
    mayGuess?: boolean;
  },
): Promise<{ readonly gathered: GatheredCalls; readonly timeline: IncidentTimeline } | null> {
  const survey = new OrdinaryWallets(known, { paths, folder, keysOf });
  const groups = new WalletGroups(sources, known, survey, { paths, folder, maxCalls, largest });
  const counts = await groups.read(fewest, mayGuess);
  if (counts === null) return null;
  const { nobodys } = groups;
  const unread = [
    ...unreadClauses(counts),
    ...(nobodys === 0 ? [] : [`the logs do not show whose ${nobodys === 1 ? '1 call is' : `${nobodys} calls are`}`]),
  ];
  const all = new Timelines();
  const judge = (calls: readonly RecordedCall[], clauses: readonly string[] = unread): IncidentTimeline => {
    const { judgements, otherCalls, lostOtherCalls } = counts;
    const { isKeyProven, signedBodies } = survey;
    const earlier = all.numbered;
    all.numbered += calls.length;
    return buildTimeline(calls, {}, known, keysOf, {
      unread: clauses,
      judgements,
      otherCalls,
      lostOtherCalls,
      earlier,
      isKeyProven,
      signedBodies,
    });
  };
  let large = 0;
  for await (const group of groups.groups()) {
    if (group.kind === 'large') {
      const ids = new RepeatedIds(folder, `large-${large}`);
      all.addParts(await inParts(group.calls, judge, { size: maxCalls, ids }));
      large += 1;
    } else all.add(judge(group.calls, group.kind === 'nobody' ? unreadClauses(counts) : unread));
  }
  for (const { name, player, sessions, calls, surveyed } of groups.ordinary())
    all.addOrdinary(surveyed.verdict({ wallet: name, player, sessions }, all.numbered + calls, unread), calls);
  return { gathered: { ...counts, calls: [] }, timeline: all.merged() };
}

/**
 * Several wallets are judged together as one group. This is the maximum number of calls in a group, and in one part of a wallet
 * that is judged in parts.
 */
const MAX_CALLS_OF_GROUP = 10_000;

/**
 * The timelines of the parts of one wallet, the reasons why these parts together do not show its state, and the number of its
 * calls.
 */
interface PartsOfOne {
  readonly timelines: readonly IncidentTimeline[];
  readonly doubts: readonly string[];
  readonly calls: number;
}

/**
 * Judges one wallet in parts, because it has more calls than fit in memory. Returns the timelines of the parts. These timelines do
 * not list the calls.
 */
async function inParts(
  calls: AsyncIterable<RecordedCall>,
  judge: (calls: readonly RecordedCall[]) => IncidentTimeline,
  { size, ids }: { readonly size: number; readonly ids: RepeatedIds },
): Promise<PartsOfOne> {
  const parts = new PartsOfWallet(size, ids);
  const timelines: IncidentTimeline[] = [];
  const add = (part: readonly RecordedCall[]): void => {
    const timeline = judge(part);
    timelines.push({ ...timeline, calls: [], oddities: [], wallets: timeline.wallets.map(withoutCalls) });
  };
  for await (const call of calls) {
    const part = parts.add(call);
    if (part) add(part);
  }
  add(parts.last());
  return { timelines, doubts: parts.doubts(), calls: parts.calls };
}

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
  /** The number of calls so far. The next calls get higher numbers, so that each number is used only once. */
  numbered = 0;

  add(timeline: IncidentTimeline): void {
    this.#addNotes(timeline);
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

  /** Adds the parts of one wallet. Its calls are not listed. */
  addParts({ timelines: parts, doubts, calls }: PartsOfOne): void {
    for (const part of parts) this.#addNotes(part);
    const verdicts = parts.flatMap(({ wallets }) => wallets);
    const isOne = isOneWallet(parts);
    const verdict = joinedVerdict(verdicts, calls, isOne ? doubts : [...doubts, SEVERAL_WALLETS]);
    if (!verdict) return;
    this.#wallets.push(verdict);
    const isBroken = parts.some(({ breaches }) => breaches.some((one) => one.verdict === 'fail'));
    this.#statuses.add(isBroken || verdict.debts.length > 0 ? 1 : verdict.unknowns.length > 0 ? 3 : 0);
  }

  #addNotes({ breakers, notes, clocks }: IncidentTimeline): void {
    for (const name of breakers) this.#breakers.add(name);
    for (const note of notes) this.#notes.add(note);
    this.#clocks ??= clocks;
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

const SEVERAL_WALLETS =
  'the player has several wallets and too many calls, so croupier could not compare the wallets with each other';

/** Maximum number of rounds that are kept for a wallet, if its calls are not listed. */
const MAX_ROUNDS = 100;

/** Returns a verdict that has only the last call, and only the rounds that did not end. This saves memory. */
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
