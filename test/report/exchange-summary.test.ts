import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/journal/exchange.ts';
import { answerOf } from '../../src/report/exchange-summary.ts';

const body = (data: string) => ({ encoding: 'utf8', data, length: data.length, truncated: false }) as const;

function reply(status: number, text: string): Outcome {
  return { kind: 'reply', reply: { status, headers: [], body: body(text) } };
}

describe('the short result of a call', () => {
  it.each([
    [200, '{"balance":"9.00","txID":"op-1"}', '200 9.00 op-1'],
    [200, '{"balance":"9.00"}', '200 9.00'],
    [200, '{"balance":9,"txID":"0b9d1f63-9a7e-4f0e-8a3c-2f1d5e7a9b1c"}', '200 9 …e7a9b1c'],
    [402, '{"message":"No.","code":"insufficient_funds"}', '402 insufficient_funds'],
    [500, '<html>', '500'],
    [200, '[1]', '200'],
    [200, 'null', '200'],
  ])('%i %s is %s', (status, text, short) => {
    expect(answerOf(reply(status, text))).toEqual({ fate: 'replied', text: short });
  });

  it('is the reason if there was no reply', () => {
    expect(answerOf({ kind: 'none', reason: 'broken', detail: '' })).toEqual({ fate: 'broken', text: 'broken' });
    expect(answerOf({ kind: 'none', reason: 'too-late', detail: '' })).toEqual({ fate: 'lost', text: 'too-late' });
  });
});
