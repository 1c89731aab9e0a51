import { DAY_MS } from '../../contract/limits.ts';
import type { NewGame } from '../../sdk/core-api-client.ts';
import type { Defect } from '../variation.ts';

/** Replaces fields of the request that launches a game, as a backend with this bug does. */
function sending(fields: Readonly<Record<string, unknown>>): (game: NewGame) => NewGame {
  return (game) => ({ ...game, ...fields });
}

/** Defects in the requests of the operator's backend to the service. */
export const LAUNCH_DEFECTS: readonly Defect[] = [
  {
    name: 'launch-player-number',
    breaks: ['launch.request'],
    description: 'No player can open a game: `user.id` is sent as a number, as in the database.',
    change: () => ({ launch: sending({ user: { id: 4711 } }) }),
  },
  {
    name: 'launch-signed-wrongly',
    breaks: ['launch.request'],
    description:
      'No player can open a game: the last character of the API key was lost when it was copied, so each request to the service is signed wrongly.',
    change: () => ({ coreApiKey: (apiKey) => apiKey.slice(0, -1) }),
  },
  {
    name: 'launch-demo-balance',
    breaks: ['launch.request'],
    description: 'No player can try a game for free: the demo balance has three decimals, which the service refuses.',
    change: () => ({ launch: (game) => ({ ...game, demo: true, initDemoBalance: 1000.005 }) }),
  },
  {
    name: 'launch-browser-locale',
    breaks: ['launch.locale'],
    description: 'No player can open a game: the backend sends the locale in the form of browsers, en-US.',
    change: () => ({ launch: sending({ locale: 'en-US' }) }),
  },
  {
    name: 'launch-small-currency',
    breaks: ['launch.currency'],
    description: 'No player can open a game: the currency is sent in lower case.',
    change: () => ({ launch: (game) => ({ ...game, currency: game.currency.toLowerCase() }) }),
  },
  {
    name: 'launch-other-session',
    breaks: ['launch.session-known'],
    description:
      'Games open, but players cannot play: the launch sends the id of the login session, but the wallet knows only the id of the game session.',
    change: () => ({ launch: (game) => ({ ...game, sessionID: `login-${game.sessionID}` }) }),
  },
  {
    name: 'campaign-too-long',
    breaks: ['launch.campaign'],
    description: 'A campaign of free rounds cannot be created: it would last 45 days.',
    change: () => ({
      campaign: (campaign) => ({
        ...campaign,
        validUntil: new Date(Date.parse(campaign.validFrom) + 45 * DAY_MS).toISOString(),
      }),
    }),
  },
  {
    name: 'games-uncompressed',
    breaks: ['launch.games-gzip'],
    description: 'The lobby is empty for many seconds, because the backend requests the list of games without gzip.',
    change: () => ({ encodings: 'identity' }),
  },
];
