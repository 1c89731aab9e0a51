import type { CallSelection, KnownSession } from '../call-selection.ts';
import type { RecordedCall } from '../recorded-call.ts';
import { withBeginnings } from './beginnings.ts';
import { type Breach, breachesOf } from './breach.ts';
import { type Clocks, pairSides } from './clock-skew.ts';
import type { Debt } from './debt.ts';
import { type LoggedCall, loggedCall } from './logged-call.ts';
import { fixedOf, type Oddity, odditiesOf } from './oddity.ts';
import { type KeysOf, NO_KEYS } from './signature.ts';
import { betsOf } from './transaction.ts';
import { judgeWallet, type WalletVerdict } from './verdict.ts';

/** The calls of an incident, with the breaches and the verdict on each wallet. */
export interface IncidentTimeline {
  /** The selected calls, in order of time. */
  readonly calls: readonly LoggedCall[];
  readonly clocks: Clocks | null;
  readonly breaches: readonly Breach[];
  readonly oddities: readonly Oddity[];
  /**
   * The verdict on each wallet of the selected calls. It is computed from all calls of these wallets, not only the
   * selected ones, so that balances are right.
   */
  readonly wallets: readonly WalletVerdict[];
  /** The exit status. 0: nothing is wrong. 1: a rule was broken or something is owed. 3: unknown. */
  readonly status: 0 | 1 | 3;
}

/**
 * Builds the timeline of an incident.
 *
 * @param calls all known calls of the wallets, not only the selected ones
 * @param keysOf returns the known keys; if no key is known, no signature is judged
 */
export function buildTimeline(
  calls: readonly RecordedCall[],
  selection: CallSelection,
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf = () => NO_KEYS,
): IncidentTimeline {
  const { paired, clocks } = pairSides(withBeginnings(calls));
  const sessions = sessionsOf(calls, known);
  const logged = paired.map(({ seen, also, atMs }, index) =>
    loggedCall(seen, also, { number: index + 1, atMs, wallet: walletOf(seen, also, sessions) }, keysOf),
  );
  const selected = logged.filter((call) => isSelected(call, logged, selection));
  const wanted = new Set(selected.map(({ wallet }) => wallet));
  const ofWallet = Map.groupBy(
    logged.filter(({ wallet }) => wanted.has(wallet)),
    ({ wallet }) => wallet,
  );
  const wallets = [...ofWallet].map(([wallet, mine]) =>
    judgeWallet({ wallet, player: playerOf(mine, sessions), currency: currencyOf(mine, sessions) }, mine),
  );
  const isKeyProven = logged.some(({ signature }) => signature === 'right');
  const shown = new Set(selected.map(({ number }) => number));
  const breaches = wallets.flatMap(({ books, currency, wallet }) =>
    breachesOf(ofWallet.get(wallet) ?? [], books.transactions, betsOf(books.transactions), { currency, isKeyProven }),
  );
  const oddities = wallets.flatMap(({ books, wallet }) => [
    ...odditiesOf(ofWallet.get(wallet) ?? [], books.transactions, betsOf(books.transactions)),
    ...fixedOf(books.deviations),
  ]);
  const timeline = {
    calls: selected,
    clocks,
    breaches: breaches.filter(({ call }) => shown.has(call)),
    oddities: oddities.filter((oddity) => oddity.calls.some((call) => shown.has(call))),
    wallets,
  };
  return { ...timeline, status: statusOf(timeline) };
}

function statusOf({ breaches, wallets, calls }: Omit<IncidentTimeline, 'status'>): IncidentTimeline['status'] {
  const debts = wallets.flatMap((wallet) => wallet.debts);
  if (breaches.some(({ verdict }) => verdict === 'fail') || debts.some((debt) => !isLeftByRun(debt))) return 1;
  const isKnown =
    debts.length === 0 && wallets.every(({ difference, unknowns }) => difference !== null && unknowns.length === 0);
  return isKnown && calls.length > 0 ? 0 : 3;
}

/** True for a debt that a run of croupier has left, because the run was killed. It accuses nobody. */
function isLeftByRun({ toAct, transaction }: Debt): boolean {
  return toAct === 'service' && transaction?.attempts.every(({ seen }) => seen.exchange.isOfRun === true) === true;
}

/**
 * Finds the player and the currency of each session. If one call of a session names them, they apply to all its calls.
 */
function sessionsOf(
  calls: readonly RecordedCall[],
  known: ReadonlyMap<string, KnownSession>,
): ReadonlyMap<string, KnownSession> {
  const sessions = new Map<string, KnownSession>(known);
  for (const { sessionID, player, currency } of calls) {
    if (sessionID === null) continue;
    const before = sessions.get(sessionID);
    sessions.set(sessionID, { player: before?.player ?? player, currency: before?.currency ?? currency });
  }
  return sessions;
}

function walletOf(
  seen: RecordedCall,
  also: RecordedCall | null,
  sessions: ReadonlyMap<string, KnownSession>,
): string | null {
  const session = seen.sessionID ?? also?.sessionID ?? null;
  const player = seen.player ?? also?.player ?? (session === null ? null : (sessions.get(session)?.player ?? null));
  return player === null ? (session === null ? null : `session ${session}`) : `player ${player}`;
}

function playerOf(calls: readonly LoggedCall[], sessions: ReadonlyMap<string, KnownSession>): string | null {
  const players = calls.map(
    ({ seen, alsoSeen }) =>
      seen.player ?? alsoSeen?.player ?? (seen.sessionID === null ? null : sessions.get(seen.sessionID)?.player),
  );
  return players.find((player) => player != null) ?? null;
}

function currencyOf(calls: readonly LoggedCall[], sessions: ReadonlyMap<string, KnownSession>): string | null {
  for (const { seen, alsoSeen } of calls) {
    const currency =
      seen.currency ?? alsoSeen?.currency ?? (seen.sessionID === null ? null : sessions.get(seen.sessionID)?.currency);
    if (currency != null) return currency;
  }
  return null;
}

function isSelected(
  { seen, atMs, wallet }: LoggedCall,
  all: readonly LoggedCall[],
  { player, session, round, tx, fromMs, toMs }: CallSelection,
): boolean {
  if (player !== undefined && wallet !== `player ${player}`) return false;
  if (session !== undefined && seen.sessionID !== session) return false;
  if (round !== undefined && seen.roundID !== round && !isRefundOf(seen, all, (bet) => bet.roundID === round))
    return false;
  if (tx !== undefined && seen.txID !== tx && seen.origTxID !== tx) return false;
  if (fromMs !== undefined && (atMs === null || atMs < fromMs)) return false;
  if (toMs !== undefined && (atMs === null || atMs > toMs)) return false;
  return true;
}

function isRefundOf(seen: RecordedCall, all: readonly LoggedCall[], is: (bet: RecordedCall) => boolean): boolean {
  if (seen.call !== 'refund' || seen.origTxID === null || seen.roundID !== null) return false;
  return all.some((other) => other.seen.call === 'bet' && other.seen.txID === seen.origTxID && is(other.seen));
}
