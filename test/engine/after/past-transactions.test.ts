import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import type { PastCall } from '../../../src/engine/after/past-call.ts';
import { type PastTransaction, PastTransactions } from '../../../src/engine/after/past-transactions.ts';
import { BalanceEstimate } from '../../../src/engine/balances/balance-estimate.ts';
import type { Sending } from '../../../src/journal/event.ts';
import type { Answer } from '../../../src/reply/classify.ts';
import { type ReplyReading, readReply } from '../../../src/reply/read.ts';

const SENDING = { scenario: 'one', purpose: 'step' } as Sending;

function reading(status: number): ReplyReading {
  const body = { encoding: 'utf8', data: '{}', length: 2, truncated: false } as const;
  return readReply({ status, headers: [], body });
}

/** The transactions of two wallets, each opened with 100. */
class History {
  readonly estimates = new Map(
    ['mine', 'other'].map((id) => [id, new BalanceEstimate(id, `session of ${id}`, Money.of('100'))] as const),
  );
  readonly transactions = new PastTransactions((walletID) => this.estimates.get(walletID));

  send(call: 'bet' | 'win' | 'refund', txID: string, amount: string, more: Partial<PastCall> = {}, wallet = 'mine') {
    const fields = { roundID: 'round', origTxID: null, free: false, campaign: false, body: `body of ${txID}` };
    const past = { call, txID, sessionID: 's', amount: Money.of(amount), amountText: amount, ...fields, ...more };
    return this.transactions.sent(past, wallet, SENDING);
  }

  answer(transaction: PastTransaction, answer: Answer, status?: number): PastTransaction {
    this.transactions.answered(transaction, answer, status === undefined ? undefined : reading(status));
    return transaction;
  }

  accepted(...args: Parameters<History['send']>): PastTransaction {
    return this.answer(this.send(...args), 'accepted', 200);
  }

  balances(wallet = 'mine'): number[] {
    return (this.estimates.get(wallet)?.possible() ?? []).map(Number);
  }
}

describe('an accepted transaction of an earlier run', () => {
  it('changes the balance by its amount, and keeps its reply and its effect', () => {
    const history = new History();
    const bet = history.accepted('bet', 'b', '7');
    const win = history.accepted('win', 'w', '3');
    expect(history.balances()).toEqual([96]);
    expect(
      [bet, win].map(({ state, open, reply, effect }) => [state, open, reply?.status, effect?.toString()]),
    ).toEqual([
      ['applied', false, 200, '-7'],
      ['applied', false, 200, '3'],
    ]);
  });

  it('has no known effect if it is a free bet or a win without a bet', () => {
    const history = new History();
    const free = history.accepted('bet', 'b', '7', { free: true });
    const win = history.accepted('win', 'w', '3', { roundID: 'no such round' });
    expect([free.effect, win.effect]).toEqual([undefined, undefined]);
    expect(new Set(history.balances())).toEqual(new Set([100, 93, 103, 96]));
  });

  it('does not change the balance again when it is answered 200 again', () => {
    const history = new History();
    history.answer(history.accepted('bet', 'b', '7'), 'accepted', 200);
    expect(history.balances()).toEqual([93]);
  });
});

describe('a transaction without a known outcome', () => {
  it.each<[Answer, number | undefined]>([
    ['failed', 500],
    ['late', undefined],
    ['broken', undefined],
    ['lost', undefined],
    ['declined', 503],
    ['declined', 409],
  ])('is open after a bet was answered "%s" (%s), and settled by 200', (answer, status) => {
    const history = new History();
    const bet = history.answer(history.send('bet', 'b', '7'), answer, status);
    expect([bet.state, bet.open, history.balances()]).toEqual(['unknown', true, [100, 93]]);
    history.answer(bet, 'accepted', 200);
    expect([bet.state, bet.open, history.balances()]).toEqual(['applied', false, [93]]);
  });

  it('is never a bet that was declined for good, nor a bet that was refused', () => {
    const history = new History();
    const declined = history.answer(history.send('bet', 'a', '7'), 'declined', 402);
    const refused = history.answer(history.send('bet', 'b', '7'), 'refused', 401);
    expect([declined, refused].map(({ state, open }) => [state, open])).toEqual([
      ['none', false],
      ['refused', false],
    ]);
    expect(history.balances()).toEqual([100]);
  });

  it('can be a declined win of an accepted bet, but not a declined win without a bet', () => {
    const history = new History();
    history.accepted('bet', 'b', '7');
    const win = history.answer(history.send('win', 'w', '3'), 'declined', 404);
    const stray = history.answer(history.send('win', 'x', '50', { roundID: 'no such round' }), 'declined', 404);
    expect([win.open, stray.open, history.balances()]).toEqual([true, false, [93, 96]]);
  });

  it('may still move nothing when it is sent again and answered 200, if the operator decides whether its money moves', () => {
    const history = new History();
    history.accepted('bet', 'b', '7', { free: true });
    const free = history.send('win', 'w', '3', { free: true });
    const alone = history.send('win', 'a', '20', { roundID: 'no such round' });
    for (const win of [free, alone])
      history.answer(history.answer(history.answer(win, 'lost'), 'failed', 500), 'accepted', 200);
    expect([free.state, free.open, alone.state, alone.open]).toEqual(['applied', false, 'applied', false]);
    expect(new Set(history.balances())).toEqual(new Set([100, 93, 103, 96, 120, 113, 123, 116]));
  });

  it('counts as never sent when its refund is answered 200', () => {
    const history = new History();
    const bet = history.answer(history.send('bet', 'b', '7'), 'lost');
    history.accepted('refund', 'r', '7', { origTxID: 'b' });
    expect([bet.state, bet.open, history.balances()]).toEqual(['reversed', false, [100]]);
  });

  it('is reversed by a second 200 to a refund that was answered before the bet arrived', () => {
    const history = new History();
    const refund = history.accepted('refund', 'r', '7', { origTxID: 'b' }, 'other');
    const bet = history.answer(history.send('bet', 'b', '7'), 'lost');
    history.answer(refund, 'accepted', 200);
    expect([bet.state, history.balances()]).toEqual(['reversed', [100]]);
  });
});

describe('a refund', () => {
  it('gives an accepted bet back once, even if it is answered 200 twice and sent twice', () => {
    const history = new History();
    const bet = history.accepted('bet', 'b', '7');
    const refund = history.accepted('refund', 'r', '7', { origTxID: 'b' });
    history.answer(refund, 'accepted', 200);
    history.accepted('refund', 'another', '7', { origTxID: 'b' });
    expect([bet.state, refund.effect?.toString(), history.balances()]).toEqual(['reversed', '7', [100]]);
    expect(history.transactions.refundOf(bet)).toBe(refund);
  });

  it('is open until it is answered 200, and then settles its bet', () => {
    const history = new History();
    const bet = history.accepted('bet', 'b', '7');
    const refund = history.answer(history.send('refund', 'r', '7', { origTxID: 'b' }), 'failed', 500);
    expect([refund.open, history.balances()]).toEqual([true, [93, 100]]);
    history.answer(refund, 'accepted', 200);
    expect([refund.open, bet.state, history.balances()]).toEqual([false, 'reversed', [100]]);
  });

  it('has nothing to give back if it failed and its bet was declined', () => {
    const history = new History();
    history.answer(history.send('bet', 'b', '7'), 'declined', 402);
    const refund = history.answer(history.send('refund', 'r', '7', { origTxID: 'b' }), 'failed', 500);
    expect([refund.state, refund.open, history.balances()]).toEqual(['unknown', false, [100]]);
  });

  it('may give nothing back in a round with a win, or from the session of another wallet', () => {
    const won = new History();
    won.accepted('bet', 'b', '7');
    won.accepted('win', 'w', '3');
    won.accepted('refund', 'r', '7', { origTxID: 'b' });
    expect(won.balances()).toEqual([96, 103]);
    const foreign = new History();
    foreign.accepted('bet', 'b', '7');
    foreign.accepted('refund', 'r', '7', { origTxID: 'b' }, 'other');
    expect([foreign.balances(), foreign.balances('other')]).toEqual([[93, 100], [100]]);
  });

  it('that was answered 200 before its bet prevents the bet from taking money', () => {
    const history = new History();
    history.accepted('refund', 'r', '7', { origTxID: 'b' });
    const bet = history.accepted('bet', 'b', '7');
    expect([bet.state, history.balances()]).toEqual(['reversed', [100]]);
  });
});

it('a transaction is open again when the journal says that it is owed, unless it was reversed', () => {
  const history = new History();
  const bet = history.accepted('bet', 'b', '7');
  const owed = {
    event: 'owed',
    scenario: 'one',
    call: 'refund',
    sessionID: 's',
    txID: 'b',
    open: true,
    fields: {},
  } as const;
  history.transactions.owed(owed);
  expect([bet.open, bet.announced]).toEqual([true, true]);
  history.accepted('refund', 'r', '7', { origTxID: 'b' });
  history.transactions.owed(owed);
  expect([bet.state, bet.open]).toEqual(['reversed', false]);
});

describe('several refunds of one bet without a known outcome', () => {
  it('give the bet back once when all of them are answered 200 later', () => {
    const history = new History();
    history.accepted('bet', 'b', '7');
    const refunds = ['r1', 'r2', 'r3'].map((txID) =>
      history.answer(history.send('refund', txID, '7', { origTxID: 'b' }), 'lost'),
    );
    for (const refund of refunds) history.answer(refund, 'accepted', 200);
    expect(history.balances()).toEqual([100]);
  });
});

describe('the open rounds of an earlier run', () => {
  const openRounds = ({ transactions }: History): readonly string[] =>
    transactions.openRounds().map(({ call }) => call.txID);

  it('have an accepted bet and no win', () => {
    const history = new History();
    history.accepted('bet', 'b1', '7', { roundID: 'one' });
    history.accepted('bet', 'b2', '7', { roundID: 'two' });
    history.accepted('bet', 'b3', '7', { roundID: 'two' });
    history.accepted('win', 'w1', '0', { roundID: 'one' });
    expect(openRounds(history)).toEqual(['b2']);
  });

  it('are no rounds whose bet was refunded, at the first or at a later attempt', () => {
    const history = new History();
    history.accepted('bet', 'b1', '7', { roundID: 'one' });
    history.accepted('refund', 'r1', '7', { roundID: 'one', origTxID: 'b1' });
    history.accepted('bet', 'b2', '7', { roundID: 'two' });
    const lost = history.answer(history.send('refund', 'r2', '7', { roundID: 'two', origTxID: 'b2' }), 'lost');
    history.answer(lost, 'accepted', 200);
    expect(openRounds(history)).toEqual([]);
  });

  it('are no rounds with a call that must still be sent again, and no free rounds', () => {
    const history = new History();
    history.accepted('bet', 'b1', '7', { roundID: 'one' });
    history.answer(history.send('win', 'w1', '9', { roundID: 'one' }), 'lost');
    history.accepted('bet', 'b2', '7', { roundID: 'two', free: true });
    expect(openRounds(history)).toEqual([]);
  });
});
