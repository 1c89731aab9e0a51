import { describe, expect, it } from 'vitest';
import { Log } from './calls.ts';

/** Each breach as "call rule verdict". */
const breaches = (log: Log): readonly string[] =>
  log.timeline().breaches.map(({ call, rule, verdict }) => `${call} ${rule} ${verdict}`);

describe('a repeated call', () => {
  const first = (): Log => new Log().balance('50.00').bet('b', '5.00', { balance: '45.00' });

  it('breaks no rule if it is answered with the same reply', () => {
    expect(breaches(first().bet('b', '5.00', { balance: '45.00' }))).toEqual([]);
  });

  it('must be answered 200', () => {
    expect(breaches(first().bet('b', '5.00', { status: 409 }))).toContain('3 idempotency.bet fail');
  });

  it('must be answered with the same txID', () => {
    expect(breaches(first().bet('b', '5.00', { balance: '45.00', txID: 'another' }))).toEqual([
      '3 idempotency.bet fail',
    ]);
  });

  it('is only a warning if it is answered with another balance', () => {
    expect(breaches(first().bet('b', '5.00', { balance: '44.00' }))).toEqual(['3 idempotency.same-reply warn']);
  });

  it('is a warning if it has another amount and is accepted', () => {
    expect(breaches(first().bet('b', '7.00', { balance: '45.00' }))).toEqual(['3 idempotency.conflicting-body warn']);
  });
});

describe('a refund that is not answered 200', () => {
  it('breaks refund.restore if its bet was accepted, and refund.unknown if its bet is not known', () => {
    const known = new Log().bet('b', '5.00', { balance: '45.00' }).refund('r', 'b', '5.00', { status: 404 });
    expect(breaches(known)).toContain('2 refund.restore fail');
    expect(breaches(new Log().refund('r', 'b', '5.00', { status: 404 }))).toContain('1 refund.unknown fail');
  });
});

describe('an error that is wrong for its call', () => {
  it('is a 500 with the code of a balance that is too low, as a warning', () => {
    const log = new Log().bet('b', '5.00', { status: 500, code: 'insufficient_funds' });
    expect(breaches(log)).toContain('1 bet.insufficient-funds warn');
  });

  it('is an error on reading the balance, unless it has a published code', () => {
    expect(breaches(new Log().balance('', { status: 500 }))).toContain('1 balance.read fail');
    expect(breaches(new Log().balance('', { status: 403, code: 'account_blocked' }))).not.toContain(
      '1 balance.read fail',
    );
  });
});

describe('the deadline', () => {
  it('is broken by a reply that comes after five seconds, and by no reply within them', () => {
    expect(breaches(new Log().bet('b', '5.00', { balance: '45.00', tookMs: 5001 }))).toEqual(['1 reply.deadline fail']);
    expect(breaches(new Log().bet('b', '5.00', { none: 'too-late', tookMs: 5000 }))).toEqual(['1 reply.deadline fail']);
    expect(breaches(new Log().bet('b', '5.00', { balance: '45.00', tookMs: 4999 }))).toEqual([]);
  });

  it('is not judged if the service stopped waiting earlier', () => {
    expect(breaches(new Log().bet('b', '5.00', { none: 'too-late', tookMs: 2001 }))).toEqual([]);
    expect(breaches(new Log().bet('b', '5.00', { status: 499, tookMs: 2001 }))).toEqual([]);
    expect(breaches(new Log().bet('b', '5.00', { none: 'too-late', tookMs: 4950 }))).toEqual(['1 reply.deadline fail']);
  });

  it('is not judged if the connection broke or was never opened', () => {
    for (const none of ['reset', 'refused'] as const) {
      expect(breaches(new Log().bet('b', '5.00', { none }))).toEqual([]);
    }
  });
});

describe('a bet of exactly the balance that is declined with insufficient_funds', () => {
  const declined = (amount: string, after: string): Log =>
    new Log().balance('50.00').bet('b', amount, { status: 402, code: 'insufficient_funds' }).balance(after);

  it('breaks a rule if the balance is the same before and after it', () => {
    expect(breaches(declined('50.00', '50.00'))).toEqual(['2 bet.exact-balance fail']);
  });

  it('breaks no rule if the balance has changed, or if the bet is higher', () => {
    expect(breaches(declined('50.00', '20.00'))).toEqual([]);
    expect(breaches(declined('50.01', '50.00'))).toEqual([]);
  });
});
