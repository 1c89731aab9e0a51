import { expect, it } from 'vitest';
import type { Outcome } from '../../src/journal/exchange.ts';
import { ExchangeLog, type ExchangeLogOptions, type LoggedExchange } from '../../src/service/exchange-log.ts';

const SECRET = 'a-very-secret-key';
const LABEL = { direction: 'reverse', name: 'bet', extCID: 'acme', gsID: 'gs', roundID: 'r', notes: [] } as const;
const STAMPS = { start: 0, resolved: null, connected: 1, secured: null, sent: 2, firstByte: 3, end: 4 };

function body(data: string) {
  return { encoding: 'utf8', data, length: data.length, truncated: false } as const;
}

function requestOf(text: string) {
  return { method: 'POST', url: `http://x/${text}`, headers: [['X-Key', text]], body: body(text) } as const;
}

function answered(text: string): Outcome {
  return { kind: 'reply', reply: { status: 200, headers: [['X-Echo', text]], body: body(text) } };
}

function logOf(options: Partial<ExchangeLogOptions> = {}): ExchangeLog {
  return new ExchangeLog({ secrets: [SECRET], clock: () => 42, ...options });
}

it('the exchange log reports an exchange when it begins and when it ends', () => {
  const log = logOf();
  const heard: LoggedExchange[] = [];
  const unsubscribe = log.subscribe((exchange) => heard.push(exchange));
  const { id, end } = log.begin(LABEL, requestOf('a'));
  expect(heard).toMatchObject([{ id, at: 42, name: 'bet', outcome: null, stamps: null }]);
  end({ outcome: answered('b'), stamps: STAMPS, connection: { id: 1, reused: false }, label: { gsID: 'other' } });
  expect(heard[1]).toMatchObject({ id, gsID: 'other', outcome: { kind: 'reply' }, stamps: STAMPS });
  expect(log.recent()).toEqual([heard[1]]);
  expect(log.find(id)).toEqual(heard[1]);
  unsubscribe();
  log.begin(LABEL, requestOf('c'));
  expect(heard).toHaveLength(2);
});

it('the exchange log masks secrets in every part of an exchange', () => {
  const log = logOf();
  const text = `x${SECRET}y`;
  log.begin(LABEL, requestOf(text)).end({ outcome: answered(text), stamps: STAMPS, connection: null });
  const none: Outcome = { kind: 'none', reason: 'reset', detail: text, head: { status: 200, headers: [['X', text]] } };
  log.begin(LABEL, requestOf(encodeURIComponent(text))).end({ outcome: none, stamps: STAMPS, connection: null });
  expect(JSON.stringify(log.recent())).not.toContain(SECRET);
  expect(log.recent()[0]?.request.body?.data).toBe('x***y');
});

it('the exchange log drops the oldest exchanges and cuts long bodies', () => {
  const log = logOf({ maxExchanges: 3, maxBody: 10 });
  const begun = Array.from({ length: 5 }, (_, index) => log.begin(LABEL, requestOf(`${index}`.repeat(20))));
  expect(log.recent().map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(log.recent()[0]?.request.body).toEqual({ encoding: 'utf8', data: '2222222222', length: 20, truncated: true });
  // An exchange that ends after it was dropped is still reported, but not stored again.
  const heard: number[] = [];
  log.subscribe(({ id }) => heard.push(id));
  begun[0]?.end({ outcome: answered('a'), stamps: STAMPS, connection: null });
  expect(heard).toEqual([1]);
  expect(log.recent().map(({ id }) => id)).toEqual([3, 4, 5]);
});
