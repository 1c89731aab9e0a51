import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { explainOddReply, type OddReply } from '../../../src/load/cause/odd-reply.ts';
import { transaction } from '../transaction.ts';

const win = transaction({ number: 9, call: 'win', amount: '2.00', sentAt: 400 });
/** The reply to a win shows 1.59 more than it must show. */
const odd: OddReply = {
  call: 'win',
  sessionID: 's-1',
  transaction: win,
  shown: Money.of('1000.45'),
  low: Money.of('998.86'),
  high: Money.of('998.86'),
  isExact: true,
  isWithin: false,
  at: 500,
};
const bet = transaction({ number: 3, amount: '1.59', copies: 2, sentAt: 100, isProcessedAgain: true });

it('a bet that took its amount only when it was sent again is named, and not the call whose reply showed this', () => {
  expect(explainOddReply(odd, [bet, win])).toMatchObject({
    rule: 'bet.debit',
    call: 'bet',
    transaction: bet,
    actual: 'it shows 1000.45, as if this bet of 1.59 had moved no money. It moved its amount when it was sent again',
  });
});

it.each([
  ['it was not processed again', { isProcessedAgain: false }],
  ['its amount is another one', { amount: '1.58' }],
  ['it was sent after the reply', { sentAt: 600 }],
  ['it was refunded', { state: 'reversed' }],
] as const)('a bet is not named if %s', (_, own) => {
  const other = transaction({ number: 3, amount: '1.59', copies: 2, sentAt: 100, isProcessedAgain: true, ...own });
  expect(explainOddReply(odd, [other, win])).toMatchObject({ rule: 'win.credit', call: 'win', transaction: win });
});
