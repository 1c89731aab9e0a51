import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/contract/call-name.ts';
import { differencesOf } from '../../../src/report/html/differences.ts';
import { type ReadExchange, readExchange } from '../../../src/report/html/reading.ts';

interface Told {
  readonly call?: CallName;
  readonly sent?: object;
  readonly status?: number;
  readonly reply: object;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

function text(value: object) {
  const data = JSON.stringify(value);
  return { encoding: 'utf8', data, length: data.length, truncated: false } as const;
}

function exchange(
  id: string,
  { call = 'bet', sent, status = 200, reply, before = [], after = [] }: Told,
): ReadExchange {
  return readExchange({
    sending: {
      event: 'sending',
      id,
      scenario: 's',
      step: '1',
      purpose: 'step',
      call,
      request: { method: 'POST', url: 'http://127.0.0.1/bet', headers: [], body: sent ? text(sent) : null },
    },
    received: {
      event: 'received',
      id,
      scenario: 's',
      outcome: { kind: 'reply', reply: { status, headers: [], body: text(reply) } },
      stamps: { start: 0, resolved: null, connected: null, secured: null, sent: 1, firstByte: 2, end: 3 },
      connection: null,
      model: { before, after },
    },
  });
}

const marked = (told: readonly ReadExchange[], id: string, raced: readonly string[] = []) => {
  const found = differencesOf(told, new Set(raced)).get(id);
  const one = told.find(({ sending }) => sending.id === id);
  const outcome = one?.received?.outcome;
  const body = outcome?.kind === 'reply' ? outcome.reply.body.data : '';
  return {
    ...found,
    reply: found?.reply.map(({ from, to, note }) => `${body.slice(from, to)} ${note}`),
    request: found?.request.map(({ note }) => note),
  };
};

describe('the differences of an exchange', () => {
  const first = exchange('x1', { sent: { txID: 't', amount: '1.00' }, reply: { balance: '9.00', txID: 'op-1' } });

  it('show the reply to the first call with the same transaction', () => {
    const again = exchange('x2', { sent: { txID: 't', amount: '1.00' }, reply: { balance: '8.00', txID: 'op-2' } });
    expect(marked([first, again], 'x2')).toEqual({
      first: 'x1',
      request: [],
      reply: ['"8.00" first: "9.00"', '"op-2" first: "op-1"'],
      missing: [],
      status: null,
    });
    expect(marked([first, again], 'x1').first).toBeNull();
  });

  it('include the request, the status and missing members', () => {
    const again = exchange('x2', { sent: { txID: 't', amount: '2.00' }, status: 409, reply: { code: 'dup' } });
    expect(marked([first, again], 'x2')).toEqual({
      first: 'x1',
      request: ['first: "1.00"'],
      reply: ['"dup" not in the first exchange'],
      missing: ['balance: "9.00"', 'txID: "op-1"'],
      status: 'first: 200',
    });
  });

  it('are empty for different calls with the same transaction', () => {
    const refund = exchange('x2', { call: 'refund', sent: { txID: 't' }, reply: { balance: '10.00' } });
    expect(marked([first, refund], 'x2').first).toBeNull();
  });

  it('show the expected balance: before a read, and after any other call', () => {
    const read = exchange('x1', { call: 'balance', reply: { balance: '8.5' }, before: ['9'], after: ['8.5'] });
    expect(marked([read], 'x1').reply).toEqual(['"8.5" expected 9.0']);
    const bet = exchange('x2', { sent: { txID: 'u' }, reply: { balance: '9' }, before: ['10'], after: ['8'] });
    expect(marked([bet], 'x2').reply).toEqual(['"9" expected 8']);
  });

  it('are empty if several balances are possible, in a race, and if the reply to a refund says 0', () => {
    const unsure = exchange('x1', { call: 'balance', reply: { balance: '8' }, before: ['9', '10'] });
    expect(marked([unsure], 'x1').reply).toEqual([]);
    const raced = exchange('x2', { sent: { txID: 'u' }, reply: { balance: '9' }, after: ['8'] });
    expect(marked([raced], 'x2', ['x2']).reply).toEqual([]);
    const refund = exchange('x3', { call: 'refund', sent: { txID: 'v' }, reply: { balance: '0' }, after: ['8'] });
    expect(marked([refund], 'x3').reply).toEqual([]);
  });
});
