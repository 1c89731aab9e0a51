import { expect, it } from 'vitest';
import { isCutOff, wasPrompt } from '../../src/engine/cut-off.ts';
import type { Exchange } from '../../src/journal/exchange.ts';

const exchange = (sent: number | null, more: object = {}): Exchange =>
  ({
    connection: { id: 1, reused: false },
    stamps: { start: 100, resolved: null, connected: null, secured: null, sent, firstByte: null, end: 900 },
    outcome: { kind: 'none', reason: 'reset', detail: 'closed' },
    ...more,
  }) as unknown as Exchange;

it('is cut off when the request went out and nothing came back', () => {
  expect(isCutOff(exchange(101))).toBe(true);
  expect(isCutOff(exchange(null))).toBe(false);
  expect(isCutOff(exchange(101, { outcome: { kind: 'reply' } }))).toBe(false);
});

it('tells of the call only where its connection had to wait no longer than that of the control', () => {
  expect(wasPrompt(exchange(103), exchange(102))).toBe(true);
  expect(wasPrompt(exchange(350), exchange(230))).toBe(true);
  expect(wasPrompt(exchange(230), exchange(120))).toBe(false);
  expect(wasPrompt(exchange(null), exchange(120))).toBe(false);
});
