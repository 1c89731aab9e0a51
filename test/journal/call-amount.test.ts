import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import { amountOf, amountTextOf, readAmount } from '../../src/journal/call-amount.ts';

/** A call as its `sending` event announces it. */
function sending(body: string | null, amount?: string, call: CallName = 'bet') {
  const data =
    body === null ? null : ({ encoding: 'utf8', data: body, length: body.length, truncated: false } as const);
  const request = { method: 'POST', url: 'http://127.0.0.1/bet', headers: [], body: data };
  return { call, request, ...(amount !== undefined && { amount }) };
}

describe('the amount of a call', () => {
  it('is the amount in the journal, even if the body has another one', () => {
    expect(amountOf(sending('{"amount":"9.00"}', '1.50'))?.toString()).toBe('1.50');
    expect(amountTextOf(sending('{"amount":"9.00"}', '1.50'))).toBe('1.50');
  });

  it.each([
    ['{"amount":"3.00"}', '3.00', '3'],
    ['{"amount":1.5}', '1.5', '1.50'],
    ['{"amount":"1e0"}', '1e0', undefined],
    ['{"amount":"-1"}', '-1', undefined],
    ['{"amount":null}', undefined, undefined],
    ['{"amount":', undefined, undefined],
    ['[]', undefined, undefined],
    [null, undefined, undefined],
  ])('is read from the body where the journal does not say it: %s', (body, text, money) => {
    expect(amountTextOf(sending(body))).toBe(text);
    expect(amountOf(sending(body))?.toString()).toBe(money);
  });

  it('is undefined for a read', () => {
    expect(amountTextOf(sending('{"amount":"3.00"}', undefined, 'balance'))).toBeUndefined();
  });

  it('is undefined if the text is longer than any amount', () => {
    expect(readAmount('9'.repeat(100))?.toString()).toBe('9'.repeat(100));
    expect(readAmount('9'.repeat(101))).toBeUndefined();
  });
});
