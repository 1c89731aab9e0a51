import { TX_ID_WINDOW_MONTHS } from '../limits.ts';
import type { RuleEntry } from '../rule.ts';

export const idempotencyRules = {
  'idempotency.bet': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a bet sent a second time, right away or after other transactions, is answered 200 with the operator's first `txID` and takes no more money",
    means:
      'A player can be charged twice for one bet, or a bet that was charged looks declined, when it reaches the operator again.',
    hint: 'Store the reply under the `txID` with a unique key, in the transaction that debits, and return the stored reply when the `txID` comes again.',
  },
  'idempotency.win': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a win sent a second time, right away or after other transactions, is answered 200 with the operator's first `txID` and credits no more money",
    means: 'A player can be paid twice for one win, or the service goes on sending a win that was paid long ago.',
    hint: 'Store the reply under the `txID` with a unique key, in the transaction that credits, and return the stored reply when the `txID` comes again.',
  },
  'idempotency.refund': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence:
      "a refund sent a second time is answered 200 with the operator's first `txID` and pays no more money; that of an unknown transaction is answered 200 and pays none",
    means:
      'A player can be given one cancelled stake twice, or the service goes on repeating a cancellation that is done.',
    hint: 'Store the reply under the `txID` of the refund, for refunds of unknown bets as well, and return it when that `txID` comes again.',
  },
  'idempotency.same-reply': {
    level: 'SHOULD',
    clause: 'Rules 2',
    sentence:
      'the answer to a repeated call has the `txID` and the `balance` (compared as a number) of the first answer, even when other transactions lie between (many give the current balance instead)',
    means:
      'The balance that a player sees can jump when a message is repeated, because the answer differs from the first one.',
    hint: 'Store the balance of the reply together with the transaction, and return that instead of reading the balance again.',
  },
  'idempotency.concurrent': {
    level: 'MUST',
    money: true,
    clause: 'Limits, `txID`',
    since: '1.5.0',
    sentence: 'one `txID` that arrives many times at the same moment has one effect',
    means:
      'A player can be charged or paid several times for one action when its message arrives several times at once.',
    hint: 'A look-up before the insert is not enough: let a unique key on `txID` in the same database transaction decide, and give the loser the reply of the winner.',
  },
  'idempotency.declined-bet': {
    level: 'NOTE',
    clause: 'Rules 2',
    sentence:
      'what a bet that was declined for lack of money does when it comes again and the money is there (the service does not retry bets)',
    hint: 'Nothing needs fixing: the contract does not say whether a declined `txID` is used up.',
  },
  'idempotency.after-refund': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence: 'a bet that was refunded and is then sent again takes nothing',
    means: 'A player can be charged again for a bet that was cancelled and given back.',
    hint: 'Keep the record of a bet when it is reversed. Without the record, the bet looks new when it comes again.',
  },
  'idempotency.conflicting-body': {
    level: 'MUST',
    money: true,
    clause: 'Transaction fields, `txID`',
    sentence:
      'a `txID` that was processed already moves no money when it comes again with a different amount, whatever the status',
    means:
      'A player can be charged or paid once more when a bet or win that is already booked comes again with another amount.',
    hint: 'Look transactions up by `txID` alone, not by a hash of the body or by `txID` and amount together.',
  },
  'idempotency.across-calls': {
    level: 'NOTE',
    clause: 'Transaction fields',
    sentence: 'what a win does that comes with the `txID` of a bet',
    hint: 'Nothing needs fixing: the service makes each `txID` unique over all calls.',
  },
  'idempotency.durable': {
    level: 'MUST',
    money: true,
    clause: 'Limits, `txID`',
    since: '1.5.0',
    sentence: `a transaction less than ${TX_ID_WINDOW_MONTHS} months old, from the beginning of this run or from an earlier one (before a restart, a deploy, many others), has no further effect when it is sent again`,
    means: 'Old bets and wins can be charged or paid once more when they come again after a restart or after a while.',
    hint: `Keep processed \`txID\`s in the database, for ${TX_ID_WINDOW_MONTHS} months at least, and not in memory or in a cache that forgets.`,
  },
} as const satisfies Readonly<Record<`idempotency.${string}`, RuleEntry>>;
