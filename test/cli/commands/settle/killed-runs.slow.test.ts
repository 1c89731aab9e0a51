import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Relayed } from '../../demo-operator.ts';
import { CutOffRun } from './cut-off-run.ts';

const second = (call: string) => (called: Relayed) => called.call === call && called.number === 1;

let run: CutOffRun;

beforeEach(() => {
  run = new CutOffRun();
});
afterEach(() => run.remove());

describe.each([
  ['when a bet was taken', 'a refund', '  - bet:\n  - bet: { amount: "7.00" }\n', second('bet'), 'pass'],
  ['when a bet was on its way', 'a refund', '  - bet:\n  - bet: { amount: "7.00" }\n', second('bet'), 'lose'],
  [
    'before a win was credited',
    'a win',
    '  - bet:\n  - win: { amount: "9.00" }\n',
    (called: Relayed) => called.call === 'win',
    'lose',
  ],
  [
    'when a win was credited',
    'a win',
    '  - bet:\n  - win: { amount: "9.00" }\n',
    (called: Relayed) => called.call === 'win',
    'pass',
  ],
  [
    'between a bet and a read',
    'nothing but money',
    '  - bet: { amount: "5.00" }\n  - balance:\n',
    (called: Relayed) => called.call === 'balance' && called.number === 1,
    'lose',
  ],
  [
    'after an earlier scenario had left a deficit',
    'a refund and money',
    '  - bet: { amount: "${amount}" }\n  - balance:\ncases: { amount: ["5.00", "6.00"] }\n',
    second('bet'),
    'pass',
  ],
  [
    'in the midst of a refund',
    'a refund',
    '  - bet: { amount: "5.00" }\n  - refund:\n',
    (called: Relayed) => called.call === 'refund',
    'pass',
  ],
  [
    'after a refund of less than its bet',
    'nothing but money',
    '  - bet: { amount: "5.00" }\n  - bet: { amount: "7.00" }\n    as: given-back\n  - refund: { of: given-back, amount: "2.00" }\n    expect: either\n  - balance:\n',
    (called: Relayed) => called.call === 'balance' && called.number === 1,
    'lose',
  ],
  [
    'during a race',
    'refunds',
    '  - bet:\n  - together:\n      - bet: { amount: "3.00" }\n        times: 6\n      - balance:\n',
    (called: Relayed) => called.call === 'bet' && called.number === 4,
    'pass',
  ],
] as const)('a run that was killed %s', (_when, _owes, steps, moment, fate) => {
  beforeEach(() => run.serve());
  it('is settled to the last unit of money, and only once', async () => {
    await run.killedAt(steps, moment, fate);
    const dry = await run.settle('--dry-run');
    expect(dry.status).toBe(3);
    const calls = run.relay.calls.length;

    const first = await run.settle();
    expect(first.err).not.toContain('bug');
    expect(first.out).toContain('Nothing is owed any more.');
    expect(first.status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
    expect(run.relay.calls.length).toBeGreaterThan(calls);

    const sent = run.relay.calls.length;
    const text = run.journal();
    const again = await run.settle();
    expect(again).toMatchObject({ status: 0 });
    expect(again.out).toContain('Nothing is owed. Nothing was sent.');
    expect(run.relay.calls).toHaveLength(sent);
    expect(run.journal()).toBe(text);
  });
});
