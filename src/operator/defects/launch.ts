import type { NewGame } from '../../sdk/core-api-client.ts';
import type { Defect } from '../defect.ts';

const DAY_MS = 86_400_000;

/** What no type lets pass, and real backends send nevertheless. */
function sending(fields: Readonly<Record<string, unknown>>): (game: NewGame) => NewGame {
  return (game) => ({ ...game, ...fields });
}

/** Faults in what the operator's backend sends to the service. */
export const LAUNCH_DEFECTS: readonly Defect[] = [
  {
    name: 'launch-player-number',
    breaks: ['launch.request'],
    description: 'No player can open a game: `user.id` is sent as a number, as the database has it.',
    change: () => ({ launch: sending({ user: { id: 4711 } }) }),
  },
  {
    name: 'launch-browser-locale',
    breaks: ['launch.locale'],
    description: 'No player can open a game: the locale is sent as browsers write it, en-US.',
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
      'Games open and nobody can play: the launch sends the id of the login, and the wallet knows that of the game.',
    change: () => ({ launch: (game) => ({ ...game, sessionID: `login-${game.sessionID}` }) }),
  },
  {
    name: 'campaign-too-long',
    breaks: ['launch.campaign'],
    description: 'The free rounds of the summer cannot be set up: the campaign is to last 45 days.',
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
    description: 'The lobby is empty for many seconds: the list of games is asked for without gzip.',
    change: () => ({ encodings: 'identity' }),
  },
];
