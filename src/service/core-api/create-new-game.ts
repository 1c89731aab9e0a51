import type { CreateNewGame } from '../../contract/core-api.ts';
import { type Currency, currencyByCode } from '../../contract/currencies.ts';
import { DEFAULT_LOCALE, hasLocaleForm, isLocale, LOCALES } from '../../contract/locales.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import { isThere } from '../../contract/versions.ts';
import { jsonReply } from '../../listen/message.ts';
import { betLinesOf, formatAmount } from '../bet-lines.ts';
import type { ServiceClient } from '../client.ts';
import type { GameSession } from '../game-sessions.ts';
import { gamesOf, launchCurrency, requireGame } from './availability.ts';
import type { CoreApiContext, Operation } from './context.ts';
import { type Refusal, refusal, wrongFields } from './refusal.ts';

/** Launches a game: `POST /create-new-game` (contract, Create New Game; Errors, Core API). */
export const createNewGame: Operation<CreateNewGame> = (context, client, wanted, request) => {
  const returnUrl = wanted.returnUrl ?? wanted.returnURL;
  if (returnUrl === undefined && !isThere('1.1.1', context.version)) {
    return wrongFields('body', [{ field: 'returnUrl', message: `required before version 1.1.1` }]);
  }
  const blocked = blockedRefusal(client, wanted);
  if (blocked) return blocked;
  const game = gameFor(context, client, wanted.gameID);
  if ('kind' in game) return game;
  const currency = launchCurrency(client, wanted.currency);
  if ('kind' in currency) return currency;
  const locale = localeFor(wanted);
  if (typeof locale !== 'string') return locale;
  const demo = wanted.demo === true;
  const initial = demo ? initialBalance(wanted.initDemoBalance, currency) : undefined;
  if (initial && 'kind' in initial) return initial;

  const gsID = context.newID();
  const openedAt = context.now();
  const session: GameSession = {
    gsID,
    cID: client.cID,
    extCID: client.extCID,
    sessionID: wanted.sessionID ?? '',
    player: wanted.user?.id ?? gsID,
    currency: currency.code,
    locale,
    gameID: game.id,
    demo,
    ...(returnUrl !== undefined && { returnUrl }),
    ...(wanted.depositURL !== undefined && { depositUrl: wanted.depositURL }),
    ...(wanted.platform !== undefined && { platform: wanted.platform }),
    openedAt,
    expiresAt: openedAt + context.sessionLifeMs,
  };
  if (demo) context.demoBalances.open(session, initial);
  context.sessions.open(session);
  return {
    kind: 'done',
    reply: jsonReply(200, { gameURL: `${context.publicUrl(request)}/game?gsID=${gsID}`, gsID }),
    session,
  };
};

function blockedRefusal({ blocked, blockedUsers }: ServiceClient, { user }: CreateNewGame): Refusal | undefined {
  if (blocked) {
    return refusal(403, 'This account is blocked. Ask the provider of the service to unblock it.', {
      code: 'account_blocked',
      details: 'all launches of this client are blocked',
    });
  }
  if (user === undefined || !blockedUsers?.includes(user.id)) return undefined;
  return refusal(403, 'This account is blocked.', {
    code: 'account_blocked',
    details: `the player ${JSON.stringify(user.id)} is blocked`,
  });
}

function gameFor({ games }: CoreApiContext, client: ServiceClient, gameID: string | undefined) {
  if (gameID !== undefined) return requireGame(client, games, gameID);
  const [first] = gamesOf(client, games);
  return first ?? refusal(403, 'No game is available to this client.', { code: 'game_not_found' });
}

function localeFor({ locale, fallbackToDefaultLocale }: CreateNewGame): string | Refusal {
  if (isLocale(locale)) return locale;
  if (fallbackToDefaultLocale === true) return DEFAULT_LOCALE;
  // The contract does not show its complete list of locales. So every locale with the right format is accepted.
  if (hasLocaleForm(locale)) return locale;
  const alike = locale.toLowerCase().replaceAll('-', '_');
  const meant = [alike, alike.split('_', 1)[0] ?? ''].find(isLocale);
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return refusal(400, `This locale is not supported${advice}`.replace(/(?<!\?)$/, '.'), {
    code: 'locale_not_supported',
    details: `locale: ${JSON.stringify(locale)}; supported: ${LOCALES.join(', ')}`,
  });
}

function initialBalance(
  given: CreateNewGame['initDemoBalance'],
  { code, decimals }: Pick<Currency, 'code' | 'decimals'>,
): Money | undefined | Refusal {
  if (given === undefined) return undefined;
  const initial = Money.read(String(given));
  const message = initial
    ? problemOf(initial, code, decimals)
    : 'expected a plain decimal such as 1000.5, without an exponent';
  return message === undefined ? initial : wrongFields('body', [{ field: 'initDemoBalance', message }]);
}

function problemOf(amount: Money, code: string, decimals: number | null): string | undefined {
  if (decimals === null || amount.decimals() <= decimals) return belowLeastStake(amount, code);
  return decimals === 0
    ? `expected an amount without decimals, because ${code} has no decimals`
    : `expected at most ${plural(decimals, 'decimal')}, because ${code} has no more`;
}

/**
 * Returns the mistake if a demo balance is lower than the lowest stake, because no round could be played. Returns undefined for
 * a currency that croupier does not know, because it has no known stakes.
 */
function belowLeastStake(amount: Money, code: string): string | undefined {
  const least = currencyByCode(code) && betLinesOf(code)[0]?.maxBet;
  if (!least || amount.compare(least) >= 0) return undefined;
  return `expected at least ${formatAmount(least, code)}, the lowest stake in ${code}`;
}
