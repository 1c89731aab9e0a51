import type { KnownSession } from '../call-selection.ts';
import type { RecordedCall } from '../recorded-call.ts';
import type { Paired } from './clocks/clock-skew.ts';

/**
 * The wallet that a call belongs to. A player has one wallet for each operator and each currency. If the player is unknown, each
 * session counts as a player of its own.
 */
export interface CallOwner {
  /** The name of the wallet. Null if the log does not show whose call it is. */
  readonly wallet: string | null;
  readonly player: string | null;
  readonly currency: string | null;
}

/** The owner of a call that names nobody. */
export const NOBODY: CallOwner = { wallet: null, player: null, currency: null };

/**
 * Returns a function that says to which wallet a call belongs. A wallet belongs to a player at one operator in one currency. If the
 * player is unknown, the wallet belongs to the session. If a call names neither the player nor the session, it belongs to the
 * wallet of its bet, if the bet is in the logs.
 */
export function ownersOf(
  paired: readonly Paired[],
  known: ReadonlyMap<string, KnownSession>,
): (call: Pick<Paired, 'seen' | 'also'>) => CallOwner {
  const sessions = sessionsOf(paired, known);
  const currencyOf = ({ seen, also }: Views): string | null =>
    first(seen, also, ({ currency }) => currency) ?? sessionOf(seen, also, sessions)?.currency ?? null;
  const named = ({ seen, also }: Views): string | null => {
    const session = first(seen, also, ({ sessionID }) => sessionID);
    const player = first(seen, also, (view) => view.player) ?? sessionOf(seen, also, sessions)?.player ?? null;
    return player === null ? (session === null ? null : `session ${session}`) : `player ${player}`;
  };
  const ofTransaction = new Map<string, string>();
  const ofRound = new Map<string, string>();
  // If one round id belongs to two wallets, the rounds of each player have numbers of their own. Then no round shows whose call it is.
  let areRoundsShared = false;
  const currencies = new Map<string, Set<string>>();
  const origins = new Map<string, Set<string>>();
  for (const views of paired) {
    const name = named(views);
    if (name === null) continue;
    const { txID, roundID } = views.seen;
    if (txID !== null) ofTransaction.set(txID, name);
    if (roundID !== null) {
      if ((ofRound.get(roundID) ?? name) !== name) areRoundsShared = true;
      ofRound.set(roundID, name);
    }
    addTo(currencies, name, currencyOf(views));
    addTo(origins, name, originOf(views));
  }
  const byID = ({ txID, origTxID, roundID }: RecordedCall): string | undefined =>
    [txID, origTxID].flatMap((id) => (id === null ? [] : (ofTransaction.get(id) ?? [])))[0] ??
    (roundID === null || areRoundsShared ? undefined : ofRound.get(roundID));
  return (views) => {
    const name = named(views) ?? byID(views.seen) ?? null;
    if (name === null) return NOBODY;
    const player = name.startsWith('player ') ? name.slice('player '.length) : null;
    const parts = [name];
    for (const [all, mine] of [
      [currencies, currencyOf(views)],
      [origins, originOf(views)],
    ] as const) {
      if ((all.get(name)?.size ?? 0) < 2) continue;
      if (mine === null) return { ...NOBODY, player };
      parts.push(mine);
    }
    return { wallet: parts.join(', '), player, currency: currencyOf(views) };
  };
}

type Views = Pick<Paired, 'seen' | 'also'>;

function addTo(map: Map<string, Set<string>>, name: string, value: string | null): void {
  if (value === null) return;
  const values = map.get(name) ?? new Set();
  map.set(name, values.add(value));
}

/** Returns the base address of the operator: the URL without the name of the call. Null if the log has only paths. */
export function originOf({ seen, also }: Views): string | null {
  return first(seen, also, ({ exchange, call }) => {
    // Most logs have only paths.
    if (exchange.request.url === null || exchange.request.url.startsWith('/')) return null;
    const url = URL.parse(exchange.request.url);
    if (!url) return null;
    return `${url.host}${url.pathname.slice(0, Math.max(0, url.pathname.lastIndexOf(`/${call}`)))}`;
  });
}

function sessionOf(
  seen: RecordedCall,
  also: RecordedCall | null,
  sessions: ReadonlyMap<string, KnownSession>,
): KnownSession | undefined {
  const session = first(seen, also, ({ sessionID }) => sessionID);
  return session === null ? undefined : sessions.get(session);
}

function first<T>(seen: RecordedCall, also: RecordedCall | null, read: (view: RecordedCall) => T | null): T | null {
  return read(seen) ?? (also === null ? null : read(also));
}

/**
 * Finds the player and the currency of each session. If one call of a session names the player and the currency, they apply to all
 * calls of this session.
 */
function sessionsOf(
  paired: readonly Paired[],
  known: ReadonlyMap<string, KnownSession>,
): ReadonlyMap<string, KnownSession> {
  const sessions = new Map<string, KnownSession>(known);
  for (const { seen, also } of paired) {
    for (const view of also ? [seen, also] : [seen]) {
      const { sessionID, player, currency } = view;
      if (sessionID === null) continue;
      const before = sessions.get(sessionID);
      sessions.set(sessionID, { player: before?.player ?? player, currency: before?.currency ?? currency });
    }
  }
  return sessions;
}
