import { expect, it } from 'vitest';
import { queueMs } from '../../src/engine/queue.ts';
import type { Exchange } from '../../src/journal/exchange.ts';

const answered = { outcome: { kind: 'reply' } } as Exchange;
const late = { outcome: { kind: 'none', reason: 'too-late' } } as Exchange;
const lost = { outcome: { kind: 'none', reason: 'reset' } } as Exchange;

it('waits for nothing where no call was given up', () => {
  expect(queueMs([answered, lost], 5000)).toBe(0);
});

it('waits for those that were given up as long as those took that were answered', () => {
  expect(queueMs([answered, answered, answered, answered, answered, late, late], 5000)).toBe(2000);
});

it('does not wait for ever', () => {
  expect(queueMs([late, late], 5000)).toBe(10000);
  expect(queueMs([answered, ...Array.from({ length: 11 }, () => late)], 5000)).toBe(15000);
});
