import { describe, expect, it } from 'vitest';
import { PUBLISHED_ERROR_CODES } from '../../src/contract/error-codes.ts';
import {
  badRequest,
  conflict,
  declined,
  insufficientFunds,
  internalError,
  unauthorized,
} from '../../src/sdk/failures.ts';

describe('the replies to what was not carried out', () => {
  it.each(PUBLISHED_ERROR_CODES)('has a status for %s that leads to no refund, and words for the player', (code) => {
    const { status, body } = declined(code);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(JSON.parse(body)).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  it('takes other words, another status, and what the game shall do', () => {
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

  it('answers a wrong signature 401 with a message, whatever else is said', () => {
    expect(unauthorized().status).toBe(401);
    expect(JSON.parse(unauthorized().body)).toHaveProperty('message');
    expect(unauthorized({ status: 403 }).status).toBe(401);
  });

  it('has the statuses that the contract and the positions name', () => {
    expect(JSON.parse(insufficientFunds().body)).toHaveProperty('code', 'insufficient_funds');
    expect([badRequest().status, conflict().status, internalError().status]).toEqual([400, 409, 500]);
  });
});
