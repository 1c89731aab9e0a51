import { describe, expect, it } from 'vitest';
import { type Books, computeBooks } from '../../../src/traffic/books/wallet-books.ts';
import { MAX_WORLDS } from '../../../src/traffic/books/worlds.ts';
import { Log } from '../timeline/calls.ts';

const booksOf = (log: Log): Books => computeBooks(log.timeline().calls);
const balances = ({ worlds }: Books): string[] => [...new Set(worlds.map(({ balance }) => balance.toString()))].sort();
const found = ({ deviations }: Books): readonly string[] =>
  deviations.map(
    ({ call, by, causes, fixedBy }) =>
      `call ${call.number} off by ${by}: ${causes.map(({ rule }) => rule).join('+') || 'unexplained'}${fixedBy === null ? '' : `, fixed by call ${fixedBy}`}`,
  );

describe('the books of a wallet', () => {
  it('start at the first balance that was answered, whatever came before it', () => {
    const books = booksOf(new Log().bet('a', '3.00', { none: 'reset' }).balance('50.00').bet('b', '5.00', {}));
    expect([books.isAnchored, books.firstSaid?.call.number, balances(books)]).toEqual([true, 2, ['45']]);
  });

  it('count from zero if no balance was answered', () => {
    const books = booksOf(new Log().bet('b', '5.00', { txID: 'x' }));
    expect([books.isAnchored, books.lastSaid, balances(books)]).toEqual([false, null, ['-5']]);
  });

  it('keep only the worlds that an answered balance allows', () => {
    const open = new Log().balance('50.00').bet('b', '5.00', { none: 'reset' });
    expect(balances(booksOf(open))).toEqual(['45', '50']);
    expect(balances(booksOf(open.balance('45.00')))).toEqual(['45']);
  });

  it('accept a debit that comes late, after a read that did not show it', () => {
    const log = new Log().balance('50.00').bet('b', '5.00', { none: 'reset' }).balance('50.00').balance('45.00');
    const books = booksOf(log);
    expect([found(books), balances(books)]).toEqual([[], ['45']]);
  });

  it('report a debit that comes after the refund was answered 200, and its correction', () => {
    const log = new Log()
      .balance('50.00')
      .bet('b', '5.00', { none: 'reset' })
      .refund('r', 'b', '5.00', {})
      .balance('45.00')
      .balance('50.00');
    expect(found(booksOf(log))).toEqual(['call 4 off by -5: refund.broken-connection, fixed by call 5']);
  });

  it('use the balance in the reply to a refund if the late reply to the bet shows that the bet was taken', () => {
    const late = new Log().balance('50.00').bet('b', '5.00', { balance: '45.00', tookMs: 6000, at: 2 });
    const books = booksOf(
      late
        .refund('r', 'b', '5.00', { balance: '50.00', at: 10 })
        .refund('s', 'b', '5.00', { balance: '55.00', at: 12 }),
    );
    expect([found(books), books.lastSaid?.call.number]).toEqual([['call 4 off by 5: refund.once'], 4]);
  });

  it('are unknown if the reply to the refund of a bet with an unknown outcome has a balance that the calls do not explain', () => {
    const refunded = (balance: string) =>
      new Log().balance('50.00').bet('b', '5.00', { none: 'reset' }).refund('r', 'b', '5.00', { balance });
    expect(booksOf(refunded('55.00')).unknown).toMatch(/^the reply to a refund \(call 3\) names a balance of 55\.00,/);
    // An operator that does not know the bet may answer with a balance of 0.
    expect(['0', '0.00', '50.00'].map((balance) => booksOf(refunded(balance)).unknown)).toEqual([null, null, null]);
    expect(booksOf(refunded('45.00').balance('50.00')).unknown).toBeNull();
  });

  it('report a wrong balance once and go on from it', () => {
    const log = new Log().balance('50.00').bet('b', '5.00', { balance: '50.00' }).balance('50.00').win('w', '1.00', {
      balance: '51.00',
    });
    const books = booksOf(log);
    expect([found(books), balances(books)]).toEqual([['call 2 off by 5: bet.debit'], ['51']]);
  });

  it('report a balance that no fault explains, without a cause', () => {
    expect(found(booksOf(new Log().balance('50.00').bet('b', '5.00', { balance: '17.31' })))).toEqual([
      'call 2 off by -27.69: unexplained',
    ]);
  });

  it('are unknown if an amount is missing, or if too many calls have no known outcome', () => {
    expect(booksOf(new Log().balance('50.00').bet('b', 'five', {})).unknown).toContain('amount of the bet (call 2)');
    const log = new Log().balance('50.00');
    for (let bet = 0; 2 ** bet <= MAX_WORLDS; bet += 1) log.bet(`b${bet}`, `${2 ** bet}.00`, { none: 'reset' });
    expect(booksOf(log).unknown).toBe('too many calls have no known outcome, so their effects cannot be distinguished');
  });
});
