import type { SeenCall } from '../seen-call.ts';
import { withBeginnings } from './beginnings.ts';
import { type Breach, breachesOf } from './breach.ts';
import { mendedOf, type Oddity, odditiesOf } from './oddity.ts';
import { type Clocks, pairSides } from './sides.ts';
import { type KeysOf, NO_KEYS } from './signature.ts';
import { type ToldCall, tellCall } from './told-call.ts';
import { betsOf } from './transaction.ts';
import { judgeWallet, type WalletVerdict } from './verdict.ts';

/** Which calls are told. Each that is given must fit; times are in ms since 1970, by the service's clock. */
export interface Selection {
  readonly player?: string | undefined;
  readonly session?: string | undefined;
  readonly round?: string | undefined;
  readonly tx?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** What happened, and whose money is where. */
export interface Story {
  /** The calls that were asked for, in order of time. */
  readonly calls: readonly ToldCall[];
  readonly clocks: Clocks | null;
  readonly breaches: readonly Breach[];
  readonly oddities: readonly Oddity[];
  /** Reckoned from all calls of the players of those calls, so that their balances are right. */
  readonly wallets: readonly WalletVerdict[];
  /** 0: nothing is wrong. 1: a rule was broken or something is owed. 3: it can't be known. */
  readonly status: 0 | 1 | 3;
}

/** Who plays in a session, and in which currency, as far as that is known from elsewhere. */
export interface KnownSession {
  readonly player: string | null;
  readonly currency: string | null;
}

/**
 * @param calls everything that is known of the wallets, not only what is selected
 * @param keysOf the keys at hand; without any nothing is said of signatures
 */
export function tellStory(
  calls: readonly SeenCall[],
  selection: Selection,
  known: ReadonlyMap<string, KnownSession>,
  keysOf: KeysOf = () => NO_KEYS,
): Story {
  const { paired, clocks } = pairSides(withBeginnings(calls));
  const sessions = sessionsOf(calls, known);
  const told = paired.map(({ seen, also, atMs }, index) =>
    tellCall(seen, also, { number: index + 1, atMs, wallet: walletOf(seen, also, sessions) }, keysOf),
  );
  const selected = told.filter((call) => isSelected(call, told, selection));
  const wanted = new Set(selected.map(({ wallet }) => wallet));
  const ofWallet = Map.groupBy(
    told.filter(({ wallet }) => wanted.has(wallet)),
    ({ wallet }) => wallet,
  );
  const wallets = [...ofWallet].map(([wallet, mine]) =>
    judgeWallet({ wallet, player: playerOf(mine, sessions), currency: currencyOf(mine, sessions) }, mine),
  );
  const isKeyProven = told.some(({ signature }) => signature === 'right');
  const shown = new Set(selected.map(({ number }) => number));
  const breaches = wallets.flatMap(({ books, currency, wallet }) =>
    breachesOf(ofWallet.get(wallet) ?? [], books.transactions, betsOf(books.transactions), { currency, isKeyProven }),
  );
  const oddities = wallets.flatMap(({ books, wallet }) => [
    ...odditiesOf(ofWallet.get(wallet) ?? [], books.transactions, betsOf(books.transactions)),
    ...mendedOf(books.deviations),
  ]);
  const story = {
    calls: selected,
    clocks,
    breaches: breaches.filter(({ call }) => shown.has(call)),
    oddities: oddities.filter((oddity) => oddity.calls.some((call) => shown.has(call))),
    wallets,
  };
  return { ...story, status: statusOf(story) };
}

function statusOf({ breaches, wallets, calls }: Omit<Story, 'status'>): Story['status'] {
  if (breaches.some(({ verdict }) => verdict === 'fail') || wallets.some(({ debts }) => debts.length > 0)) return 1;
  const isKnown = wallets.every(({ difference, unknowns }) => difference !== null && unknowns.length === 0);
  return isKnown && calls.length > 0 ? 0 : 3;
}

/** What any call says of a session holds for all its calls. */
function sessionsOf(
  calls: readonly SeenCall[],
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

function walletOf(seen: SeenCall, also: SeenCall | null, sessions: ReadonlyMap<string, KnownSession>): string | null {
  const session = seen.sessionID ?? also?.sessionID ?? null;
  const player = seen.player ?? also?.player ?? (session === null ? null : (sessions.get(session)?.player ?? null));
  return player === null ? (session === null ? null : `session ${session}`) : `player ${player}`;
}

function playerOf(calls: readonly ToldCall[], sessions: ReadonlyMap<string, KnownSession>): string | null {
  const players = calls.map(
    ({ seen, alsoSeen }) =>
      seen.player ?? alsoSeen?.player ?? (seen.sessionID === null ? null : sessions.get(seen.sessionID)?.player),
  );
  return players.find((player) => player != null) ?? null;
}

function currencyOf(calls: readonly ToldCall[], sessions: ReadonlyMap<string, KnownSession>): string | null {
  for (const { seen, alsoSeen } of calls) {
    const currency =
      seen.currency ?? alsoSeen?.currency ?? (seen.sessionID === null ? null : sessions.get(seen.sessionID)?.currency);
    if (currency != null) return currency;
  }
  return null;
}

function isSelected(
  { seen, atMs, wallet }: ToldCall,
  all: readonly ToldCall[],
  { player, session, round, tx, fromMs, toMs }: Selection,
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

function isRefundOf(seen: SeenCall, all: readonly ToldCall[], is: (bet: SeenCall) => boolean): boolean {
  if (seen.call !== 'refund' || seen.origTxID === null || seen.roundID !== null) return false;
  return all.some((other) => other.seen.call === 'bet' && other.seen.txID === seen.origTxID && is(other.seen));
}
