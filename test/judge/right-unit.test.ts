import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { RightUnit } from '../../src/judge/right-unit.ts';
import { Wallet } from '../../src/judge/wallet.ts';
import { at } from './lies.ts';
import { tell } from './story-builder.ts';

const step = { key: '1' } as never;

function readAfter(
  moves: readonly (readonly [string, Money])[],
  id = 'p1',
  right: RightUnit = new RightUnit(),
): RightUnit {
  const wallet = new Wallet(id, Money.unit(2));
  wallet.anchor(Money.of('100'));
  for (const [call, delta] of moves) wallet.move(call, delta);
  right.saw({ wallet, value: Money.of('100'), step, exchange: 'e1', lingered: false }, (key) =>
    key === 'bet' || key === 'win' ? key : 'refund',
  );
  return right;
}

it('knows the kinds of calls that were seen to move what they say', () => {
  const right = readAfter([['bet', Money.of('3').negated()]]);
  expect([right.has('bet', 'p1'), right.has('win', 'p1'), right.has('bet', 'p2')]).toEqual([true, false, false]);
});

it('learns nothing from calls that may cancel each other', () => {
  const right = readAfter([
    ['bet', Money.of('3').negated()],
    ['refund', Money.of('3')],
  ]);
  expect(right.has('bet', 'p1')).toBe(false);
});

it('holds what is right in one wallet for right in another that is right about the other kind', () => {
  const right = readAfter([['win', Money.of('3')]], 'p2');
  expect(right.has('win', 'p1')).toBe(false);
  readAfter([['bet', Money.of('3').negated()]], 'p1', right);
  expect([right.has('win', 'p1'), right.has('bet', 'p2'), right.has('win', 'p3')]).toEqual([true, true, false]);
});

it('takes a large win that pays a tenth for a wrong win where another one was right', () => {
  const lie = at('4', (_ask, honest, wallet) => {
    honest();
    wallet.move('-45.00');
    return wallet.ok();
  });
  const yaml =
    'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "2.00" }, as: a }, { bet: }, { win: { amount: "50.00" } }, { balance: }]';
  expect(tell(yaml, { lie }).broken).toContain('money.main-unit');
  const seen = yaml.replace(
    '{ win: { amount: "2.00" }, as: a }',
    '{ balance: }, { win: { amount: "2.00" } }, { balance: }',
  );
  const later = at('6', (_ask, honest, wallet) => {
    honest();
    wallet.move('-45.00');
    return wallet.ok();
  });
  expect(tell(seen, { lie: later }).broken).toEqual(['win.credit']);
});
