import type { RuleEntry } from '../rule.ts';

export const freeRoundsRules = {
  'free-rounds.bet': {
    level: 'MUST',
    clause: 'Rules 5',
    sentence:
      'a bet of `type` `free` with the `frID` of a campaign that the operator knows is answered 200 (if the operator refuses a made-up `frID` of the test with a 4xx, the rule is skipped)',
    means: 'Players cannot use the free rounds that they were given.',
    hint: 'Allow `free` as the `type`, and allow the field `frID` in the schema of the bet. Find the campaign by its `frID`.',
  },
  'free-rounds.win': {
    level: 'MUST',
    clause: 'Rules 5',
    sentence: 'a win of `type` `free` with an `frID` is answered 200',
    means: 'The winnings of a free round are refused, so the player does not get them.',
    hint: 'Allow `free` as the `type`, and allow the field `frID` in the schema of the win.',
  },
  'free-rounds.replay': {
    level: 'MUST',
    money: true,
    clause: 'Rules 2',
    sentence: 'a free bet or free win that is sent again gets the same reply and has at most one effect',
    means: 'A free round or its win can count twice when the service sends the same call again.',
    hint: 'Check the `txID` of free bets and wins in the same way as for regular ones.',
  },
  'free-rounds.empty-wallet': {
    level: 'SHOULD',
    clause: 'position',
    sentence:
      'a free bet is accepted even if the balance is less than its amount, provided that free bets take no money',
    means: 'Players whose account is empty cannot play the free rounds that they were given.',
    hint: 'Do not compare the amount of a free bet with the balance, because the player does not pay for a free bet.',
  },
  'free-rounds.withdrawal': {
    level: 'NOTE',
    clause: 'position',
    sentence:
      'whether free winnings are paid only once: either with each free win, or with one win of `type` `regular` and an `frID` at the end',
    hint: 'Pay out free winnings either with each free win, or with the regular win at the end of the campaign, but never with both.',
  },
  'free-rounds.refund': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 2',
    sentence: 'the refund of a free bet gives back exactly what the bet took, which may be nothing',
    means:
      'When a free round is cancelled, the player can get money that was never staked, or can lose money that was staked.',
    hint: 'Credit what the stored bet really took instead of the `amount` of the request: a free bet may have taken nothing.',
  },
  'free-rounds.effect': {
    level: 'NOTE',
    clause: 'position',
    sentence: 'whether free bets and free wins change the balance, and by how much',
    hint: 'Nothing needs fixing: the published texts say different things about this.',
  },
} as const satisfies Readonly<Record<`free-rounds.${string}`, RuleEntry>>;
