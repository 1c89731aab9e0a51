import { expect, it } from 'vitest';
import { saying } from './lies.ts';
import { tell } from './story-builder.ts';
import { error, type Lie } from './toy-wallet.ts';

const refusingWins: Lie = (ask, honest) => (ask.call === 'win' ? refused : honest());

const refusingBets: Lie = (ask, honest) => (ask.call === 'bet' ? refused : honest());

const TWIST = 'steps: [{ bet: }, { bet: , header-case: lower, expect: accepted }, { balance: }]';
const refused = error(401, 'Wrong signature');

it('a twist that fails where its control works is a breach', () => {
  expect(tell(TWIST, { lie: saying('2', refused) }).verdict('signature.header-case')).toBe('fail');
});

it('a twist whose control fails too proves nothing', () => {
  const judged = tell(TWIST, { lie: refusingBets });
  expect(judged.broken).not.toContain('signature.header-case');
});

it('a twist that works needs no control', () => {
  expect(
    tell('steps: [{ bet: , header-case: lower, expect: accepted }, { balance: }]').verdict('signature.header-case'),
  ).toBe('pass');
});

it('a control is of the same call', () => {
  const judged = tell('steps: [{ bet: }, { balance: }, { win: , header-case: lower, expect: accepted }]', {
    lie: refusingWins,
  });
  expect(judged.verdict('signature.header-case')).not.toBe('pass');
});
