import type { RuleEntry } from '../rule.ts';

export const moneyRules = {
  'money.decimal-string': {
    level: 'MUST',
    clause: 'What the service does 5',
    since: '1.7.2',
    sentence:
      '`balance` is a plain decimal in a JSON string, and not a number or a text with an exponent, a `+`, group separators or a currency mark',
    means: 'The game can misread the balance, and show the player a wrong amount or none.',
    hint: 'Write the balance as text such as "12.50". Check that your code does not give a number (float, decimal) to the JSON library, and does not format the amount for display, as in 1,234.50 €.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'money.main-unit': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 5',
    since: '1.7.2',
    sentence:
      'amounts are read in the main unit, so that a bet of `1.00` changes the balance by 1.00 and not by 100 or 0.01',
    means: 'Players are charged and paid a hundred times too much or too little.',
    hint: 'Look for a conversion to or from cents that is missing or done twice.',
  },
  'money.precision': {
    level: 'MUST',
    clause: 'What the service does 6',
    since: '1.8.2',
    sentence:
      'a balance has no more decimals than its currency: two at most, and none for JPY, KRW and VND (excess zeros are a warning)',
    means: 'Players see more decimals than their currency has, and the operator and the service get different sums.',
    hint: 'Format the balance by the decimals of the currency. Further decimals often come from floating-point sums.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'money.exact': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 5',
    since: '1.7.2',
    sentence:
      'amounts are added exactly, without the rounding errors of binary floating point, so that even the last smallest unit of an odd balance can be bet',
    means: "Players' balances become wrong by a cent, and the last coin of an account cannot be staked.",
    hint: 'Compute with whole numbers of the smallest unit (such as cents), or with a decimal type. Never parse amounts as floating-point numbers. In the database, use no FLOAT or DOUBLE column.',
  },
  'money.large': {
    level: 'SHOULD',
    money: true,
    clause: 'What the service does 5',
    since: '1.7.2',
    sentence: 'amounts above 2^53 times the smallest unit (such as cents) stay exact',
    means: 'Players with very large balances gain or lose small amounts with each bet and win.',
    hint: 'Look for amounts that pass through a double, for example in JavaScript or in a JSON number.',
  },
  'money.conservation': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 2',
    sentence:
      'the balance is always the balance at the start, minus the accepted bets, plus the accepted wins and the refunded bets, each counted once (reported only if no other rule explains the difference)',
    means: "Money comes into a player's account or leaves it without a bet, win or refund that would explain it.",
    hint: 'No single rule explains the difference. Compare the exchanges of the scenario one by one with the ledger of the wallet.',
  },
} as const satisfies Readonly<Record<`money.${string}`, RuleEntry>>;
