import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { inAnotherUnit, movesOfNoRule } from '../../../src/judge/attribution/candidates.ts';
import { RightUnit } from '../../../src/judge/attribution/units.ts';
import type { IdleRead } from '../../../src/judge/idle-read.ts';
import type { PendingCheck } from '../../../src/judge/pending-check.ts';
import type { Effects } from '../../../src/judge/wallet/effects.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import { judgeScenario } from '../judged-scenario.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));

/** The transactions of a scenario that was played with a correct operator. */
const effectsOf = (steps: string): Effects => judgeScenario(`steps: [${steps}]`).judge.effects;

/** An idle read of a wallet of 100.00 whose calls have moved these sums since, by step. */
function readAfter(moves: Readonly<Record<string, string>>): IdleRead {
  const wallet = new Wallet('p1', Money.of('0.01'));
  wallet.anchor(money('100'));
  for (const [key, delta] of Object.entries(moves)) wallet.move(key, money(delta));
  return { wallet, value: money('1'), step: { key: 'read' } as never, exchange: 'x9', lingered: false };
}

/** Each hypothesis as its difference; `alone` if it must not be combined. */
function differences(checks: readonly PendingCheck[]): readonly string[] {
  return checks.flatMap(({ rule, hypotheses }) =>
    hypotheses.map(({ by, alone }) => `${rule} ${by}${alone === true ? ' alone' : ''}`),
  );
}

describe('a call that no pending check is about', () => {
  const BET = '{ bet: { amount: "3.00" } }';

  it('may have had no effect, or taken effect twice, or the opposite effect', () => {
    expect(differences(movesOfNoRule(readAfter({ 1: '-3' }), effectsOf(BET)))).toEqual([
      'bet.debit 3',
      'bet.debit -3',
      'bet.debit 6 alone',
    ]);
  });

  it('may be a win from which the bet of the round was subtracted', () => {
    const effects = effectsOf(`${BET}, { win: { amount: "8.00" } }`);
    expect(differences(movesOfNoRule(readAfter({ 2: '8' }), effects))).toContain('win.credit -3 alone');
    const lower = effectsOf(`${BET}, { win: { amount: "2.00" } }`);
    expect(differences(movesOfNoRule(readAfter({ 2: '2' }), lower))).toContain('win.credit -3 alone');
    const equal = effectsOf(`${BET}, { win: { amount: "3.00" } }`);
    expect(differences(movesOfNoRule(readAfter({ 2: '3' }), equal))).not.toContain('win.credit -3 alone');
  });

  it('names the unit as a cause if cents would be too small to move anything', () => {
    const causes = (amount: string) =>
      movesOfNoRule(readAfter({ 1: `-${amount}` }), effectsOf(`{ bet: { amount: "${amount}" } }`))[0]?.hypotheses[0]
        ?.causes;
    expect([causes('0.50'), causes('3.00')]).toEqual([['money.main-unit'], []]);
  });

  it('is left out if a pending check of the same rule is about it', () => {
    const read = readAfter({ 1: '-3' });
    const [check] = movesOfNoRule(read, effectsOf(BET));
    if (!check) throw new Error('no check');
    read.wallet.expectLater(check);
    expect(movesOfNoRule(read, effectsOf(BET))).toEqual([]);
  });

  it.each([
    ['was sent at the same instant as others', '{ together: [{ bet: { amount: "3.00" } }, { bet: }] }', '1.1'],
    ['may be answered in any way', '{ bet: { amount: "3.00" }, expect: either }', '1'],
    ['is not known', BET, 'unknown'],
  ])('is left out if it %s', (_reason, steps, key) => {
    expect(movesOfNoRule(readAfter({ [key]: '-3' }), effectsOf(steps))).toEqual([]);
  });
});

describe('a wallet that may count in another unit', () => {
  const EFFECTS = effectsOf(
    '{ bet: { amount: "3.00" } }, { win: { amount: "8.00" } }, { bet: , as: b }, { refund: { of: b } }',
  );
  const units = (moves: Readonly<Record<string, string>>, right = new RightUnit(), proven = false, lost = false) => {
    const read = readAfter(moves);
    if (lost) read.wallet.branch({ txID: 'lost', delta: money('-1'), kind: 'lost' });
    return differences(inAnotherUnit(read, EFFECTS, proven, right));
  };

  it('is wrong by the same power of ten for all calls, for all bets, or for all wins', () => {
    const found = units({ 1: '-3', 2: '8' });
    // 5 in all becomes 0.05, the bet of 3 becomes 0.03, the win of 8 becomes 0.08.
    expect(found).toEqual(
      expect.arrayContaining(['money.main-unit -4.95', 'money.main-unit 2.97', 'money.main-unit -7.92']),
    );
    // 5 in all becomes 500.
    expect(found).toContain('money.main-unit 495');
  });

  it('is no candidate for calls of a kind that moved exactly their amount before', () => {
    const right = new RightUnit();
    right.record(readAfter({ 1: '-3' }), (key) => EFFECTS.callOf(key));
    expect(units({ 1: '-3' }, right)).toEqual([]);
    expect(units({ 2: '8' }, right)).not.toEqual([]);
  });

  it('is no candidate if only refunds moved money', () => {
    expect(units({ 4: '1' })).toEqual([]);
  });

  it('is a candidate after a call with an unknown outcome only if the unit is proven to be wrong', () => {
    expect(units({ 1: '-3' }, new RightUnit(), false, true)).toEqual([]);
    expect(units({ 1: '-3' }, new RightUnit(), true, true)).not.toEqual([]);
  });

  it('is no candidate if no money moved', () => {
    expect(units({})).toEqual([]);
  });
});
