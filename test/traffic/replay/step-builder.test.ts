import { describe, expect, it } from 'vitest';
import type { SignKind } from '../../../src/contract/deviation.ts';
import { pauseText, StepBuilder } from '../../../src/traffic/replay/step-builder.ts';
import { Log } from '../timeline/calls.ts';

interface Given {
  readonly wrong?: readonly number[];
  readonly signing?: Readonly<Record<number, SignKind>>;
}

function builderOf({ wrong = [], signing = {} }: Given): StepBuilder {
  const kinds = Object.entries(signing).map(([number, kind]) => [Number(number), kind] as const);
  return new StepBuilder({ wrong: new Set(wrong), signing: new Map(kinds) });
}

/** The steps of calls that were sent one after another. */
function steps(log: Log, given: Given = {}): readonly object[] {
  const builder = builderOf(given);
  const drafts = log.timeline().calls.map((call) => builder.step(call));
  return drafts.map((draft) => draft.json());
}

/** The steps of calls that were sent in parallel. */
function parallelSteps(log: Log, offsets: readonly number[], given: Given = {}): readonly object[] {
  const drafts = builderOf(given).stepsAtOnce(log.timeline().calls, offsets);
  return drafts.map((draft) => draft.json());
}

const OK = { balance: '95.00' };

describe('the steps of single calls', () => {
  it.each<[string, Log, readonly object[]]>([
    ['a balance call', new Log().balance('100'), [{ balance: null }]],
    ['a bet', new Log().bet('b', '5.00', OK), [{ bet: { amount: '5.00' } }]],
    ['a free bet', new Log().bet('b', '5.00', OK, { type: 'free' }), [{ bet: { amount: '5.00', type: 'free' } }]],
    [
      'a bet and its win in one round',
      new Log().bet('b', '5.00', OK).win('w', '9.00', OK),
      [{ bet: { amount: '5.00' }, as: 'bet1' }, { win: { round: 'bet1', amount: '9.00' } }],
    ],
    [
      'a win in another round',
      new Log().bet('b', '5.00', OK).win('w', '9.00', OK, { round: 'r-2' }),
      [{ bet: { amount: '5.00' } }, { win: { round: 'new', amount: '9.00' }, expect: 'either' }],
    ],
    [
      'a bet that is sent again',
      new Log().bet('b', '5.00', OK).bet('b', '5.00', OK),
      [{ bet: { amount: '5.00' }, as: 'bet1' }, { resend: 'bet1' }],
    ],
    [
      'a used txID with another amount',
      new Log().bet('b', '5.00', OK).bet('b', '6.00', OK),
      [
        { bet: { amount: '5.00' }, as: 'bet1' },
        { bet: { round: 'bet1', amount: '6.00', txID: `\${bet1.txID}` }, expect: 'either' },
      ],
    ],
    [
      'a refund of a bet',
      new Log().bet('b', '5.00', OK).refund('f', 'b', '5.00', OK),
      [{ bet: { amount: '5.00' }, as: 'bet1' }, { refund: { of: 'bet1' } }],
    ],
    [
      'a refund with another amount and another round',
      new Log().bet('b', '5.00', OK).refund('f', 'b', '4.00', OK, { round: 'r-2' }),
      [{ bet: { amount: '5.00' }, as: 'bet1' }, { refund: { of: 'bet1', round: 'new', amount: '4.00' } }],
    ],
    [
      'a second refund of a bet',
      new Log().bet('b', '5.00', OK).refund('f', 'b', '5.00', OK).refund('g', 'b', '5.00', OK),
      [
        { bet: { amount: '5.00' }, as: 'bet1' },
        { refund: { of: 'bet1' } },
        { refund: { of: 'bet1' }, expect: 'either' },
      ],
    ],
    [
      'a refund of an unknown bet',
      new Log().refund('f', 'b', '5.00', OK),
      [{ refund: { of: 'unknown', amount: '5.00' } }],
    ],
    [
      'a refund before its bet',
      new Log().refund('f', 'b', '5.00', OK).bet('b', '5.00', OK),
      [{ refund: { of: 'bet1' } }, { bet: { amount: '5.00' }, as: 'bet1', expect: 'either' }],
    ],
    [
      'a refund that names another refund',
      new Log().bet('b', '5.00', OK).refund('f', 'b', '5.00', OK).refund('g', 'f', '5.00', OK),
      [
        { bet: { amount: '5.00' }, as: 'bet1' },
        { refund: { of: 'bet1' }, as: 'refund1' },
        { refund: { origTxID: `\${refund1.txID}`, amount: '5.00' } },
      ],
    ],
    [
      'an amount that is not in the format of the contract',
      new Log().bet('b', '5,00', OK),
      [{ bet: null, body: { set: { amount: '5,00' } }, expect: 'either' }],
    ],
    [
      'two sessions',
      new Log().bet('b', '5.00', OK).bet('c', '1.00', OK, { session: 's-2', round: 'r-2' }),
      [{ bet: { amount: '5.00' } }],
    ],
  ])('replay %s', (_, log, expected) => {
    expect(steps(log).slice(0, expected.length)).toEqual(expected);
  });

  it.each<[string, Parameters<Log['bet']>[2], object]>([
    ['a declined bet', { status: 402, code: 'insufficient_funds' }, { expect: 'either' }],
    ['a bet with an unknown reply', { none: 'unknown' }, { expect: 'either' }],
    ['a bet without a reply', { none: 'reset' }, {}],
    ['a bet with a 500', { status: 500 }, {}],
  ])('expect the reply that the contract allows to %s', (_, answered, more) => {
    expect(steps(new Log().bet('b', '5.00', answered))).toEqual([{ bet: { amount: '5.00' }, ...more }]);
  });

  it('expect the reply of the contract to a declined bet that should have been accepted', () => {
    const log = new Log().bet('b', '5.00', { status: 402, code: 'insufficient_funds' });
    expect(steps(log, { wrong: [1] })).toEqual([{ bet: { amount: '5.00' } }]);
  });

  it.each<[SignKind, object]>([
    ['valid', {}],
    ['wrong-key', { sign: 'wrong-key', expect: 'refused' }],
    ['missing', { sign: 'missing', expect: 'refused' }],
    ['upper-case', { sign: 'upper-case', expect: 'either' }],
  ])('sign a bet in the recorded way: %s', (kind, more) => {
    expect(steps(new Log().bet('b', '5.00', OK), { signing: { 1: kind } })).toEqual([
      { bet: { amount: '5.00' }, ...more },
    ]);
  });

  it('keep the signature of a resent call, and name only a different one', () => {
    const log = new Log().bet('b', '5.00', OK).bet('b', '5.00', OK).bet('b', '5.00', OK);
    const [, same, other] = steps(log, { signing: { 1: 'wrong-key', 2: 'wrong-key', 3: 'valid' } });
    expect(same).toEqual({ resend: 'bet1', expect: 'refused' });
    expect(other).toEqual({ resend: 'bet1', sign: 'valid' });
  });
});

describe('the steps of parallel calls', () => {
  it('join the same request at the same time to one step with copies', () => {
    const log = new Log().bet('b', '5.00', OK).bet('b', '5.00', OK).bet('b', '5.00', OK);
    expect(parallelSteps(log, [0, 0, 0.5])).toEqual([{ bet: { amount: '5.00' }, copies: 3, expect: 'either' }]);
  });

  it('keep the offset of a later copy in a step of its own', () => {
    const log = new Log().bet('b', '5.00', OK).bet('b', '5.00', OK);
    expect(parallelSteps(log, [0, 40])).toEqual([
      { bet: { amount: '5.00' }, as: 'bet1' },
      { resend: 'bet1', at: '40ms', expect: 'either' },
    ]);
  });

  it('keep copies with different signatures apart', () => {
    const log = new Log().bet('b', '5.00', OK).bet('b', '5.00', OK);
    expect(parallelSteps(log, [0, 0], { signing: { 2: 'wrong-key' } })).toMatchObject([
      { bet: { amount: '5.00' } },
      { resend: 'bet1', sign: 'wrong-key' },
    ]);
  });

  it('expect either reply to a bet in parallel with its refund', () => {
    const log = new Log().bet('b', '5.00', OK).refund('f', 'b', '5.00', OK);
    expect(parallelSteps(log, [0, 0])).toEqual([
      { bet: { amount: '5.00' }, as: 'bet1', expect: 'either' },
      { refund: { of: 'bet1' }, expect: 'either' },
    ]);
  });
});

it.each([
  [0.2, '1ms'],
  [42, '42ms'],
  [304, '300ms'],
  [1234, '1.2s'],
  [45_400, '45s'],
  [720_000, '12m'],
  [10 * 86_400_000, '1440m'],
])('a pause of %d ms is written as %s', (ms, text) => {
  expect(pauseText(ms)).toBe(text);
});
