import { describe, expect, it } from 'vitest';
import type { Body, Outcome, Stamps } from '../../../src/journal/exchange.ts';
import { detailOf, rowOf } from '../../../src/service/console/exchange-rows.ts';
import type { LoggedExchange } from '../../../src/service/exchange-log.ts';

function body(data: string, more: Partial<Body> = {}): Body {
  return { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false, ...more };
}

const STAMPS: Stamps = {
  start: 100,
  resolved: null,
  connected: 100.5,
  secured: null,
  sent: 101,
  firstByte: 111.04,
  end: 112,
};

function exchange(outcome: Outcome | null, changes: Partial<LoggedExchange> = {}): LoggedExchange {
  return {
    id: 7,
    at: 0,
    direction: 'reverse',
    name: 'bet',
    extCID: 'acme',
    gsID: 'g',
    roundID: 'r',
    notes: ['sent again by hand'],
    request: {
      method: 'POST',
      url: 'http://operator.example/bet',
      headers: [['X-REQUEST-SIGN', 'abc']],
      body: body('{"amount":"1.00","txID":"t-1"}'),
    },
    outcome,
    stamps: outcome && STAMPS,
    connection: outcome && { id: 3, reused: true },
    findings: [],
    balance: null,
    replyFault: null,
    ...changes,
  };
}

function reply(status: number, data: string, more: Partial<Body> = {}): Outcome {
  return { kind: 'reply', reply: { status, headers: [['Content-Type', 'application/json']], body: body(data, more) } };
}

describe('an exchange as a row', () => {
  it('gives no advice for a rule that is broken only because the user injected a fault into the reply', () => {
    const finding = (rule: 'reply.deadline' | 'bet.debit') => ({ rule, verdict: 'fail', text: '' }) as const;
    const findings = [finding('reply.deadline'), finding('bet.debit')];
    const late = exchange({ kind: 'none', reason: 'too-late', detail: 'Late.' }, { findings, replyFault: 'late' });
    expect(rowOf(late, null).findings).toMatchObject([
      { rule: 'reply.deadline', hint: null, isInjected: true },
      { rule: 'bet.debit', hint: expect.any(String), isInjected: false },
    ]);
    expect(rowOf(late, null).notes).toContain('answered late on purpose');
    expect(rowOf({ ...late, replyFault: null }, null).findings[0]).toMatchObject({ isInjected: false });
  });

  it('shows the call and its result', () => {
    expect(
      rowOf(exchange(reply(402, '{"code":"insufficient_funds"}')), { player: 'anna', currency: 'USD' }),
    ).toMatchObject({
      name: 'bet',
      player: 'anna',
      txID: 't-1',
      amount: '1.00',
      state: 'error',
      result: '402',
      code: 'insufficient_funds',
      ms: 11,
    });
    expect(rowOf(exchange(reply(200, '{"code":"x"}')), null)).toMatchObject({ state: 'ok', result: '200', code: null });
    expect(rowOf(exchange({ kind: 'none', reason: 'too-late', detail: 'Late.' }), null)).toMatchObject({
      state: 'no-reply',
      result: 'too-late',
    });
    expect(rowOf(exchange(null), null)).toMatchObject({ state: 'under-way', result: '', ms: null });
  });

  it('can have a body of any kind', () => {
    for (const data of ['', 'no JSON', '[1]', 'null', '{"txID":5,"amount":{"a":1}}']) {
      const request = { method: 'POST', url: 'http://x/', headers: [], body: body(data) };
      expect(rowOf(exchange(reply(500, data), { request }), null)).toMatchObject({
        txID: null,
        amount: null,
        code: null,
      });
    }
  });

  it('can be found by the text of its bodies, in any letter case', () => {
    const { searchText } = rowOf(exchange(reply(400, '{"message":"Not NOW"}')), null);
    expect(searchText).toContain('not now');
    expect(searchText).toContain('t-1');
    expect(searchText).toContain('operator.example');
  });
});

describe('an exchange in detail', () => {
  it('contains the signature, the reply and the phases', () => {
    const detail = detailOf(exchange(reply(200, '{}')), null, { curl: 'curl …', scenario: null });
    expect(detail).toMatchObject({
      signature: 'abc',
      reply: { status: 200, body: '{}', bodyNote: null },
      trouble: null,
      connection: 'connection 3, already used by an earlier call',
      curl: 'curl …',
      scenario: null,
      repeatable: true,
    });
    expect(detail.phases).toEqual([
      { name: 'connected', ms: 0.5 },
      { name: 'sent', ms: 0.5 },
      { name: 'first byte', ms: 10 },
      { name: 'last byte', ms: 1 },
    ]);
  });

  it('says when a body is cut, or is not text', () => {
    const cut = detailOf(exchange(reply(200, 'x'.repeat(30_000))), null, { curl: null, scenario: null });
    expect(cut.reply?.body).toHaveLength(20_000);
    expect(cut.reply?.bodyNote).toBe('only the beginning of the 30000 bytes is shown');
    const bytes = detailOf(exchange(reply(200, '/w==', { encoding: 'base64', length: 1 })), null, {
      curl: null,
      scenario: null,
    });
    expect(bytes.reply).toMatchObject({ body: '\u00ff', bodyNote: 'the body is not UTF-8 and is shown as Latin-1' });
  });

  it('says why there is no reply, and offers no repeat for requests of operators', () => {
    const none = exchange({ kind: 'none', reason: 'refused', detail: 'Nothing listens.' }, { direction: 'core' });
    expect(detailOf(none, null, { curl: null, scenario: null })).toMatchObject({
      reply: null,
      trouble: 'Nothing listens.',
      repeatable: false,
    });
  });
});
