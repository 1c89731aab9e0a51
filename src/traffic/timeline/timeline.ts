import type { Cause, Deviation } from '../books/deviation.ts';
import type { CallSelection, KnownSession } from '../call-selection.ts';
import { type LoggedCall, loggedCall } from '../calls/logged-call.ts';
import { withOneSpelling } from '../calls/one-spelling.ts';
import { withoutSharedIDs } from '../calls/shared-ids.ts';
import { type KeysOf, NO_KEYS } from '../calls/signature.ts';
import { SignedBodies } from '../calls/signed-bodies.ts';
import { betsOf } from '../calls/transaction.ts';
import type { LogPlace } from '../logged-exchange.ts';
import type { JudgedCall, LostOtherCalls } from '../read/gather.ts';
import type { OtherCall, RecordedCall } from '../recorded-call.ts';
import { withBeginnings } from './beginnings.ts';
import { type Breach, breachesOf } from './breach.ts';
import { type CallOrder, type Clocks, inLineOrder, isShuffled, oldestFirst, pairSides } from './clocks/clock-skew.ts';
import { withRepeatedHour } from './clocks/repeated-hour.ts';
import type { Debt } from './debt.ts';
import { withoutDoubles } from './doubles.ts';
import { withExcuses } from './excuses.ts';
import { ownerlessCauseOf } from './missing-bodies.ts';
import { fixedOf, odditiesOf } from './oddity.ts';
import type { Oddity } from './oddity-type.ts';
import { OtherCalls } from './other-providers.ts';
import { type CallOwner, NOBODY, ownersOf } from './owner.ts';
import { agreeingWithRuns } from './run-findings.ts';
import { isJudgedInRun, provenFaults, sharedTransactions } from './service-fault.ts';
import { isDecided, judgeWallet, type WalletVerdict, withServiceFaults } from './verdict.ts';
import { worstFirst } from './wallet-state.ts';

/** The calls of an incident, with the breaches and the verdict on each wallet. */
export interface IncidentTimeline {
  /** The selected calls, in order of time. */
  readonly calls: readonly LoggedCall[];
  readonly clocks: Clocks | null;
  readonly breaches: readonly Breach[];
  readonly oddities: readonly Oddity[];
  /**
   * The verdict on each wallet of the selected calls, the worst first. A verdict is computed from all calls of the wallet, and not
   * only from the selected calls, because each balance depends on all calls.
   */
  readonly wallets: readonly WalletVerdict[];
  /** The names of the wallets with a reply that breaks a rule. */
  readonly breakers: ReadonlySet<string | null>;
  /** Sentences about times that are not certain. */
  readonly notes: readonly string[];
  /** The exit status. 0: nothing is wrong. 1: a rule was broken, something is owed, or the service is at fault. 3: unknown. */
  readonly status: 0 | 1 | 3;
}

/** Facts about the logs that are not calls. */
export interface Reading {
  /** The parts of the logs that were not read and may contain calls, each as a clause. */
  readonly unread: readonly string[];
  /** Some `txID`s of calls of other wallets. These calls are not in the timeline. */
  readonly usedElsewhere?: ReadonlySet<string>;
  /** The rules that croupier found broken when it made or forwarded the calls. */
  readonly judgements: readonly JudgedCall[];
  /** The calls of other providers that may have moved money. */
  readonly otherCalls?: readonly OtherCall[];
  /** The calls of other providers that were left out, because there were too many. */
  readonly lostOtherCalls?: readonly LostOtherCalls[];
  /** The number of calls of other wallets that already have a number. The calls of this timeline get the next numbers. */
  readonly earlier?: number;
  /** True if a call of another wallet is signed with one of the given keys. This shows that the keys are right. */
  readonly isKeyProven?: boolean;
  /** The logs in which the bodies of other wallets show what was signed. */
  readonly signedBodies?: SignedBodies;
}

/**
 * Builds the timeline of an incident.
 *
 * @param calls all known calls of the wallets, not only the selected ones
 * @param keysOf returns the known keys; if no key is known, no signature is judged
 * @param reading what else is known from reading the logs
 */
export function buildTimeline(
  calls: readonly RecordedCall[],
  selection: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf = () => NO_KEYS,
  reading: Reading = { unread: [], judgements: [] },
): IncidentTimeline {
  const { calls: spelled, doubtful } = withOneSpelling(calls);
  const {
    calls: dated,
    doubts: ofHour,
    notes,
  } = withRepeatedHour(withoutSharedIDs(withoutDoubles(inLineOrder(spelled))));
  const once = oldestFirst(dated);
  const unread = [...reading.unread, ...ofHour];
  const build = (order: CallOrder, doubts: readonly string[]): IncidentTimeline =>
    timelineIn(order, withBeginnings(once), selection, known, keysOf, {
      ...reading,
      unread: doubts,
      notes,
      doubtful,
    });
  const byTime = build('time', unread);
  if (!isShuffled(once)) return byTime;
  // The times are not always reliable: several servers may have different clocks, and an export can be in a wrong order. The
  // balances show which order is right.
  const byFile = build('file', unread);
  const [timeFits, fileFits] = [fits(byTime), fits(byFile)];
  if (timeFits && !fileFits && !hidesFirstBalance(byTime, byFile)) return byTime;
  if (fileFits && !timeFits && !hidesFirstBalance(byFile, byTime)) return byFile;
  const unsure = isSameResult(byTime, byFile) ? byTime : build('time', [...unread, UNKNOWN_ORDER]);
  // Some rules depend on the order of the calls. So a breach or a fault is certain only if it occurs in both orders.
  const certain = new Set(byFile.breaches.map((one) => breachKey(one, byFile)));
  const breaches = unsure.breaches.filter((one) => certain.has(breachKey(one, unsure)));
  const faults = new Set(
    byFile.wallets.flatMap(({ serviceFaults }) => serviceFaults.map((one) => faultKey(one, byFile))),
  );
  const wallets = unsure.wallets.map((verdict) => ({
    ...withCausesOf(verdict, byFile),
    serviceFaults: verdict.serviceFaults.filter((one) => faults.has(faultKey(one, unsure))),
  }));
  // In the other order, the same balance may not have been wrong.
  const corrected = new Set(
    byFile.oddities.flatMap((one) => (one.kind === 'corrected' ? [faultKey(one, byFile)] : [])),
  );
  const oddities = unsure.oddities.filter((one) => one.kind !== 'corrected' || corrected.has(faultKey(one, unsure)));
  return { ...unsure, breaches, wallets, oddities, status: statusOf({ ...unsure, breaches, wallets }) };
}

/**
 * Adds to each wrong balance the errors that explain it if the calls have another order. The two orders have the same sums, but not
 * always the same errors.
 */
function withCausesOf(verdict: WalletVerdict, { wallets }: IncidentTimeline): WalletVerdict {
  const others = wallets.find(({ wallet }) => wallet === verdict.wallet)?.debts ?? [];
  const debts = verdict.debts.map((debt) => {
    const { deviation, transaction } = debt;
    const other = others.find((one) => one.deviation !== null && one.transaction?.key === transaction?.key)?.deviation;
    if (deviation === null || !other) return debt;
    const known = new Set([deviation.causes, ...deviation.otherCauses].map(rulesOf));
    const added = [other.causes, ...other.otherCauses]
      .filter((causes) => !known.has(rulesOf(causes)))
      .map((causes) => causes.map((cause) => renumbered(cause, verdict)));
    return { ...debt, deviation: { ...deviation, otherCauses: [...deviation.otherCauses, ...added] } };
  });
  return { ...verdict, debts };
}

/** Returns a cause with the numbers that its calls have in the order of this verdict. */
function renumbered(cause: Cause, { books, calls }: WalletVerdict): Cause {
  const place = cause.repeat?.seen.exchange.place;
  return {
    ...cause,
    transaction: books.transactions.find(({ key }) => key === cause.transaction.key) ?? cause.transaction,
    repeat: calls.find(({ seen }) => place !== undefined && seen.exchange.place === place) ?? cause.repeat,
  };
}

/** Returns the rules and transactions of the errors that explain a wrong balance, as a text that can be compared. */
function rulesOf(causes: Deviation['causes']): string {
  return causes.map(({ rule, transaction }) => `${rule ?? ''} ${transaction.key}`).join();
}

/** Returns the breaches that the journals of croupier contain for the calls. These calls are not judged again. */
function judgedBreaches(judgements: readonly JudgedCall[], calls: readonly LoggedCall[]): readonly Breach[] {
  if (judgements.length === 0) return [];
  const keyOf = ({ file, line }: LogPlace): string => `${file} ${line}`;
  const numbers = new Map(calls.map(({ number, seen }) => [keyOf(seen.exchange.place), number]));
  return judgements.flatMap(({ place, ...judgement }) => {
    const call = numbers.get(keyOf(place));
    return call === undefined ? [] : [{ call, ...judgement }];
  });
}

function breachKey({ call, rule }: Breach, timeline: IncidentTimeline): string {
  return `${rule} ${placeOf(call, timeline)}`;
}

function faultKey({ kind, calls }: Oddity, timeline: IncidentTimeline): string {
  return `${kind} ${calls
    .map((call) => transactionOf(call, timeline))
    .toSorted()
    .join()}`;
}

/**
 * Returns the transaction of a call. In another order of the calls, another attempt of the same transaction may come first. Returns
 * the place of the call if it has no `txID`.
 */
function transactionOf(number: number, timeline: IncidentTimeline): string {
  const seen = timeline.calls.find((call) => call.number === number)?.seen;
  return seen?.txID == null ? placeOf(number, timeline) : `${seen.call} ${seen.txID}`;
}

/**
 * Returns the place of a call in the logs. If the calls are put into another order, their numbers change, but their places do not.
 */
function placeOf(call: number, { calls }: IncidentTimeline): string {
  const place = calls.find(({ number }) => number === call)?.seen.exchange.place;
  return `${place?.file ?? ''} ${place?.line ?? 0}`;
}

const UNKNOWN_ORDER =
  'the lines of a log are not in the order of their times, and the balances do not show which order is right';

/** True if the calls explain each balance in a reply. */
function fits({ wallets }: IncidentTimeline): boolean {
  return wallets.every(isExplained);
}

function isExplained({ books }: WalletVerdict): boolean {
  return books.deviations.length === 0 && books.unknown === null;
}

/**
 * True if a wallet has a balance before its first call about money only in the other order, and this order has a wrong balance of the
 * wallet. Without the first balance, nothing shows how the operator booked the call. So it proves nothing that the calls explain all
 * balances.
 */
function hidesFirstBalance({ wallets }: IncidentTimeline, other: IncidentTimeline): boolean {
  const wrong = other.wallets.filter((one) => one.since === null && !isExplained(one));
  return wallets.some(({ wallet, since }) => since !== null && wrong.some((one) => one.wallet === wallet));
}

function isSameResult(a: IncidentTimeline, b: IncidentTimeline): boolean {
  const resultOf = ({ wallets }: IncidentTimeline): string =>
    wallets
      .map(({ wallet, booked, should, debts }) =>
        [
          wallet,
          booked,
          should,
          ...debts.map(({ kind, transaction, amount }) => [kind, transaction?.key, amount]),
        ].join(),
      )
      .toSorted()
      .join('|');
  return resultOf(a) === resultOf(b);
}

function timelineIn(
  order: CallOrder,
  calls: readonly RecordedCall[],
  selection: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf,
  {
    unread,
    judgements,
    notes,
    doubtful,
    usedElsewhere,
    otherCalls: ofOthers = [],
    lostOtherCalls = [],
    earlier = 0,
    isKeyProven: isProven = false,
    signedBodies = new SignedBodies(keysOf),
  }: Reading & Pick<IncidentTimeline, 'notes'> & { readonly doubtful: ReadonlySet<LogPlace> },
): IncidentTimeline {
  const { paired, clocks, isApart } = pairSides(calls, order);
  const ownerOf = ownersOf(paired, known);
  const owners = new Map<string | null, CallOwner>();
  const allCalls = paired.map(({ seen, also, atMs, lagMs }, index) => {
    const owner = ownerOf({ seen, also });
    const before = owners.get(owner.wallet);
    owners.set(owner.wallet, before ? { ...owner, currency: before.currency ?? owner.currency } : owner);
    return loggedCall(seen, also, { number: earlier + index + 1, atMs, lagMs, wallet: owner.wallet }, keysOf);
  });
  for (const { signature, seen, alsoSeen } of allCalls)
    if (signature === 'right') for (const view of [seen, alsoSeen]) if (view) signedBodies.note(view.exchange);
  const proven = allCalls.map((call) => signedBodies.withProvenSignature(call));
  const logged = withExcuses(proven, usedElsewhere);
  const selected = logged.filter((call) =>
    isSelected(call, owners.get(call.wallet)?.player ?? null, logged, selection),
  );
  const wanted = new Set(selected.map(({ wallet }) => wallet));
  const ofWallet = Map.groupBy(
    logged.filter(({ wallet }) => wanted.has(wallet)),
    ({ wallet }) => wallet,
  );
  const doubts = isApart ? [...unread, NOTHING_IN_COMMON] : unread;
  const ownerless = ownerlessOf(logged);
  const otherCalls = new OtherCalls(ofOthers, lostOtherCalls);
  const wallets = [...ofWallet].map(([wallet, mine]) =>
    judgeWallet(
      owners.get(wallet) ?? NOBODY,
      mine,
      [...doubts, ...(wallet === null ? [] : ownerless), ...undatedOf(mine), ...spelledTwiceOf(mine, doubtful)],
      otherCalls,
    ),
  );
  const isKeyProven = isProven || logged.some(({ signature }) => signature === 'right');
  const shown = new Set(selected.map(({ number }) => number));
  const judged = judgedBreaches(judgements, logged);
  const respelled = new Set(logged.flatMap((call) => (isRespelled(call, doubtful) ? [call.number] : [])));
  const own = wallets
    .flatMap(({ books, currency, wallet }) =>
      breachesOf(ofWallet.get(wallet) ?? [], books.transactions, betsOf(books.transactions), { currency, isKeyProven }),
    )
    // If it is not known whether two ids are the same, it is not known either whether the call was repeated.
    .filter(({ call, rule }) => !respelled.has(call) || !rule.startsWith('idempotency.'));
  const oddities = [
    ...sharedTransactions(logged),
    ...wallets.flatMap(({ books, wallet }) => [
      ...odditiesOf(ofWallet.get(wallet) ?? [], books, betsOf(books.transactions), isKeyProven),
      ...fixedOf(books.deviations, otherCalls),
    ]),
  ];
  const breakers = breakersOf([...own, ...judged], logged);
  const shownOddities = oddities.filter((oddity) => oddity.calls.some((call) => shown.has(call)));
  const faults = provenFaults(shownOddities, logged);
  const withFaults = wallets.map((verdict) =>
    agreeingWithRuns(withServiceFaults(verdict, faultsOf(verdict, faults)), judged, logged),
  );
  const timeline = {
    calls: selected,
    notes,
    breakers,
    clocks,
    breaches: [...own, ...judged].filter(({ call }) => shown.has(call)).toSorted((a, b) => a.call - b.call),
    oddities: shownOddities,
    wallets: withFaults.length === 1 ? withFaults : worstFirst(withFaults, breakers),
  };
  return { ...timeline, status: statusOf(timeline) };
}

/** Returns those faults of the service to which a call of the wallet belongs. */
function faultsOf({ calls }: WalletVerdict, faults: readonly Oddity[]): readonly Oddity[] {
  if (faults.length === 0) return [];
  const numbers = new Set(calls.map(({ number }) => number));
  return faults.filter((fault) => fault.calls.some((call) => numbers.has(call)));
}

/** Returns the names of the wallets in which a reply breaks a rule. */
function breakersOf(breaches: readonly Breach[], calls: readonly LoggedCall[]): ReadonlySet<string | null> {
  const failing = new Set(breaches.flatMap(({ call, verdict }) => (verdict === 'fail' ? [call] : [])));
  return new Set(calls.flatMap(({ number, wallet }) => (failing.has(number) ? [wallet] : [])));
}

const NOTHING_IN_COMMON =
  'the logs of the two sides have no call in common, so one of them is of another player or time';

/** Says that the order of calls in several files of one side is not known, if some of these calls have no date. */
function undatedOf(calls: readonly LoggedCall[]): readonly string[] {
  const views = calls
    .flatMap(({ seen, alsoSeen }) => (alsoSeen ? [seen, alsoSeen] : [seen]))
    .map((view) => view.exchange);
  const isUnknown = views.some(
    ({ isDateless, time, side, place: { file } }) =>
      isDateless === true && time === null && views.some((other) => other.side === side && other.place.file !== file),
  );
  return isUnknown ? [NO_DATES] : [];
}

/** True if a side spells an id of this call differently on another line. */
function isRespelled({ seen, alsoSeen }: LoggedCall, doubtful: ReadonlySet<LogPlace>): boolean {
  return [seen, alsoSeen].some((view) => view !== null && doubtful.has(view.exchange.place));
}

/** Says that one side spells an id in two ways, so that it is not known whether two calls have the same id. */
function spelledTwiceOf(calls: readonly LoggedCall[], doubtful: ReadonlySet<LogPlace>): readonly string[] {
  const one = calls.find((call) => isRespelled(call, doubtful));
  if (!one) return [];
  return [
    `an id of call ${one.number} differs from an id of another call only in upper and lower case, so it is not known whether both are the same`,
  ];
}

const NO_DATES =
  'the calls are in several files with times of day without a date, so the order of calls in different files is not known';

/** Says which calls about money belong to no wallet. Each of them may belong to any wallet, so it makes every verdict uncertain. */
function ownerlessOf(calls: readonly LoggedCall[]): readonly string[] {
  const nobodys = calls.filter(
    (call) =>
      call.wallet === null &&
      call.seen.call !== 'balance' &&
      // croupier left out the session on purpose, and has judged whether money moved.
      !(isJudgedInRun(call) && call.ending !== 'accepted'),
  );
  if (nobodys.length === 0) return [];
  return [
    `the logs do not show whose ${nobodys.length === 1 ? 'call' : 'calls'} ${nobodys
      .slice(0, 5)
      .map(({ number, seen }) => `${number} (${seen.call})`)
      .join(
        ', ',
      )}${nobodys.length > 5 ? ` and ${nobodys.length - 5} more` : ''} ${nobodys.length === 1 ? 'is' : 'are'}${ownerlessCauseOf(nobodys)}`,
  ];
}

function statusOf({ breaches, wallets, calls }: Omit<IncidentTimeline, 'status'>): IncidentTimeline['status'] {
  const debts = wallets.flatMap((wallet) => wallet.debts);
  if (breaches.some(({ verdict }) => verdict === 'fail') || debts.some((debt) => !isLeftByRun(debt))) return 1;
  if (wallets.some((wallet) => isDecided(wallet) && wallet.serviceFaults.length > 0)) return 1;
  const isKnown = wallets.every((wallet) => wallet.debts.length === 0) && wallets.every(isDecided);
  return isKnown && calls.length > 0 ? 0 : 3;
}

/** True for a debt that exists because a run of croupier was killed. Such a debt accuses nobody. */
function isLeftByRun({ toAct, transaction }: Debt): boolean {
  return toAct === 'service' && transaction?.attempts.every(({ seen }) => seen.exchange.isOfRun === true) === true;
}

function isSelected(
  { seen, atMs }: LoggedCall,
  owner: string | null,
  all: readonly LoggedCall[],
  { player, session, round, tx, fromMs, toMs }: CallSelection,
): boolean {
  if (player !== undefined && owner !== player) return false;
  if (session !== undefined && seen.sessionID !== session) return false;
  if (round !== undefined && seen.roundID !== round && !isRefundOf(seen, all, (bet) => bet.roundID === round))
    return false;
  if (tx !== undefined && !isSameID(seen.txID, tx) && !isSameID(seen.origTxID, tx)) return false;
  if (fromMs !== undefined && (atMs === null || atMs < fromMs)) return false;
  if (toMs !== undefined && (atMs === null || atMs > toMs)) return false;
  return true;
}

/** True if two ids are the same. A UUID can be written in upper or lower case. */
function isSameID(id: string | null, wanted: string): boolean {
  return id?.toLowerCase() === wanted.toLowerCase();
}

function isRefundOf(seen: RecordedCall, all: readonly LoggedCall[], is: (bet: RecordedCall) => boolean): boolean {
  if (seen.call !== 'refund' || seen.origTxID === null || seen.roundID !== null) return false;
  return all.some((other) => other.seen.call === 'bet' && other.seen.txID === seen.origTxID && is(other.seen));
}
