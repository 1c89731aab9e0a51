import { expect, it } from 'vitest';
import { withFields } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';

it('a stored reply to another call does not show that a bet or win took effect, even if its balance looks right', () => {
  const steps = `steps:
  - bet:
    as: first
  - win: { amount: "1.00" }
  - balance:
  - bet: # is answered like step 1
  - balance:
  - bet: { amount: "0.40" }
    as: third
  - bet: { amount: "0.60" }
  - win: { round: third, amount: "1.00" } # is answered like step 2
  - balance:`;
  const stored: Readonly<Record<string, { balance: string; txID: string }>> = {
    4: { balance: '99.00', txID: 'op-1' },
    8: { balance: '100.00', txID: 'op-2' },
  };
  const fault: Fault = ({ key }, honest) => (stored[key] ? { status: 200, body: stored[key] } : honest());
  expect(judgeScenario(steps, { fault }).broken).toEqual(['bet.debit', 'win.credit']);
});

it('a bet that gets the txID of another bet is read at once, and is right if this read shows that it was taken', () => {
  const steps = 'steps: [{ bet: }, { win: { amount: "1.00" } }, { bet: }, { balance: }]';
  const keys: string[] = [];
  const fault: Fault = (request, honest, wallet) => {
    keys.push(request.key.replace(/^read\.\d+$/, 'read'));
    return withFields('3', { txID: 'op-1' })(request, honest, wallet);
  };
  const judged = judgeScenario(steps, { fault });
  expect([judged.broken, judged.verdict('bet.debit')]).toEqual([[], 'pass']);
  expect(keys).toEqual(['read', '1', '2', '3', 'read', '4']);
});

it('a win and a refund that get the stored reply to a bet are explained by bet.debit if bets get such replies too', () => {
  const steps = `steps:
  - bet:
    as: first
  - bet: # is answered like step 1
  - balance:
  - win: { round: first, amount: "1.00" } # is answered like step 1
  - balance:
  - refund: { of: first } # is answered like step 1
  - balance:`;
  const isMixedUp = (...keys: string[]): Fault => {
    return ({ key }, honest) =>
      keys.includes(key) ? { status: 200, body: { balance: '99.00', txID: 'op-1' } } : honest();
  };
  expect(judgeScenario(steps, { fault: isMixedUp('2', '4', '6') }).broken).toEqual(['bet.debit']);
  expect(judgeScenario(steps, { fault: isMixedUp('4') }).broken).toContain('win.credit');
});

it('a refund that gets the reply of another refund of its round is explained by bet.many-in-round if it is broken', () => {
  const steps = (round: string) => `rules: [bet.many-in-round]
steps:
  - bet:
    as: first
  - bet: { round: first } # is answered like step 1
  - balance:
  - refund: { of: unknown, round: ${round}, amount: "1.00" }
  - refund: { of: first } # is answered like step 4
  - balance:`;
  const fault =
    (isOfBets: boolean): Fault =>
    ({ key }, honest) =>
      key === '2' && isOfBets
        ? { status: 200, body: { balance: '99.00', txID: 'op-1' } }
        : key === '5'
          ? { status: 200, body: { balance: '99.00', txID: 'op-2' } }
          : honest();
  expect(judgeScenario(steps('first'), { fault: fault(true) }).broken).toEqual(['bet.many-in-round']);
  expect(judgeScenario(steps('none'), { fault: fault(true) }).broken).toContain('refund.restore');
  expect(judgeScenario(steps('first'), { fault: fault(false) }).broken).toContain('refund.restore');
});
