import { currencyByCode } from '../../contract/currencies.ts';
import type { Money } from '../../contract/money.ts';
import type { Fold } from '../../journal/fold.ts';
import { reckoned, saidBalance } from './differences.ts';
import { memberValue, type ReadExchange } from './reading.ts';

/** What is known of a player's balance at one call: what the operator said, and what it had to be. */
export interface BalancePoint {
  readonly id: string;
  /** The call and its amount. */
  readonly label: string;
  readonly player: string;
  readonly currency: string | null;
  /** null: the reply said none, or none that can be read. */
  readonly reported: Money | null;
  readonly reportedText: string;
  /** One value, several while a call's outcome is unknown, none when nothing was known. */
  readonly should: readonly Money[];
  readonly shouldText: string;
  /** False for replays, whose balance is the one of the first reply, and for calls that were let go together. */
  readonly isPresent: boolean;
  /** True when croupier made the call to bring the balance back to what it was. */
  readonly isRestoring: boolean;
  /** True when the operator said something that the balance cannot be. */
  readonly isOff: boolean;
}

/**
 * The balances of the calls of one scenario, in order, all amounts with the same number of decimals.
 *
 * @param raced ids of calls that were let go together
 */
export function balancePoints(
  exchanges: readonly ReadExchange[],
  fold: Fold,
  raced: ReadonlySet<string>,
): readonly BalancePoint[] {
  const sessions = new Map(fold.run.settings.sessions.map((session) => [session.sessionID, session]));
  const known = new Set<string>();
  const raw = exchanges.map((exchange) => {
    const { sending, sent, label } = exchange;
    const txID = memberValue(sent, 'txID');
    const key = `${sending.call} ${txID}`;
    const isReplay = txID !== undefined && known.has(key);
    known.add(key);
    const sessionID = memberValue(sent, 'sessionID') ?? sessionOf(sending.request.url);
    const session = sessions.get(sessionID);
    const reported = saidBalance(exchange);
    const should = reckoned(exchange);
    const isPresent = !isReplay && !raced.has(sending.id);
    return {
      id: sending.id,
      label,
      player: session?.player ?? sessionID,
      currency: session?.currency ?? null,
      reported,
      should,
      isPresent,
      isRestoring: sending.purpose === 'restore',
      isOff: isPresent && reported !== null && should.length > 0 && !should.some((one) => one.equals(reported)),
    };
  });
  const decimals = raw.reduce(
    (most, { reported, should, currency }) =>
      Math.max(
        most,
        (currency === null ? null : currencyByCode(currency)?.decimals) ?? 0,
        ...[reported, ...should].map((one) => one?.decimals() ?? 0),
      ),
    0,
  );
  return raw.map((point) => ({
    ...point,
    reportedText: point.reported?.format(decimals) ?? '',
    shouldText: point.should.map((one) => one.format(decimals)).join(' or '),
  }));
}

function sessionOf(url: string): string {
  const text = /[?&]sessionID=([^&#]*)/.exec(url)?.[1] ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
