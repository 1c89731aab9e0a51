import { MAX_CAMPAIGN_DAYS } from '../limits.ts';
import type { RuleEntry } from '../rule.ts';

export const launchRules = {
  'launch.request': {
    level: 'MUST',
    clause: 'Create New Game',
    sentence:
      "the operator's `POST /create-new-game` is signed correctly and has every required field, each with the right type",
    means: "Players cannot open a game, because the service refuses the operator's request to start it.",
    hint: 'Sign the body with the API key, not with the Integration API key. Compare the body with the table of fields; identifiers are strings, even if they look like numbers.',
  },
  'launch.locale': {
    level: 'MUST',
    clause: 'Locales',
    sentence:
      'the request for a new game writes the locale in the form of the contract (`en_us`, `es`), or sets `fallbackToDefaultLocale` to true',
    means: 'Players cannot open a game when the service does not know the language that was asked for.',
    hint: 'Locales are lower case with an underscore, such as `en_us`. Map the locale of the browser, or ask for the fallback.',
  },
  'launch.currency': {
    level: 'MUST',
    clause: 'Create New Game',
    sentence: 'the request for a new game writes the code of the currency as the contract writes it',
    means: 'Players cannot open a game when the service does not know the currency that was asked for.',
    hint: 'Currency codes are case-sensitive. Send `USD`, not `usd` or `$`.',
  },
  'launch.session-known': {
    level: 'MUST',
    clause: 'Open-game flow',
    sentence: 'the operator recognises the `sessionID` of a launch when the service sends `GET /balance` with it',
    means:
      'A player opens a game and cannot play, because the operator does not recognise the session that it started itself.',
    hint: 'Before you create the game, store the session under the `sessionID` that you send. Do not use the `gsID` of the reply.',
  },
  'launch.campaign': {
    level: 'MUST',
    clause: 'Limits',
    since: '1.2.8',
    sentence: `a campaign that the operator creates with a \`validUntil\` lasts at most ${MAX_CAMPAIGN_DAYS} days`,
    means: 'Free rounds that were promised to players cannot be set up, because they would last too long.',
    hint: `Let the campaign end at most ${MAX_CAMPAIGN_DAYS} days after its \`validFrom\`, or leave out \`validUntil\` for a campaign without an end.`,
  },
  'launch.games-gzip': {
    level: 'SHOULD',
    clause: '`GET /games`',
    since: '1.5.1',
    sentence: "the operator's `GET /games` asks for gzip",
    means: 'The list of games takes long to load, so that players may find the lobby empty.',
    hint: 'Send `Accept-Encoding: gzip`: the list can be larger than 1 MB and take 10 to 20 seconds.',
  },
} as const satisfies Readonly<Record<`launch.${string}`, RuleEntry>>;
