import type { RuleEntry } from '../rule.ts';

export const freeRoundsRules = {
  'free-rounds.bet': {
    level: 'MUST',
    clause: 'Rules 5',
    sentence:
      'a bet of `type` `free` with the `frID` of a campaign known to the operator is answered 200 (an `frID` invented for the test that is refused with a 4xx: skip)',
    means: 'Players cannot use the free rounds that they were given.',
    hint: 'Let `type` be `free` and accept `frID` in the schema of the bet. Look the campaign up by its identifier.',
  },
  'free-rounds.win': {
    level: 'MUST',
    clause: 'Rules 5',
    sentence: 'a win of `type` `free` with an `frID` is answered 200',
    means: 'The winnings of a free round are refused, so the player does not get them.',
    hint: 'Let `type` be `free` and accept `frID` in the schema of the win.',
  },
  'free-rounds.replay': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence: 'free bets and free wins that are sent again get the same answer and have one effect at most',
    means: 'A free round or its win can count twice when the service sends the same call again.',
    hint: 'Send free actions through the same `txID` check as regular ones.',
  },
  'free-rounds.empty-wallet': {
    level: 'SHOULD',
    clause: 'Rules 5',
    sentence: 'if free bets take nothing, one is accepted even if the balance is less than its amount',
    means: 'Players whose account is empty cannot play the free rounds that they were given.',
    hint: 'Leave out the funds check for free bets: the player does not pay for them.',
  },
  'free-rounds.withdrawal': {
    level: 'SHOULD',
    money: true,
    clause: 'position',
    sentence:
      'a win of `type` `regular` with an `frID`, which pays out the bonus, is credited once, and not in addition to free wins that were credited before',
    means: "The winnings of a player's free rounds can be paid out twice, or not at all.",
    hint: 'Decide in one place when free winnings become money: with each free win, or with the withdrawal at the end, never with both.',
  },
  'free-rounds.refund': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 2',
    sentence: 'refunding a free bet returns exactly what that bet had taken, which may be nothing',
    means: 'Cancelling a free round can hand the player money that was never staked, or keep money that was.',
    hint: 'Credit what the stored bet really took instead of the `amount` of the request: a free bet may have taken nothing.',
  },
  'free-rounds.effect': {
    level: 'NOTE',
    clause: 'position',
    sentence: 'whether and by how much free bets and free wins move the balance',
    hint: 'Nothing needs fixing: published texts disagree on it.',
  },
} as const satisfies Readonly<Record<`free-rounds.${string}`, RuleEntry>>;
