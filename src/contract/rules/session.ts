import type { RuleEntry } from '../rule.ts';

export const sessionRules = {
  'session.unknown': {
    level: 'SHOULD',
    clause: 'position',
    sentence:
      'a balance, bet or win call with a `sessionID` that the operator never issued is answered with a 4xx and a `message` (a refund may also be answered 200)',
    means: 'Calls for a session that no player ever had are carried out, or end in a crash, instead of being declined.',
    hint: 'Look for code that throws an unhandled error (a 500) for an unknown session, or that creates such a session instead of declining the call.',
    endpoints: ['balance', 'bet', 'win'],
  },
  'session.isolated': {
    level: 'MUST',
    money: true,
    clause: 'Identifiers',
    sentence: "a call in one player's session never changes another player's balance",
    means: "The bets and wins of one player change another player's money.",
    hint: 'Check how your code finds the wallet. It must not use something that several players share, such as the client, the currency, the round, or a cached connection.',
  },
  'session.expired-settles': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence: 'the win or the refund of a round that began in time is accepted even after the session has expired',
    means: 'If a session expires during a round, the player is not paid the win, or does not get the stake back.',
    hint: 'Only for a bet, check whether the session has expired. The service retries wins and refunds long after the player has left.',
  },
  'session.round-id-reuse': {
    level: 'MUST',
    clause: 'Transaction fields',
    sentence:
      'a `roundID` that is used again in a session of another game causes no conflict (needs two sessions whose games are known to be different)',
    means: 'A player cannot play because another game happens to use the same number for a round.',
    hint: 'Look for a unique key on `roundID` alone: it is unique within one game only.',
  },
} as const satisfies Readonly<Record<`session.${string}`, RuleEntry>>;
