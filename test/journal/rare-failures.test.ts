import { describe, expect, it } from 'vitest';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent, KnownFailure } from '../../src/journal/event.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import type { WrongSum } from '../../src/journal/money-sums.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../journal/events.ts';

const SCENARIOS = ['bet/a', 'bet/b', 'signature/c'].map((id) =>
  planned(id, ['bet.debit', 'win.credit', 'signature.no-effect', 'money.conservation']),
);

/** In two scenarios, half of a bet was not taken, once each. */
const HALF: WrongSum = { amount: '0.50', currency: 'USD', moved: '1' };

interface Case {
  readonly sum?: Partial<WrongSum>;
  readonly recurs?: boolean;
  readonly known?: boolean;
  readonly halves?: readonly string[];
  readonly rule?: 'signature.no-effect' | 'money.conservation';
  readonly alsoWins?: boolean;
  /** The sum by which a bet of the same read is wrong. */
  readonly alsoBet?: string;
}

/** A run in which a scenario about signatures has a wrong sum, after a bet of 3. */
async function foldOf({
  sum = {},
  recurs = false,
  known = false,
  halves = ['bet/a', 'bet/b'],
  rule = 'signature.no-effect',
  alsoWins = false,
  alsoBet,
}: Case): Promise<Fold> {
  const start = runStarted(SCENARIOS);
  const wrongSum = {
    amount: '1.50',
    currency: 'USD',
    moved: '3',
    calls: [{ call: 'bet', amount: '3' }],
    ...sum,
  } as const;
  const entry: KnownFailure = {
    rule: 'bet.debit',
    endpoint: null,
    scenario: null,
    reason: 'known',
    ticket: 'PAY-1',
    expires: '2999-01-01',
    intermittent: true,
    line: 1,
    tried: true,
  };
  return await foldJournal([
    { ...start, ...(known && { baseline: { file: 'b.yaml', known: [entry] } }) },
    ...SCENARIOS.flatMap(({ id }): readonly JournalEvent[] => [
      started(id),
      ...(halves.includes(id) ? [found(id, 'bet.debit', 'fail', { wrongSum: HALF, unrepeated: true })] : []),
      ...(alsoWins && id === 'bet/a' ? [found(id, 'win.credit', 'fail', { wrongSum: HALF, unrepeated: true })] : []),
      ...(alsoBet && id === 'signature/c'
        ? [found(id, 'bet.debit', 'fail', { wrongSum: { ...HALF, amount: alsoBet, moved: '3' }, unrepeated: true })]
        : []),
      ...(id === 'signature/c'
        ? [found(id, rule, 'fail', { wrongSum, ...(!recurs && { unrepeated: true as const }) })]
        : []),
      ended(id, {
        passes: {
          'bet.debit': { '*': 9 },
          'win.credit': { '*': 9 },
          'money.conservation': { '*': 9 },
          ...(id !== 'signature/c' && { 'signature.no-effect': { '*': 1 } }),
        },
      }),
    ]),
    { event: 'intermittent', sessionID: 's', player: 'eva', times: 3 },
    runEnded(),
  ]);
}

const verdictOf = async (given: Case): Promise<string> => {
  const result = (await foldOf(given)).rules.find(({ rule }) => rule.id === (given.rule ?? 'signature.no-effect'));
  return `${result?.verdict} ${result?.because ?? '-'}`;
};

describe('a failure that a rare failure of another rule explains exactly', () => {
  it('is undecided, and known if the baseline lists the other rule', async () => {
    expect(await verdictOf({})).toBe('inconclusive bet.debit');
    const fold = await foldOf({ known: true, halves: ['bet/a'] });
    expect(fold.rules.find(({ rule }) => rule.id === 'signature.no-effect')?.reason).toMatch(
      /^the failure of `bet.debit`, which occurs now and then, explains exactly this sum/,
    );
    expect(fold.scenarios.find(({ planned: { id } }) => id === 'signature/c')?.verdict).toBe('inconclusive');
    expect(conclude(fold).exitCode).toBe(0);
  });

  it('is undecided also if the wrong balance was divided into a sum of each rule', async () => {
    const sum = { amount: '-1.50' };
    expect(await verdictOf({ sum, alsoBet: '3' })).toBe('inconclusive bet.debit');
    expect(await verdictOf({ sum, alsoBet: '4' })).toBe('fail -');
  });

  it('fails if it occurs again', async () => {
    expect(await verdictOf({ recurs: true })).toBe('fail -');
    expect(conclude(await foldOf({ recurs: true, known: true })).exitCode).toBe(1);
  });

  it('fails for `money.conservation` if another kind of call fails too, because any call may lose money', async () => {
    const rule = 'money.conservation';
    expect([await verdictOf({ rule }), await verdictOf({ rule, alsoWins: true })]).toEqual([
      'inconclusive bet.debit',
      'fail -',
    ]);
  });

  it.each<[string, Case]>([
    ['the sum is another share of the call', { sum: { amount: '3' } }],
    ['the sum has the other sign', { sum: { amount: '-1.50' } }],
    ['no such call was sent', { sum: { calls: [{ call: 'win', amount: '3' }] } }],
    ['the other rule failed in one scenario only', { halves: ['bet/a'] }],
    ['the other rule did not fail', { halves: [], known: true }],
  ])('fails if %s', async (_name, given) => expect(await verdictOf(given)).toBe('fail -'));
});
