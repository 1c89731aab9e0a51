import type { RuleEntry } from '../rule.ts';

export const concurrencyRules = {
  'concurrency.no-lost-update': {
    level: 'MUST',
    money: true,
    clause: 'What the service does',
    sentence:
      'when bets and wins of one session arrive together, each one answered 200 has its effect exactly once, and each balance replied agrees with its own effect and with some of those that overlapped it',
    means:
      'When bets and wins arrive at the same moment, one of them can be lost: the player loses a win, or plays for free.',
    hint: 'Look for a balance that is read, changed in the program and written back. Use one atomic update or lock the row first.',
  },
  'concurrency.order': {
    level: 'NOTE',
    clause: 'What the service does',
    sentence: 'whether some one order of the calls explains all the balances that were replied',
    hint: 'Nothing needs fixing: the contract asks for exact effects, not for an order.',
  },
  'concurrency.no-overdraft': {
    level: 'MUST',
    money: true,
    clause: 'Rules 4',
    sentence:
      'of bets that arrive together and sum to more than the balance, those it accepts never sum to more than the balance',
    means:
      "A player who bets several times at the same moment can stake more than the account holds, at the operator's cost.",
    hint: 'Make the funds check and the debit one step: an update with a condition on the balance, or a row lock held over both.',
  },
} as const satisfies Readonly<Record<`concurrency.${string}`, RuleEntry>>;
