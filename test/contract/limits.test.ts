import { expect, it } from 'vitest';
import { ruleById } from '../../src/contract/catalogue.ts';
import { DAY_MS, TX_ID_WINDOW_DAYS, TX_ID_WINDOW_MONTHS } from '../../src/contract/limits.ts';

it('the window in which a txID is unique is as short as the shortest three months in a row', () => {
  const days = Array.from(
    { length: 48 },
    (_, month) => (Date.UTC(2025, month + TX_ID_WINDOW_MONTHS, 1) - Date.UTC(2025, month, 1)) / DAY_MS,
  );
  expect(Math.min(...days)).toBe(TX_ID_WINDOW_DAYS);
});

it.each([
  ['reply.deadline', 'within 5 seconds'],
  ['refund.after-error', 'later than 5 seconds'],
  ['idempotency.durable', 'less than 3 months old'],
  ['launch.campaign', 'at most 30 days'],
] as const)('the rule %s names the limit of the contract: %s', (rule, words) => {
  expect(ruleById(rule).sentence).toContain(words);
});
