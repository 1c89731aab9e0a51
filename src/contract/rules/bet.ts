import type { RuleEntry } from '../rule.ts';

export const betRules = {
  'bet.debit': {
    level: 'MUST',
    money: true,
    clause: 'What the service does',
    sentence:
      'an accepted bet lowers the balance by exactly its amount, both in the reply and in the next balance read',
    means: 'A player is charged more or less than was staked, or is shown a balance that is not the real one.',
    hint: 'First commit the debit. Then read the balance from the same database (not from a cache or a read replica), and reply with this value.',
  },
  'bet.decimal-amount': {
    level: 'MUST',
    clause: 'Versioning 1.2.11',
    since: '1.2.11',
    sentence: 'a bet with as many decimals as the currency has is accepted, and exactly its amount is taken',
    means: 'A player who stakes 0.50 cannot play, or is charged another amount.',
    hint: 'Look for code that parses the amount as a whole number, for a validation pattern that allows no decimals, or for rounding before the debit.',
  },
  'bet.insufficient-funds': {
    level: 'MUST',
    clause: 'Rules 4',
    sentence:
      'a bet of more than the balance is answered with an error whose `code` is `insufficient_funds` (a status of 500 is a warning, because the service then sends a refund)',
    means:
      'A player with too little money does not learn the reason, because the game only reports a failure. Or the game accepts the bet.',
    hint: 'Check the balance before the debit, in the same transaction, and answer a 4xx with `"code": "insufficient_funds"` if the balance is too low. Do not throw an error, because it becomes a 500. If accounts have a credit line, set `credit: true` in croupier.yaml.',
  },
  'bet.declined-takes-nothing': {
    level: 'MUST',
    money: true,
    clause: 'Errors, reverse calls',
    sentence:
      'a bet that is answered with a status other than 200 or 500 takes no money, because the service never refunds such a bet',
    means: 'The game says that the bet was declined, but the player loses the stake, and it is never given back.',
    hint: 'Take the money in the last step, and undo the debit if anything fails after it. The service never sends a refund after such an error.',
  },
  'bet.exact-balance': {
    level: 'MUST',
    clause: 'Rules 4',
    sentence: 'a bet of the whole balance is accepted and leaves a balance of zero',
    means: 'A player cannot stake the last of the money in the account.',
    hint: 'Look at the check that compares the amount with the balance. It may have `<` in place of `<=`, or compare floating-point numbers.',
  },
  'bet.many-in-round': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence:
      'each bet that is answered 200 is taken, even if several bets with the same `roundID` come before any win (declining the later bets is a warning)',
    means: 'In a round of several bets, some are not charged, so the operator pays wins on stakes that it never took.',
    hint: 'Look for a unique key or a search by `roundID` that treats a second bet of the round as a repetition. Only `txID` identifies a bet.',
  },
  'bet.zero': {
    level: 'NOTE',
    clause: 'Transaction fields',
    sentence: 'how the operator handles a bet of `0`',
    hint: 'Nothing needs fixing: the contract does not say whether a bet of 0 is accepted.',
  },
} as const satisfies Readonly<Record<`bet.${string}`, RuleEntry>>;
