import { expect, it } from 'vitest';
import { answering } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';

const refusingWins: Fault = (request, honest) => (request.call === 'win' ? refused : honest());

const refusingBets: Fault = (request, honest) => (request.call === 'bet' ? refused : honest());

const DEVIATION = 'steps: [{ bet: }, { bet: , header-case: lower, expect: accepted }, { balance: }]';
const refused = error(401, 'Wrong signature');

it('a deviation that is declined while its control is accepted is a breach', () => {
  expect(judgeScenario(DEVIATION, { fault: answering('2', refused) }).verdict('signature.header-case')).toBe('fail');
});

it('a deviation whose control is declined too proves nothing', () => {
  const judged = judgeScenario(DEVIATION, { fault: refusingBets });
  expect(judged.broken).not.toContain('signature.header-case');
});

it('a deviation that is accepted needs no control', () => {
  expect(
    judgeScenario('steps: [{ bet: , header-case: lower, expect: accepted }, { balance: }]').verdict(
      'signature.header-case',
    ),
  ).toBe('pass');
});

it('a call of another kind is no control', () => {
  const judged = judgeScenario('steps: [{ bet: }, { balance: }, { win: , header-case: lower, expect: accepted }]', {
    fault: refusingWins,
  });
  expect(judged.verdict('signature.header-case')).not.toBe('pass');
});

it('a wrong signature that is refused proves nothing if the right one is refused too', () => {
  const yaml = 'steps: [{ bet: , as: bad, sign: garbage, expect: refused }, { resend: bad, sign: valid }]';
  expect(judgeScenario(yaml).verdict('signature.mismatch')).toBe('pass');
  expect(judgeScenario(yaml, { fault: refusingBets }).verdict('signature.mismatch')).toBe('inconclusive');
});

it('a second deviation is skipped if the first one is declined', () => {
  const yaml = [
    'steps:',
    '  - { refund: { of: unknown }, body: { set: { note: plain } }, expect: accepted }',
    '  - { refund: { of: unknown }, body: { set: { note: café } }, expect: accepted }',
  ].join('\n');
  const refusingRefunds: Fault = (request, honest) =>
    request.call === 'refund' ? error(400, 'Unknown field') : honest();
  expect(judgeScenario(yaml, { fault: refusingRefunds }).verdict('signature.raw-body')).toBe('skip');
  const withText = (status: number) =>
    judgeScenario(yaml, { fault: answering('2', error(status, 'Bad text')) }).verdict('signature.raw-body');
  expect(withText(401)).toBe('fail');
  // The operator may decline the text for another reason than the signature.
  expect(withText(400)).toBe('skip');
});
