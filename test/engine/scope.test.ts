import { describe, expect, it } from 'vitest';
import { operatorServer, P1, P2, ran, scenarioOf } from './operator-server.ts';

/** What a field of a bet's body became. */
async function sent(value: string, { before = '', balance = '100.00' } = {}) {
  const { url, calls } = await operatorServer(undefined, { balance, sessions: [P1, P2] });
  const yaml = `rules: [balance.read]\nneeds: { second: { player: other } }\nsteps: [{ balance: { session: second } }, ${before}{ bet: , as: asked, body: { set: { asked: "${value}" } }, expect: either }]`;
  await ran(url, [scenarioOf('a/b', yaml)], { stakes: { USD: '2.00' }, deadlineMs: 2000 }, [P1, P2]);
  return calls.find(({ fields }) => fields?.asked !== undefined)?.fields?.asked;
}

describe('a name stands for', () => {
  it('the stake that is configured, and the smallest unit of the currency', async () => {
    expect(await sent('${stake}')).toBe('2.00');
    expect(await sent('${3 * unit}')).toBe('0.03');
  });

  it('the balance, once it is certain', async () => {
    expect(await sent('${balance}')).toBe('100.00');
    expect(await sent('${balance}', { before: '{ bet: { amount: "3.00" } }, ' })).toBe('97.00');
  });

  it('the session of a player', async () => {
    expect(await sent('${session.second}')).toBe('s2');
  });

  it('what another step was about, and what it was answered', async () => {
    const before = '{ bet: { amount: "3.00" }, as: first }, ';
    expect(await sent('${first.amount}', { before })).toBe('3.00');
    expect(await sent('${first.reply.balance}', { before })).toBe('97.00');
    expect(await sent('${first.txID}', { before })).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('two wins that doubles can not add to the balance', async () => {
    const [first, second] = [Number(await sent('${drift.first}')), Number(await sent('${drift.second}'))];
    expect(100 + first + second).toBeLessThan(Number((100 + first + second).toFixed(2)));
  });

  it('nothing while the balance is not certain, and nothing is sent then', async () => {
    const before = '{ bet: , break: sent }, ';
    expect(await sent('${balance}', { before })).toBeUndefined();
  });
});
