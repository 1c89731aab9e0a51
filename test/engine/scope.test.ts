import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { driftingWins } from '../../src/engine/scope.ts';
import { operatorServer, P1, P2, ran, scenarioOf } from './operator-server.ts';

/** The value of a field in the body of a bet. */
async function sent(value: string, { before = '', balance = '100.00', session = '', sessions = [P1, P2] } = {}) {
  const { url, calls } = await operatorServer(undefined, { balance, sessions });
  const yaml = `rules: [balance.read]\nneeds: { second: { player: other } }\nsteps: [{ balance: { session: second } }, ${before}{ bet: ${session}, as: asked, body: { set: { asked: "${value}" } }, expect: either }]`;
  await ran(url, [scenarioOf('a/b', yaml)], { stakes: { USD: '2.00' }, deadlineMs: 2000 }, sessions);
  return calls.find(({ fields }) => fields?.asked !== undefined)?.fields?.asked;
}

describe('a name in an expression of a scenario', () => {
  it('`stake` is the configured stake, `unit` the smallest unit of the currency', async () => {
    expect(await sent('${stake}')).toBe('2.00');
    expect(await sent('${3 * unit}')).toBe('0.03');
  });

  it('`balance` is the balance of the wallet while that balance is certain', async () => {
    expect(await sent('${balance}')).toBe('100.00');
    expect(await sent('${balance}', { before: '{ bet: { amount: "3.00" } }, ' })).toBe('97.00');
  });

  it('a computed amount has the decimals of the session of its call', async () => {
    const sessions = [P1, { ...P2, currency: 'JPY' }];
    const inYen = { balance: '100', session: '{ session: second }', sessions };
    expect(await sent('${balance.second + 1}', inYen)).toBe('101');
    expect(await sent('${balance + 1}', { ...inYen, session: '' })).toBe('101.00');
  });

  it('`session` is the session of the player who makes the call', async () => {
    expect(await sent('${session.second}')).toBe('s2');
  });

  it('the name of a step gives its fields and its reply', async () => {
    const before = '{ bet: { amount: "3.00" }, as: first }, ';
    expect(await sent('${first.amount}', { before })).toBe('3.00');
    expect(await sent('${first.reply.balance}', { before })).toBe('97.00');
    expect(await sent('${first.txID}', { before })).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('`drift` is a pair of wins that floating-point numbers (doubles) add wrongly to the balance', async () => {
    const [first, second] = [Number(await sent('${drift.first}')), Number(await sent('${drift.second}'))];
    expect(100 + first + second).toBeLessThan(Number((100 + first + second).toFixed(2)));
  });

  it('`balance` has no value while the balance is uncertain, and the step is not sent', async () => {
    const before = '{ bet: , break: sent }, ';
    expect(await sent('${balance}', { before })).toBeUndefined();
  });
});

it.each(['0.00', '97.00', '98.50', '100.00', '1234.56'])(
  'finds two wins that floating-point numbers add wrongly to the balance %s',
  (text) => {
    const balance = Money.of(text);
    const [first, second] = driftingWins(balance, Money.unit(2));
    const doubles = Number(balance.format()) + Number(first.format()) + Number(second.format());
    expect(doubles).toBeLessThan(Number(balance.plus(first).plus(second).format()));
  },
);

it.each(['97.00', '98.50', '998.00', '1234.56'])(
  'the sum of the two wins and the balance %s is also too low if each sum is cut off after two decimals',
  (text) => {
    const balance = Money.of(text);
    const [first, second] = driftingWins(balance, Money.unit(2));
    const cutOff = (sum: number): number => Math.trunc(sum * 100) / 100;
    const cents = cutOff(cutOff(Number(balance.format()) + Number(first.format())) + Number(second.format()));
    expect(cents).toBeLessThan(Number(balance.plus(first).plus(second).format()));
  },
);

it('`drift` is any two wins if floating-point numbers add them correctly', () => {
  expect(driftingWins(Money.of('100'), Money.unit(0)).map(String)).toEqual(['1', '2']);
});
