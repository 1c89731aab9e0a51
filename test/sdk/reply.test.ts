import { describe, expect, it } from 'vitest';
import { failure, success } from '../../src/sdk/reply.ts';

describe('success', () => {
  it('is a 200 with a JSON body that holds the balance as text', () => {
    expect(success({ balance: '1.50', txID: 'op-1' })).toEqual({
      status: 200,
      headers: [['Content-Type', 'application/json; charset=utf-8']],
      body: '{"balance":"1.50","txID":"op-1"}',
    });
  });

  it('has no txID where none is given', () => {
    expect(success({ balance: '1.50' }).body).toBe('{"balance":"1.50"}');
  });
});

describe('failure', () => {
  it('carries its status, the message and the code', () => {
    const { status, body } = failure({ status: 402, code: 'insufficient_funds', message: 'Too little.' });
    expect(status).toBe(402);
    expect(JSON.parse(body)).toEqual({ code: 'insufficient_funds', message: 'Too little.' });
  });

  it.each([200, 201, 302, 399, 600, 404.5])('refuses the status %d, which is no error', (status) => {
    expect(() => failure({ status, message: 'x' })).toThrow(`not ${status}`);
  });
});
