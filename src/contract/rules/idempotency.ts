import { TX_ID_WINDOW_MONTHS } from '../limits.ts';
import type { RuleEntry } from '../rule.ts';

export const idempotencyRules = {
  'idempotency.bet': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a bet that is sent again, at once or after other transactions, is answered 200 with the operator's first `txID` and takes no more money",
    means:
      'A player can be charged twice for a bet that arrives twice, or the bet can look declined although the player was charged.',
    hint: 'Store the reply under the `txID` with a unique key, in the same database transaction as the debit, and return the stored reply when the `txID` comes again.',
  },
  'idempotency.win': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a win that is sent again, at once or after other transactions, is answered 200 with the operator's first `txID` and credits no more money",
    means: 'A player can be paid twice for one win, or the service keeps sending a win that was paid long ago.',
    hint: 'Store the reply under the `txID` with a unique key, in the same database transaction as the credit, and return the stored reply when the `txID` comes again.',
  },
  'idempotency.refund': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a refund that is sent again is answered 200 with the operator's first `txID` and pays no more money (if its transaction is unknown, the refund is answered 200 and pays nothing)",
    means:
      'A player can get one cancelled stake back twice, or the service keeps repeating a cancellation that is already done.',
    hint: 'Store the reply under the `txID` of the refund, for refunds of unknown bets as well, and return it when that `txID` comes again.',
  },
  'idempotency.same-reply': {
    level: 'SHOULD',
    clause: 'Rules 2',
    sentence:
      'the reply to a repeated call has the same `txID` and, as a number, the same `balance` as the first reply, even if other transactions came in between (many operators return the current balance instead)',
    means:
      'When a message is repeated, the player can suddenly see another balance, because the second reply has another balance.',
    hint: 'Store the balance of the reply together with the transaction, and return this balance instead of reading the balance again.',
  },
  'idempotency.concurrent': {
    level: 'MUST',
    money: true,
    clause: 'Limits, `txID`',
    sentence: 'a `txID` that arrives several times at the same moment has only one effect',
    means:
      'A player can be charged or paid several times for one action when its message arrives several times at once.',
    hint: 'A look-up before the insert is not enough: let a unique key on `txID` in the same database transaction decide, and give each later copy the reply of the first.',
  },
  'idempotency.declined-bet': {
    level: 'NOTE',
    clause: 'Rules 2',
    sentence:
      'how the operator handles a bet that was declined for lack of money and is sent again when the balance is high enough (the service does not retry bets)',
    hint: 'Nothing needs fixing: the contract does not say whether a declined `txID` is used up.',
  },
  'idempotency.after-refund': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence: 'a refunded bet that is sent again takes no money',
    means: 'A player can be charged again for a bet that was cancelled and given back.',
    hint: 'Keep the record of a bet when you refund the bet. Without the record, the bet looks new when it comes again.',
  },
  'idempotency.conflicting-body': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      'a processed `txID` that is sent again with another amount, or in another session of the player, moves no money, whatever the status of the reply',
    means:
      'A player can be charged or paid again when a booked bet or win comes again with another amount or in another session.',
    hint: 'Find transactions by `txID` alone, not by a hash of the body, and not by `txID` together with the amount or the session.',
  },
  'idempotency.across-calls': {
    level: 'NOTE',
    clause: 'Transaction fields',
    sentence: 'how the operator handles a win with the `txID` of a bet',
    hint: 'Nothing needs fixing: the service makes each `txID` unique over all calls.',
  },
  'idempotency.durable': {
    level: 'MUST',
    money: true,
    clause: 'Limits, `txID`',
    sentence: `a transaction less than ${TX_ID_WINDOW_MONTHS} months old has no further effect when it is sent again, also after a restart, after a deploy, after many other transactions or in a later run`,
    means: 'Old bets and wins can be charged or paid once more when they come again after a restart or after a while.',
    hint: `Keep processed \`txID\`s in the database, for ${TX_ID_WINDOW_MONTHS} months at least, and not only in memory or in a cache that deletes old entries.`,
  },
} as const satisfies Readonly<Record<`idempotency.${string}`, RuleEntry>>;
