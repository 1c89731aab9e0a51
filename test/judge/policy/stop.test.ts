import { describe, expect, it } from 'vitest';
import { answering, at, changing } from '../faults.ts';
import { type JudgeOptions, judgeScenario } from '../judged-scenario.ts';
import { error } from '../toy-wallet.ts';

const stop = (yaml: string, options?: JudgeOptions) => judgeScenario(yaml, options).stop;

const LOW_BALANCE = error(402, 'Not enough money', 'insufficient_funds');

describe('a scenario continues', () => {
  it.each([
    ['every call is accepted', 'steps: [{ bet: }, { win: }]', undefined],
    ['a call is declined as expected', 'steps: [{ bet: , expect: declined }]', answering('1', error(400, 'No'))],
    ['a call may be answered in any way', 'steps: [{ bet: , expect: either }]', answering('1', error(400, 'No'))],
    ['a refund is declined', 'steps: [{ bet: }, { refund: }]', answering('2', error(400, 'No'))],
    ['a resend is declined', 'steps: [{ bet: , as: a }, { resend: a }]', answering('2', error(400, 'No'))],
    ['its connection is broken on purpose', 'steps: [{ bet: , as: a, break: sent }, { refund: { of: a } }]', undefined],
  ])('if %s', (_when, yaml, fault) => {
    expect(stop(yaml, fault && { fault })).toBeNull();
  });
});

describe('a scenario is skipped', () => {
  it.each([
    [
      'free rounds of a campaign that was made up are declined',
      'steps: [{ bet: { type: free } }]',
      { fault: answering('1', error(404, 'No such campaign')), campaignKnown: false },
      /made-up campaign of the test/,
    ],
    [
      'a further bet of a round is declined',
      'steps: [{ bet: , as: a }, { bet: { round: a } }]',
      { fault: answering('2', error(400, 'One bet per round')) },
      /a further bet of a round/,
    ],
    [
      'a further win of a round is declined',
      'steps: [{ bet: }, { win: }, { win: }]',
      { fault: answering('3', error(400, 'One win per round')) },
      /a further win of a round/,
    ],
    [
      'a body with an added field is declined',
      'steps: [{ bet: , body: { set: { note: plain } }, expect: accepted }]',
      { fault: answering('1', error(400, 'Unknown field')) },
      /that contains a field unknown to it/,
    ],
    [
      'the wallet of another session is too low',
      'needs: { other: { player: other } }\nsteps: [{ balance: { session: other } }, { bet: { session: other, amount: "150.00" } }]',
      { fault: answering('2', LOW_BALANCE) },
      /the balance of the other session/,
    ],
    [
      'a very large amount is declined',
      'needs: { amounts: large }\nsteps: [{ bet: }, { win: { amount: "${9007199254740993 * unit}" } }]',
      { fault: answering('2', error(400, 'Too much')) },
      /such a large amount/,
    ],
    [
      'a bet has more decimals than the currency',
      'steps: [{ bet: { amount: "1.255" } }]',
      { fault: answering('1', error(400, 'Too many decimals')), currency: 'USD' },
      /more decimals than USD has/,
    ],
    [
      'the operator has a limit of its own',
      'steps: [{ bet: }]',
      { fault: answering('1', error(403, 'Limit', 'loss_limit')) },
      /the bet of step 1/,
    ],
    [
      'the session has ended when the balance is read',
      'steps: [{ balance: }]',
      { fault: answering('1', error(403, 'Over', 'session_expired')) },
      /^the session has ended \(use a session that stays open/,
    ],
    [
      'the session has ended when a bet is placed',
      'steps: [{ bet: }]',
      { fault: answering('1', error(403, 'Over', 'session_expired')) },
      /^the session has ended \(use a session that stays open/,
    ],
    [
      'the operator is busy when the balance is read',
      'steps: [{ balance: }]',
      { fault: answering('1', error(503, 'Busy')) },
      /the balance could not be read/,
    ],
  ] as const)('if %s', (_when, yaml, options, reason) => {
    expect(stop(yaml, options)).toMatchObject({
      verdict: 'skip',
      reason: expect.stringMatching(reason) as string,
      connection: false,
    });
  });
});

describe('a scenario is inconclusive', () => {
  it.each([
    ['a call is refused with 401', 'steps: [{ bet: }]', answering('1', error(401, 'Who?')), ['signature.accepted']],
    ['a reply comes too late', 'steps: [{ bet: }]', at('1', () => ({ none: 'too-late' })), ['reply.deadline']],
    [
      'an error has status 200',
      'steps: [{ bet: }]',
      answering('1', { status: 200, body: { code: 'insufficient_funds', message: 'No' } }),
      ['reply.error-is-not-200'],
    ],
    [
      'a bet is declined although the balance is high enough',
      'steps: [{ bet: }]',
      answering('1', LOW_BALANCE),
      ['bet.exact-balance'],
    ],
    ['a call fails for another reason', 'steps: [{ bet: }]', answering('1', error(500, 'Oops')), []],
    ['the balance is not readable', 'steps: [{ balance: }]', changing('1', { body: '<html>' }), ['balance.read']],
    ['a read is refused with 401', 'steps: [{ balance: }]', answering('1', error(401, 'Who?')), ['signature.accepted']],
  ] as const)('if %s, and names the rules that explain it', (_when, yaml, fault, causes) => {
    expect(stop(yaml, { fault })).toMatchObject({ verdict: 'inconclusive', connection: false, causes });
  });

  it.each(['steps: [{ bet: }]', 'steps: [{ balance: }]'])(
    'because of the connection, if no reply comes: %s',
    (yaml) => {
      expect(stop(yaml, { fault: at('1', () => ({ none: 'reset' })) })).toMatchObject({
        verdict: 'inconclusive',
        reason: 'the connection failed (reset): reset',
        connection: true,
        causes: [],
      });
    },
  );
});
