import { describe, expect, it } from 'vitest';
import {
  isBusy,
  isClientError,
  isFormRejected,
  isGatewayError,
  isRedirect,
  isServerError,
  isSuccess,
  isTemporary,
  isWorthRetrying,
  replyStatus,
} from '../../src/reply/status.ts';

const PREDICATES = {
  success: isSuccess,
  redirect: isRedirect,
  'client error': isClientError,
  'server error': isServerError,
  'gateway error': isGatewayError,
  busy: isBusy,
  temporary: isTemporary,
  'worth retrying': isWorthRetrying,
  'form rejected': isFormRejected,
};

/** Each status with every predicate that holds for it. */
const TABLE: Readonly<Record<number, readonly (keyof typeof PREDICATES)[]>> = {
  199: [],
  200: ['success'],
  201: ['success'],
  204: ['success'],
  299: ['success'],
  300: ['redirect'],
  304: ['redirect'],
  399: ['redirect'],
  400: ['client error'],
  401: ['client error'],
  402: ['client error'],
  403: ['client error'],
  404: ['client error'],
  405: ['client error', 'form rejected'],
  406: ['client error', 'form rejected'],
  408: ['client error', 'temporary', 'worth retrying'],
  409: ['client error', 'worth retrying'],
  410: ['client error'],
  411: ['client error', 'form rejected'],
  415: ['client error', 'form rejected'],
  422: ['client error'],
  423: ['client error', 'temporary', 'worth retrying'],
  425: ['client error', 'temporary', 'worth retrying'],
  429: ['client error', 'busy', 'temporary', 'worth retrying'],
  499: ['client error'],
  500: ['server error', 'temporary', 'worth retrying'],
  502: ['server error', 'gateway error', 'temporary', 'worth retrying'],
  503: ['server error', 'gateway error', 'busy', 'temporary', 'worth retrying'],
  504: ['server error', 'gateway error', 'temporary', 'worth retrying'],
  520: ['server error', 'temporary', 'worth retrying'],
  599: ['server error', 'temporary', 'worth retrying'],
  600: [],
};

const holding = (status: number | null | undefined): readonly string[] =>
  Object.entries(PREDICATES).flatMap(([name, holds]) => (holds(status) ? [name] : []));

describe('The predicates of statuses', () => {
  it.each(Object.entries(TABLE))('classify the status %s as %j', (status, expected) => {
    expect(holding(Number(status))).toEqual(expected);
  });

  it.each([undefined, null])('are all false for the status %s', (status) => {
    expect(holding(status)).toEqual([]);
  });
});

describe('The status of a call', () => {
  it('is that of its reply', () => {
    const body = { encoding: 'utf8', data: '', length: 0, truncated: false } as const;
    expect(replyStatus({ outcome: { kind: 'reply', reply: { status: 204, headers: [], body } } })).toBe(204);
  });

  it('is undefined if no reply came', () => {
    expect(replyStatus({ outcome: { kind: 'none', reason: 'reset', detail: '' } })).toBeUndefined();
  });
});
