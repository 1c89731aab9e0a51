import { describe, expect, it } from 'vitest';
import { PUBLISHED_ERROR_CODES } from '../../src/contract/error-codes.ts';
import {
  badRequest,
  conflict,
  declined,
  failure,
  insufficientFunds,
  internalError,
  success,
  unauthorized,
} from '../../src/sdk/reply.ts';

describe('success', () => {
  it('is a 200 with a JSON body that holds the balance as text', () => {
    expect(success({ balance: '1.50', txID: 'op-1' })).toEqual({
      status: 200,
      headers: [['Content-Type', 'application/json; charset=utf-8']],
      body: '{"balance":"1.50","txID":"op-1"}',
    });
  });

  it.each([1.5, 0, null, undefined, '1,50', '1.', '.5', '1e3', '', ' 1', '01', '+1', 'NaN'])(
    'refuses the balance %j, which is no plain decimal in text',
    (balance) => {
      expect(() => success({ balance: balance as string })).toThrow(/^the balance must be a plain decimal in text/);
    },
  );

  it('accepts a balance below zero, as of an account that may be overdrawn', () => {
    expect(success({ balance: '-1.50' }).body).toBe('{"balance":"-1.50"}');
  });

  it('has no txID if none is given', () => {
    expect(success({ balance: '1.50' }).body).toBe('{"balance":"1.50"}');
  });
});

describe('failure', () => {
  it('carries its status, the message and the code', () => {
    const { status, body } = failure({ status: 402, code: 'insufficient_funds', message: 'Too little.' });
    expect(status).toBe(402);
    expect(JSON.parse(body)).toEqual({ code: 'insufficient_funds', message: 'Too little.' });
  });

  it.each([200, 201, 302, 399, 600, 404.5])('refuses the status %d, which is not an error', (status) => {
    expect(() => failure({ status, message: 'x' })).toThrow(`but it is ${status}`);
  });
});

describe('the reply to a call that was not carried out', () => {
  it.each(PUBLISHED_ERROR_CODES)(
    'has a status that leads to no refund, and a message for the player, if the code is %s',
    (code) => {
      const { status, body } = declined(code);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.parse(body)).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) });
    },
  );

  it('can have another message, another status, and an action for the game', () => {
    const { status, body } = declined('session_expired', {
      status: 401,
      message: 'Please log in again.',
      details: { since: 'noon' },
      action: 'refresh',
      actionData: { in: 5 },
    });
    expect(status).toBe(401);
    expect(JSON.parse(body)).toEqual({
      code: 'session_expired',
      message: 'Please log in again.',
      details: { since: 'noon' },
      action: 'refresh',
      actionData: { in: 5 },
    });
  });

  it('is always 401 with a message after a wrong signature', () => {
    expect(unauthorized().status).toBe(401);
    expect(JSON.parse(unauthorized().body)).toHaveProperty('message');
    expect(unauthorized({ status: 403 }).status).toBe(401);
  });

  it('has the statuses that the contract and the positions name', () => {
    expect(JSON.parse(insufficientFunds().body)).toHaveProperty('code', 'insufficient_funds');
    expect([badRequest().status, conflict().status, internalError().status]).toEqual([400, 409, 500]);
  });
});
