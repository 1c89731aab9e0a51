import { CURRENCIES, type Currency, codeProblem, currencyByCode } from '../../contract/currencies.ts';
import type { ServiceClient } from '../client.ts';
import type { Game } from '../games.ts';
import { type Refusal, refusal } from './refusal.ts';

/** Returns the games that a client may launch, in the order of the catalogue. */
export function gamesOf(client: ServiceClient, games: readonly Game[]): readonly Game[] {
  return client.games === undefined ? games : games.filter(({ id }) => client.games?.includes(id));
}

/** Returns the currencies that a client may use. */
export function currenciesOf(client: ServiceClient): readonly Currency[] {
  return CURRENCIES.filter(({ code }) => mayUse(client, code));
}

/** Returns the game with an id. Refuses the id of a game that does not exist, or that the client may not launch. */
export function requireGame(client: ServiceClient, games: readonly Game[], id: string): Game | Refusal {
  const available = gamesOf(client, games);
  const game = available.find((one) => one.id === id);
  if (game) return game;
  const known = games.some((one) => one.id === id);
  return refusal(403, known ? 'This game is not available to this client.' : 'There is no such game.', {
    code: 'game_not_found',
    details: `${JSON.stringify(id)}; available to ${client.extCID}: ${listed(available.map((one) => one.id))}`,
  });
}

/**
 * Returns the currency of a launch. Refuses a code in a wrong form, and a currency that the client may not use. A code that
 * croupier does not know is accepted, because the contract does not show its complete list of currencies.
 */
export function launchCurrency(client: ServiceClient, code: string): Pick<Currency, 'code' | 'decimals'> | Refusal {
  const isUnknown = !currencyByCode(code) && codeProblem(code) === undefined && mayUse(client, code);
  return isUnknown ? { code, decimals: null } : requireCurrency(client, code);
}

/** Returns the currency with a code. Refuses a currency that is not supported, or that the client may not use. */
export function requireCurrency(client: ServiceClient, code: string): Currency | Refusal {
  const currency = currencyByCode(code);
  const isAllowed = mayUse(client, code);
  if (currency && isAllowed) return currency;
  const alike = CURRENCIES.find((one) => one.code.toLowerCase() === code.toLowerCase())?.code;
  const advice = currency
    ? 'This client may not use this currency.'
    : alike === undefined
      ? 'This currency is not supported.'
      : `This currency is not supported; did you mean ${alike}? Upper and lower case matter.`;
  const available = isAllowed ? '' : `; available to ${client.extCID}: ${listed(client.currencies ?? [])}`;
  return refusal(400, advice, {
    code: 'currency_not_supported',
    details: `currency: ${JSON.stringify(code)}${available}`,
  });
}

function mayUse(client: ServiceClient, code: string): boolean {
  return client.currencies?.includes(code) ?? true;
}

/** Writes ids as a list for a message, which ends after a few ids. */
export function listed(ids: readonly string[]): string {
  if (ids.length === 0) return 'none';
  return ids.length > MAX_LISTED ? `${ids.slice(0, MAX_LISTED).join(', ')}, …` : ids.join(', ');
}

const MAX_LISTED = 12;
