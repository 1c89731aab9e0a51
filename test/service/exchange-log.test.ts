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

it('tells of an exchange when it begins and when it is over', () => {
  const log = logOf();
  const heard: LoggedExchange[] = [];
  const end = log.subscribe((exchange) => heard.push(exchange));
  const { id, land } = log.begin(LABEL, requestOf('a'));
  expect(heard).toMatchObject([{ id, at: 42, name: 'bet', outcome: null, stamps: null }]);
  land({ outcome: answered('b'), stamps: STAMPS, connection: { id: 1, reused: false }, label: { gsID: 'other' } });
  expect(heard[1]).toMatchObject({ id, gsID: 'other', outcome: { kind: 'reply' }, stamps: STAMPS });
  expect(log.recent()).toEqual([heard[1]]);
  expect(log.find(id)).toEqual(heard[1]);
  end();
  log.begin(LABEL, requestOf('c'));
  expect(heard).toHaveLength(2);
});

it('masks secrets wherever they stand', () => {
  const log = logOf();
  const text = `x${SECRET}y`;
  log.begin(LABEL, requestOf(text)).land({ outcome: answered(text), stamps: STAMPS, connection: null });
  const none: Outcome = { kind: 'none', reason: 'reset', detail: text, head: { status: 200, headers: [['X', text]] } };
  log.begin(LABEL, requestOf(encodeURIComponent(text))).land({ outcome: none, stamps: STAMPS, connection: null });
  expect(JSON.stringify(log.recent())).not.toContain(SECRET);
  expect(log.recent()[0]?.request.body?.data).toBe('x***y');
});

it('forgets the oldest, and cuts bodies that are long', () => {
  const log = logOf({ most: 3, mostOfBody: 10 });
  const begun = Array.from({ length: 5 }, (_, index) => log.begin(LABEL, requestOf(`${index}`.repeat(20))));
  expect(log.recent().map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(log.recent()[0]?.request.body).toEqual({ encoding: 'utf8', data: '2222222222', length: 20, truncated: true });
  // One that is over after it was forgotten is told of, and stays forgotten.
  const heard: number[] = [];
  log.subscribe(({ id }) => heard.push(id));
  begun[0]?.land({ outcome: answered('a'), stamps: STAMPS, connection: null });
  expect(heard).toEqual([1]);
  expect(log.recent().map(({ id }) => id)).toEqual([3, 4, 5]);
});
