import type { RuleEntry } from '../rule.ts';

export const balanceRules = {
  'balance.read': {
    level: 'MUST',
    clause: 'Integration Adapter',
    sentence:
      'a signed `GET /balance` with the `sessionID` of a session is answered 200, and the reply has a `balance`',
    means: 'Players cannot start a game or go on playing, because the game does not learn how much money they have.',
    hint: 'Look at how the balance endpoint finds the session and verifies the signature. Almost every other rule is judged by reading the balance, so fix this rule first.',
  },
  'balance.read-only': {
    level: 'MUST',
    clause: 'What the service does',
    sentence: 'reading the balance does not change it, however often it is read',
    means: "A player's money changes just because the game looked at the balance.",
    hint: 'Look for anything that the balance endpoint writes. For example, it may add money to the session, or create a wallet or a bonus at the first read.',
  },
  'balance.extra-query': {
    level: 'SHOULD',
    clause: 'position',
    sentence:
      'query parameters other than `sessionID` are accepted (if such a call is answered 401, `signature.query-canonical` judges it)',
    means: 'Players can be locked out on the day when the service adds a parameter to the balance call.',
    hint: 'Do not reject unknown names of parameters.',
  },
} as const satisfies Readonly<Record<`balance.${string}`, RuleEntry>>;
