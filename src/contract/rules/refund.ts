import { REPLY_DEADLINE_SECONDS } from '../limits.ts';
import type { RuleEntry } from '../rule.ts';

export const refundRules = {
  'refund.restore': {
    level: 'MUST',
    money: true,
    clause: 'What the service does',
    sentence: 'the refund of an accepted bet gives back exactly the amount of that bet',
    means: 'A player whose bet was cancelled gets back more or less than was staked.',
    hint: 'Find the bet by `origTxID` and credit what was really taken, in the same database transaction that marks the bet as refunded.',
  },
  'refund.unknown': {
    level: 'MUST',
    clause: 'Rules 3',
    sentence: 'a refund whose `origTxID` the operator has never seen is answered 200 with a valid body',
    means:
      'The service repeats a cancellation without end, because the operator answers that it does not know the bet.',
    hint: 'Answer 200 with `txID` and `balance` when the bet is not found. After a 404, the service sends the same refund again without end.',
  },
  'refund.unknown-pays-nothing': {
    level: 'MUST',
    money: true,
    clause: 'Rules 3',
    sentence: 'a refund whose `origTxID` the operator has never seen adds nothing to the balance',
    means: 'A player is given money for a bet that never reached the operator.',
    hint: 'Credit the amount of the stored bet, never the `amount` of the refund.',
  },
  'refund.declined-bet': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence: 'the refund of a bet that was declined is answered 200 and adds nothing to the balance',
    means: 'The player gets money for a declined bet, or the service repeats the cancellation without end.',
    hint: 'If you store declined bets too, check the state of the bet before you credit money: a declined bet took nothing. Answer 200, because the service may not have received the decline.',
  },
  'refund.without-round': {
    level: 'MUST',
    money: true,
    clause: 'Versioning 1.5.0',
    since: '1.5.0',
    sentence: 'a refund without a `roundID` has the same effect as a refund with one',
    means:
      'The player does not get a cancelled stake back if the cancellation does not contain the number of the round.',
    hint: 'Find the bet by `origTxID` alone, and make `roundID` optional in the schema of the request.',
  },
  'refund.broken-connection': {
    level: 'MUST',
    money: true,
    clause: 'Rules 3',
    sentence:
      'a bet leaves the balance as it was if the service drops the connection before the reply and then refunds the bet, even if the operator processes the bet after its refund',
    means: 'When the connection breaks during a bet, the player can lose the stake although the bet was cancelled.',
    hint: 'Remember the refund of an unknown bet under its `origTxID`, so that the bet takes nothing when it arrives late. Finish the work even if the client disconnects.',
  },
  'refund.after-error': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence: `the refund of a bet that was answered 500, or later than ${REPLY_DEADLINE_SECONDS} seconds, brings the balance back to its value before the bet (judged if such an answer happens, otherwise skipped)`,
    means: 'A player can lose the stake of a bet that ended in an error, although it was cancelled afterwards.',
    hint: 'If the bet ends in an error, undo the debit, or store it so that the refund finds it. A timeout must not leave a debit that the refund cannot find.',
  },
  'refund.retried': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence: 'a refund pays exactly once, even if its connection breaks and it is sent again until it is answered 200',
    means: 'A cancelled stake can be given back twice, or never, when the connection breaks during the cancellation.',
    hint: 'Record the `txID` of the refund and credit the money in one transaction under a unique key.',
  },
  'refund.one-of-many': {
    level: 'MUST',
    money: true,
    clause: 'Transaction fields, `origTxID`',
    sentence: 'refunding one of several bets of a round gives back only that bet',
    means:
      'When one of several bets is cancelled, the operator gives back another bet. So the player or the operator loses the difference.',
    hint: 'Find the bet by `origTxID`, not by `roundID`.',
  },
  'refund.once': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      'a further refund of the same bet, with a `txID` of its own, pays nothing, because nothing is left to reverse',
    means: 'A player can be given the same stake back several times.',
    hint: 'Mark the bet as refunded, and check this mark inside the database transaction that credits the money. Checking only the `txID` of the refund is not enough.',
  },
  'refund.before-bet': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      'a bet that arrives after its own refund leaves the balance as it was, whatever the status of the reply to the bet',
    means: 'A player is charged for a bet that arrives after its own cancellation, and the stake is never given back.',
    hint: 'If the bet of a refund is not known, store the `origTxID` of the refund. When a bet arrives, first check whether its `txID` is one of the stored `origTxID`s.',
  },
  'refund.foreign-session': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      "a refund in one player's session that names another player's bet adds nothing to the first player's balance (paying the owner of the bet is a warning)",
    means: "A player can be paid the stake of somebody else's bet.",
    hint: 'Find the bet by `origTxID` together with the player of the session.',
  },
  'refund.amount-mismatch': {
    level: 'NOTE',
    clause: 'Transaction fields',
    sentence:
      'how much a refund gives back if its `amount` differs from the amount of the bet (the service never sends such a refund)',
    hint: 'Nothing needs fixing. Giving back what the bet took is the safe choice.',
  },
  'refund.after-win': {
    level: 'NOTE',
    clause: 'States',
    sentence: 'how the operator handles the refund of a bet after a win has settled its round',
    hint: 'Nothing needs fixing: the contract does not describe this case.',
  },
  'refund.of-win': {
    level: 'NOTE',
    clause: 'States',
    sentence:
      'how the operator handles a refund that names a win instead of a bet (the service never sends such a refund)',
    hint: 'Nothing needs fixing: wins are never refunded. Ignoring it is the safe choice.',
  },
} as const satisfies Readonly<Record<`refund.${string}`, RuleEntry>>;
