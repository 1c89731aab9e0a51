import { describe, expect, it } from 'vitest';
import type { ScenarioStep } from '../../src/scenario/scenario.ts';
import { loadAs } from './fixtures.ts';

const HEAD = 'title: x\nrules: [bet.debit]\nsteps:\n';

/** The steps of a scenario without mistakes. */
function stepsOf(steps: string): readonly ScenarioStep[] {
  const { scenario, diagnostics } = loadAs('good', 'x', `${HEAD}${steps}`);
  expect(diagnostics).toEqual([]);
  return scenario?.boundScenarios[0]?.steps ?? [];
}

function mistakes(steps: string): readonly string[] {
  return loadAs('good', 'x', `${HEAD}${steps}`).diagnostics.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );
}

describe('a step', () => {
  it.each<[string, string, object]>([
    ['wait with a time', '  - wait: 300ms\n', { kind: 'wait', ms: 300 }],
    ['wait until late debits show', '  - wait: linger\n', { kind: 'wait', ms: 'linger' }],
    ['launches', '  - launches:\n', { kind: 'launches' }],
    [
      'bet without fields',
      '  - bet:\n',
      {
        kind: 'call',
        call: 'bet',
        session: { text: 'main' },
        fields: {},
        expect: { outcome: 'accepted', stated: false },
      },
    ],
    [
      'bet with a session and a time',
      '  - bet: { session: unknown }\n    at: 2s\n    expect: declined\n',
      { session: { text: 'unknown' }, atMs: 2000, expect: { outcome: 'declined', stated: true } },
    ],
    [
      'call with its fields',
      '  - call: win\n    with: { round: new }\n',
      { call: 'win', fields: { round: { kind: 'new' } } },
    ],
    ['call without fields', '  - call: balance\n', { call: 'balance', fields: {} }],
    ['refund of an unknown bet', '  - refund: { of: unknown }\n', { fields: { of: { kind: 'unknown' } } }],
    ['balance that is read later', '  - balance:\n    after: linger\n', { call: 'balance', after: 'linger' }],
    ['balance that is read again', '  - balance:\n    eventually: 1m\n', { eventuallyMs: 60_000 }],
    [
      'resend of an earlier call',
      '  - resend: { earliest: bet }\n',
      { kind: 'resend', of: { call: 'bet', from: 'run' } },
    ],
    [
      'bet with deviations',
      '  - bet:\n    sign: garbage\n    header-case: upper\n    trickle: 3\n    break: head\n    expect: either\n',
      {
        deviations: { sign: 'garbage', headerCase: 'upper', trickle: { pieces: 3, gapMs: 50 }, break: { at: 'head' } },
      },
    ],
  ])('is read: %s', (_what, text, step) => {
    expect(stepsOf(text)).toMatchObject([step]);
  });

  it('has a number in the order of the file, also inside `together`', () => {
    const [first, together, last] = stepsOf('  - bet:\n  - together:\n      - bet:\n      - win:\n  - balance:\n');
    if (together?.kind !== 'together') throw new Error('the second step is `together`');
    expect([first, together, ...together.steps, last].map((step) => [step?.key, step?.order])).toEqual([
      ['1', 0],
      ['2', 1],
      ['2.1', 2],
      ['2.2', 3],
      ['3', 4],
    ]);
    expect(together.steps.map(({ within }) => within)).toEqual([1, 1]);
  });

  it.each([
    ['it is not a map', '  - bet\n', '4:5 expected a step, not "bet"'],
    ['it has no action', '  - as: a\n', '4:5 this step has no action'],
    ['it has two actions', '  - bet:\n    win:\n', '5:5 a step has only one action, and this step already has `bet`'],
    [
      'a modifier does not apply to it',
      '  - wait: 1s\n    expect: declined\n',
      '5:5 `expect` does not apply to `wait`, only to: bet, win, refund, balance, call, resend',
    ],
    [
      'a field of the call is beside it',
      '  - bet:\n    amount: "1"\n',
      '5:5 `amount` is a field of the call, not of the step',
    ],
    ['it has an unknown key', '  - bet:\n    foo: 1\n', '5:5 unknown key `foo` in a `bet` step'],
    [
      'it names the refunded bet twice',
      '  - bet:\n    as: a\n  - refund: { of: a, origTxID: "b" }\n',
      '6:22 `of` and `origTxID` both name the bet that the refund gives back',
    ],
    [
      '`together` is inside `together`',
      '  - together:\n      - bet:\n      - together:\n          - bet:\n            times: 2\n',
      '6:9 `together` cannot be inside `together`',
    ],
    [
      '`wait` is inside `together`',
      '  - together:\n      - bet:\n      - win:\n      - wait: 1s\n',
      '7:9 `wait` cannot be inside `together`, because the steps of `together` start at the same instant',
    ],
    [
      '`use` is inside `together`',
      '  - together:\n      - bet:\n      - use: ./a.yaml\n',
      '6:9 `use` cannot be inside `together`',
    ],
    ['`together` has one call', '  - together:\n      - bet:\n', '4:5 `together` needs more than one call'],
    [
      'it deviates without an expectation',
      '  - bet:\n    sign: garbage\n',
      '5:5 a step that differs from an ordinary call must say what it expects',
    ],
    [
      'a balance call has a body',
      '  - balance:\n    trickle: 3\n    expect: either\n',
      '5:5 a balance call has no body, so `trickle` does not apply',
    ],
    [
      'a balance call breaks in its body',
      '  - balance:\n    break: half-body\n',
      '5:5 a balance call has no body in which to break the connection',
    ],
    [
      'a balance call changes its body',
      '  - balance:\n    tamper: body\n    expect: refused\n',
      '5:5 a balance call has no body to tamper with',
    ],
    [
      'a bet changes its query',
      '  - bet:\n    tamper: { query: { a: "b" } }\n    expect: refused\n',
      '5:5 a bet has no query to tamper with',
    ],
    [
      'a call that is no balance call is read later',
      '  - call: bet\n    after: 1s\n',
      '5:5 `after` can be used only for a balance call, not for a bet',
    ],
    [
      'a read is both later and repeated',
      '  - balance:\n    after: 1s\n    eventually: 2s\n',
      '6:5 `after` and `eventually` cannot be used together',
    ],
    [
      'a single call has the reply of an earlier one',
      '  - bet:\n    expect: { reply: same }\n',
      '5:5 only a resend or copies of one call can have the same reply as an earlier call',
    ],
    [
      'an amount is not an amount',
      '  - bet: { amount: "1,5" }\n',
      '4:12 `1,5` is not an amount, and a step that differs from an ordinary call must say what it expects',
    ],
    [
      'copies are outside `together`',
      '  - bet:\n    copies: 2\n',
      '5:5 `copies` are sent at the same instant, so they must be inside `together`',
    ],
    [
      'it has copies and times',
      '  - together:\n      - bet:\n        copies: 2\n        times: 2\n',
      '6:9 `times` and `copies` cannot be used together',
    ],
    [
      'too many calls are sent at once',
      '  - together:\n      - bet:\n        times: 1001\n',
      '6:9 at most 1000 calls can be sent at the same instant',
    ],
    ['a repeated step has a name', '  - bet:\n    times: 2\n    as: a\n', '6:5 a repeated step cannot have a name'],
  ])('is reported if %s', (_when, text, message) => {
    expect(mistakes(text)).toEqual([message]);
  });

  it.each([
    ['it is signed correctly on purpose', '  - bet:\n    sign: valid\n'],
    ['it only breaks the connection', '  - bet:\n    break: sent\n'],
    ['it expects that a wrong amount is declined', '  - bet: { amount: "1,5" }\n    expect: declined\n'],
    [
      'its copies have the same reply',
      '  - together:\n      - bet:\n        copies: 2\n        expect: { reply: same }\n',
    ],
  ])('is accepted if %s', (_when, text) => {
    expect(mistakes(text)).toEqual([]);
  });

  it('that cannot be read is omitted, and the other steps are still checked', () => {
    expect(mistakes('  - call: bett\n    as: a\n  - resend: a\n  - bet: { amuont: "1" }\n')).toEqual([
      '4:11 `bett` is not a call',
      '7:12 unknown key `amuont` in a bet',
    ]);
  });
});
