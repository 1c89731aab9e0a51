import type { RuleEntry } from '../rule.ts';

export const robustnessRules = {
  'robustness.unknown-field': {
    level: 'SHOULD',
    clause: 'position',
    sentence: 'a correctly signed body with a field that the operator does not know is accepted',
    means: 'All bets and wins could be refused on the day when the service adds a detail to its messages.',
    hint: 'Let the schema of the request ignore fields it does not know, so that the contract can grow.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'robustness.malformed-json': {
    level: 'SHOULD',
    clause: 'position',
    sentence: 'a correctly signed body that is not JSON is answered with a 4xx, and not with a 5xx or no reply',
    means: "A garbled message can crash the operator's wallet or block it for other players.",
    hint: 'Catch the error of the JSON parser and answer 400 with a `message`.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'robustness.missing-field': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence: 'a correctly signed body without `txID` or `amount` is answered with a 4xx and moves no money',
    means: "An incomplete message can move a wrong amount of a player's money, or damage the account.",
    hint: 'Validate the body before you change the wallet. If a missing amount is read as NaN, the balance can become NaN.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'robustness.bad-amount': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      'a call whose amount is negative, has an exponent, or has more decimals than the currency is answered with a 4xx and moves no money',
    means: "An impossible amount, such as a negative bet, can put money into a player's account.",
    hint: 'Check amounts with a strict pattern before you parse them. An accepted bet with a negative amount adds money to the account.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'robustness.slow-body': {
    level: 'SHOULD',
    clause: 'position',
    sentence: 'a body that arrives in pieces is handled like a body that arrives in one piece',
    means: 'Bets and wins fail for players whenever the network delivers a message in pieces.',
    hint: 'Read the whole body, up to its announced length, before you verify or parse it.',
    endpoints: ['bet', 'win', 'refund'],
  },
} as const satisfies Readonly<Record<`robustness.${string}`, RuleEntry>>;
