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

it('a wrong signature that is refused proves nothing where the right one is refused too', () => {
  const story = 'steps: [{ bet: , as: bad, sign: garbage, expect: refused }, { resend: bad, sign: valid }]';
  expect(tell(story).verdict('signature.mismatch')).toBe('pass');
  expect(tell(story, { lie: refusingBets }).verdict('signature.mismatch')).toBe('inconclusive');
});

it('a twist upon a twist is skipped where the first is declined', () => {
  const story = [
    'steps:',
    '  - { refund: { of: unknown }, body: { set: { note: plain } }, expect: accepted }',
    '  - { refund: { of: unknown }, body: { set: { note: café } }, expect: accepted }',
  ].join('\n');
  const refusingRefunds: Lie = (ask, honest) => (ask.call === 'refund' ? error(400, 'Unknown field') : honest());
  expect(tell(story, { lie: refusingRefunds }).verdict('signature.raw-body')).toBe('skip');
  expect(tell(story, { lie: saying('2', error(400, 'Bad text')) }).verdict('signature.raw-body')).toBe('fail');
});
