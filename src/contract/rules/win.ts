import type { RuleEntry } from '../rule.ts';

export const winRules = {
  'win.credit': {
    level: 'MUST',
    money: true,
    clause: 'What the service does',
    sentence:
      'an accepted win raises the balance by exactly its amount, both in the reply and in the next balance read',
    means: 'A player is paid more or less than was won, or is shown a balance that the account does not hold.',
    hint: 'First commit the credit. Then read the balance from the same database, and reply with this value.',
  },
  'win.zero': {
    level: 'MUST',
    clause: 'States',
    sentence: 'a win of `0`, which ends a lost round, is answered 200 and does not change the balance',
    means: "A round that the player lost cannot be closed, or closing it moves the player's money.",
    hint: 'Look for code that requires amounts above zero, or that treats 0 as a missing value.',
  },
  'win.many-in-round': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence:
      'each win that is answered 200 is credited, even if several wins have the same `roundID` (declining the later wins is a warning)',
    means: 'A player who wins several times in one round is paid for only some of those wins.',
    hint: 'Look for a unique key or a search by `roundID` that treats a second win of the round as a repetition. Only `txID` identifies a win.',
  },
  'win.retried': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence:
      'a win is credited exactly once, even if its connection breaks and it is sent again until it is answered 200, and even if the first attempt is still being processed',
    means: 'A win whose connection broke can be paid twice, or never.',
    hint: 'Record the `txID` and credit the money in one transaction under a unique key. If a retry overtakes the first attempt, it then waits for the first attempt, or the key stops it.',
  },
  'win.failed-keeps-bet': {
    level: 'MUST',
    money: true,
    clause: 'States',
    sentence: 'a bet stays taken even if the win of its round fails',
    means:
      'When a win fails at first, the stake is given back, so the player gets the win later and has played for free.',
    hint: 'Look for code that cancels the round or pays the stake back when a win fails. It should leave the bet taken, because the service retries the win.',
  },
  'win.without-bet': {
    level: 'NOTE',
    clause: 'States',
    sentence: 'whether the operator credits a win whose round has no bet',
    hint: 'Nothing needs fixing: the service never sends such a win, and the contract does not say what happens.',
  },
  'win.after-refund': {
    level: 'NOTE',
    clause: 'States',
    sentence: 'how the operator handles a win in a round whose bet was refunded',
    hint: 'Nothing needs fixing: the contract does not describe this case.',
  },
} as const satisfies Readonly<Record<`win.${string}`, RuleEntry>>;
