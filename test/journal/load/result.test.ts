import { describe, expect, it } from 'vitest';
import { concludeLoad, type LoadFacts } from '../../../src/journal/load/result.ts';
import { RIGHT_LOAD as RIGHT } from '../../load/load-result.ts';

const PROBLEM: LoadFacts['money']['problems'][number] = {
  player: 'anna',
  sessionID: 's-1',
  currency: 'EUR',
  rule: 'bet.debit',
  expected: '1.00',
  shown: '2.00',
  difference: '1.00',
  transactions: [],
  isOneOfSeveral: false,
  windowSize: 3,
  atMs: 5,
  isDrift: false,
  hasMovedInSilence: false,
  replay: 'croupier replay',
};

const FINDING: LoadFacts['findings'][number] = {
  rule: 'reply.json',
  verdict: 'fail',
  call: 'bet',
  count: 1,
  expected: '',
  actual: '',
  player: 'anna',
  sessionID: 's-1',
  txID: null,
  atMs: 5,
};

const limit = (isHeld: boolean | null) => ({
  limit: 'p99 < 1s',
  actual: isHeld === null ? null : 1,
  unit: ' ms',
  isHeld,
});
const money = (own: Partial<LoadFacts['money']>) => ({ money: { ...RIGHT.money, ...own } });
const SLOW = { croupierItself: { ...RIGHT.croupierItself, isBottleneck: true } };

const CASES: readonly (readonly [what: string, own: Partial<LoadFacts>, verdict: string, exitCode: number])[] = [
  ['everything is right', {}, 'RECONCILED', 0],
  ['a limit is kept', { limits: [limit(true)] }, 'RECONCILED', 0],
  ['a SHOULD is broken', { findings: [{ ...FINDING, verdict: 'warn' }] }, 'RECONCILED', 0],
  ['a balance is wrong', money({ problems: [PROBLEM] }), 'NOT RECONCILED', 1],
  ['a balance is wrong and croupier is slow', { ...money({ problems: [PROBLEM] }), ...SLOW }, 'NOT RECONCILED', 1],
  ['a MUST is broken', { findings: [FINDING] }, 'NOT RECONCILED', 1],
  ['a limit is missed', { limits: [limit(false)] }, 'NOT RECONCILED', 1],
  ['a limit is missed, but croupier is slow', { limits: [limit(false)], ...SLOW }, 'UNDECIDED', 3],
  ['croupier is slow', SLOW, 'UNDECIDED', 3],
  ['a limit is missed only because croupier was late', { limits: [{ ...limit(null), actual: 1200 }] }, 'UNDECIDED', 3],
  ['a limit cannot be checked', { limits: [limit(null)] }, 'UNDECIDED', 3],
  ['a balance moved by itself', money({ problems: [{ ...PROBLEM, isDrift: true }] }), 'UNDECIDED', 3],
  [
    'as many balances moved by themselves as transactions explain',
    money({ problems: [PROBLEM, { ...PROBLEM, isDrift: true }] }),
    'UNDECIDED',
    3,
  ],
  [
    'transactions explain most of the wrong balances',
    money({ problems: [PROBLEM, PROBLEM, { ...PROBLEM, isDrift: true }] }),
    'NOT RECONCILED',
    1,
  ],
  ['a call is owed', money({ owed: [{ player: 'anna', call: 'win', txID: 't', amount: '1' }] }), 'UNDECIDED', 3],
  ['a balance is unread', money({ unread: ['anna'] }), 'UNDECIDED', 3],
  ['a session ended', { sessionsEnded: ['s-1'] }, 'UNDECIDED', 3],
  ['no balance could be read', money({ players: 0, transactions: 0 }), 'UNDECIDED', 3],
  [
    'every bet was declined or refunded',
    money({ byCurrency: RIGHT.money.byCurrency.map((one) => ({ ...one, staked: '0.00' })) }),
    'UNDECIDED',
    3,
  ],
];

describe('the verdict of a load test', () => {
  it.each(CASES)('if %s', (_, own, verdict, exitCode) => {
    const conclusion = concludeLoad({ ...RIGHT, ...own });
    expect(conclusion).toMatchObject({ verdict, exitCode });
    expect(conclusion.reasons.length > 0).toBe(verdict !== 'RECONCILED');
  });

  it('names each broken rule once, with all calls that showed it', () => {
    const findings = [FINDING, { ...FINDING, call: 'win' as const, count: 4 }];
    expect(concludeLoad({ ...RIGHT, findings }).reasons).toEqual(['reply.json is broken (5 calls)']);
  });
});
