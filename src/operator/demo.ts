import { type Behaviour, CORRECT } from './behaviour.ts';
import type { OperatorOptions, SessionOptions } from './options.ts';

export interface DemoKeys {
  readonly first: string;
  readonly second: string;
}

/** The ExtCID of the first client. A run against the embedded operator judges this client. */
export const DEMO_CLIENT = 'demo-eu';

/** The `frID` of the campaign that both clients know. */
export const DEMO_CAMPAIGN = 'demo-campaign';

/** The bet without a win in the expired session. */
export const DEMO_BEGUN = {
  txID: '6f1d2c7e-3b54-4a86-9c0f-2a7b51d8e3c1',
  roundID: 'b7e0a3d2-91c4-4f6b-8d15-0c3e9f7a6b24',
  amount: '2.00',
};

/**
 * Returns the options of a demonstration operator with two clients, whose keys differ. The first client has several players.
 * Their wallets are in currencies with two decimals, without decimals, and with many decimals. One player has sessions in two
 * games, and one expired session has an open round.
 *
 * @throws RangeError if the two keys are equal, because then each client would accept calls for the other client
 */
export function demoOperator(
  keys: DemoKeys,
  behaviour: Pick<Behaviour, 'accounts'> = CORRECT,
): OperatorOptions & { readonly clients: readonly [DemoClient, DemoClient] } {
  if (keys.first === keys.second)
    throw new RangeError('the two clients of the demonstration have the same key: give each client its own key');
  return {
    clients: [
      {
        extCID: DEMO_CLIENT,
        integrationApiKey: keys.first,
        basePath: '/demo-eu',
        campaigns: [DEMO_CAMPAIGN],
        sessions: behaviour.accounts(FIRST_SESSIONS),
      },
      {
        extCID: 'demo-asia',
        integrationApiKey: keys.second,
        basePath: '/demo-asia',
        campaigns: [DEMO_CAMPAIGN],
        sessions: SECOND_SESSIONS,
      },
    ],
  };
}

type DemoClient = OperatorOptions['clients'][number];

function active(sessionID: string, player: string, currency: string, gameID: string, balance: string): SessionOptions {
  return { sessionID, player, currency, gameID, balance, state: 'active' };
}

const FIRST_SESSIONS: readonly SessionOptions[] = [
  active('eu-anna-usd-catch', 'anna', 'USD', 'catch', '1000.00'),
  active('eu-anna-usd-swipe', 'anna', 'USD', 'swipe', '1000.00'),
  active('eu-ben-eur', 'ben', 'EUR', 'catch', '1000.00'),
  active('eu-carla-usd', 'carla', 'USD', 'catch', '1000.00'),
  active('eu-daichi-jpy', 'daichi', 'JPY', 'swipe', '100000'),
  active('eu-emil-kwd', 'emil', 'KWD', 'catch', '1000.00'),
  active('eu-farah-btc', 'farah', 'BTC', 'catch', '1.53186407'),
  active('eu-ines-usd', 'ines', 'USD', 'swipe', '1000.00'),
  active('eu-jan-eur', 'jan', 'EUR', 'swipe', '1000.00'),
  active('eu-kofi-eur', 'kofi', 'EUR', 'catch', '1000.00'),
  active('eu-lena-usd', 'lena', 'USD', 'swipe', '1000.00'),
  {
    sessionID: 'eu-gus-usd-old',
    player: 'gus',
    currency: 'USD',
    gameID: 'catch',
    balance: '998.00',
    state: 'expired',
    begun: [DEMO_BEGUN],
  },
];

const SECOND_SESSIONS: readonly SessionOptions[] = [
  active('asia-anna-krw', 'anna', 'KRW', 'catch', '1000000'),
  active('asia-hana-jpy', 'hana', 'JPY', 'catch', '100000'),
];
