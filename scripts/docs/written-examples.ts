import type { RuleExample } from '../../src/cli/commands/list/rule-example.ts';

function launch(fields: Readonly<Record<string, unknown>>): string {
  const right = {
    cID: 'c-1',
    extCID: 'acme-eu',
    user: { id: '4711' },
    currency: 'EUR',
    locale: 'en_us',
    sessionID: 's-1',
  };
  return JSON.stringify({ ...right, ...fields });
}

function example(
  defect: string,
  call: string,
  right: string,
  wrong: string,
  expected: string,
  actual: string,
): RuleExample {
  return { scenario: 'launch/backend', defect, calls: [{ call, right, wrong }], expected, actual };
}

const LAUNCH = 'POST /create-new-game, by the backend';

/**
 * Examples that were written by hand. They show launch rules, where requests and not replies are right or wrong, and a
 * NOTE rule that the reference operator never gives reason for.
 */
export const WRITTEN_EXAMPLES: Readonly<Record<string, RuleExample>> = {
  'reply.error-code': {
    scenario: 'bet/insufficient-funds',
    defect: null,
    calls: [
      {
        call: 'POST /bet {"amount":"999.01","roundID":"round-1","sessionID":"eu-anna-usd-catch","txID":"tx-1","type":"regular"}',
        right: '402 {"code":"NOT_ENOUGH","message":"Your balance is too low for this bet."}',
        wrong: null,
      },
    ],
    expected: '',
    actual: 'the code is "NOT_ENOUGH", which is none of the published ones',
  },
  'launch.request': example(
    'launch-player-number',
    LAUNCH,
    launch({}),
    launch({ user: { id: 4711 } }),
    '`user.id` is text',
    'it is a number',
  ),
  'launch.locale': example(
    'launch-browser-locale',
    LAUNCH,
    launch({}),
    launch({ locale: 'en-US' }),
    'one of the supported locales, in lower case with an underscore',
    'it is written as browsers write it',
  ),
  'launch.currency': example(
    'launch-small-currency',
    LAUNCH,
    launch({}),
    launch({ currency: 'eur' }),
    'a supported currency, in capitals',
    'it is in lower case',
  ),
  'launch.session-known': example(
    'launch-other-session',
    LAUNCH,
    launch({}),
    launch({ sessionID: 'login-s-1' }),
    'a session that the wallet knows: `GET /balance` in it is answered 200',
    'the wallet answers that the session is unknown',
  ),
  'launch.campaign': example(
    'campaign-too-long',
    'the dates of a new campaign',
    '{"validFrom":"2027-06-01T00:00:00Z","validUntil":"2027-06-30T00:00:00Z"}',
    '{"validFrom":"2027-06-01T00:00:00Z","validUntil":"2027-07-16T00:00:00Z"}',
    'a campaign of at most 30 days',
    'it lasts 45 days',
  ),
  'launch.games-gzip': example(
    'games-uncompressed',
    'GET /games, by the backend',
    'Accept-Encoding: gzip',
    'Accept-Encoding: identity',
    'the request accepts gzip',
    'the request does not accept gzip',
  ),
};
