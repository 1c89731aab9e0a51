import type { RuleEntry } from '../rule.ts';

export const concurrencyRules = {
  'concurrency.no-lost-update': {
    level: 'MUST',
    money: true,
    clause: 'What the service does',
    sentence:
      'each bet or win that is answered 200 takes effect exactly once, even if several arrive together in one session (the balance in each reply must fit its own call and some of the overlapping calls)',
    means:
      'When bets and wins arrive at the same moment, one of them can be lost: the player loses a win, or plays for free.',
    hint: 'Look for a balance that is read, changed in the program and written back. Use one atomic update or lock the row first.',
  },
  'concurrency.order': {
    level: 'NOTE',
    clause: 'What the service does',
    sentence: 'whether there is an order of the calls in which every reply shows the right balance',
    hint: 'Nothing needs fixing: the contract asks for exact effects, not for an order.',
  },
  'concurrency.no-overdraft': {
    level: 'MUST',
    money: true,
    clause: 'Rules 4',
    sentence:
      'the accepted bets together are never more than the balance, even if several bets arrive at the same moment',
    means:
      "A player who bets several times at the same moment can stake more than the account holds, at the operator's cost.",
    hint: 'Check the balance and debit it in one step: use an update with a condition on the balance, or hold a row lock during both.',
  },
} as const satisfies Readonly<Record<`concurrency.${string}`, RuleEntry>>;
