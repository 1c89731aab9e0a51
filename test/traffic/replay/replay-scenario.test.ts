import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/journal/exchange.ts';
import { compareReplies, verdictOf } from '../../../src/traffic/replay/compare.ts';
import { missingData } from '../../../src/traffic/replay/missing-data.ts';
import { type ReplayScenario, replayScenario } from '../../../src/traffic/replay/replay-scenario.ts';
import type { IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { Log } from '../timeline/calls.ts';

function loggedOf({ calls }: IncidentTimeline, speed: number | null = 1): ReplayScenario {
  return replayScenario(calls, {
    title: 'x',
    broken: [],
    wrong: new Set(),
    signing: new Map(),
    speed,
    currency: null,
    uuid: randomUUID,
  });
}

function replied(status: number, balance: string): Outcome {
  const data = JSON.stringify({ balance, txID: 'op' });
  const body = { encoding: 'utf8', data, length: data.length, truncated: false } as const;
  return { kind: 'reply', reply: { status, headers: [], body } };
}

const NOTHING = { rules: new Set<string>(), calls: new Set<number>() };

it('a call after the timeout of another one is not replayed in parallel with it', () => {
  const log = new Log()
    .bet('t-1', '20.00', { balance: '80.00', tookMs: 6000, at: 0 })
    .refund('t-2', 't-1', '20.00', { balance: '100.00', tookMs: 50, at: 5 });
  expect(loggedOf(log.timeline()).draft.steps).toEqual([
    { bet: { amount: '20.00' }, as: 'bet1' },
    { refund: { of: 'bet1' } },
  ]);
});

it('a refund refers to its bet even if the bet came later', () => {
  const log = new Log().refund('t-2', 't-1', '20.00', { balance: '100.00' }).bet('t-1', '20.00', { balance: '80.00' });
  expect(loggedOf(log.timeline(), null).draft.steps).toEqual([
    { refund: { of: 'bet1' } },
    { bet: { amount: '20.00' }, as: 'bet1', expect: 'either' },
  ]);
});

it('overlapping calls keep their offsets, which a higher speed shortens', () => {
  const timeline = new Log()
    .bet('t-1', '1.00', { balance: '99.00', tookMs: 900, at: 0 }, { round: 'r-1' })
    .bet('t-2', '1.00', { balance: '98.00', tookMs: 100, at: 0.5 }, { round: 'r-2' })
    .timeline();
  const at = (speed: number | null): unknown => {
    const [step] = loggedOf(timeline, speed).draft.steps;
    const [, second] = (step?.together ?? []) as readonly { readonly at?: string }[];
    return second?.at;
  };
  expect([at(1), at(2), at(null)]).toEqual(['500ms', '250ms', '500ms']);
});

it('replies are compared by status and by the change of the balance', () => {
  const { calls } = new Log().balance('100.00').bet('t-1', '5.00', { balance: '95.00' }).timeline();
  const compare = (bet: Outcome) =>
    compareReplies(
      calls,
      new Map([
        [1, replied(200, '7.00')],
        [2, bet],
      ]),
      new Set(),
    );
  expect(compare(replied(200, '2.00')).map(({ verdict }) => verdict)).toEqual(['same', 'same']);
  expect(compare(replied(200, '7.00'))[1]).toMatchObject({ verdict: 'differs', differences: ['change'] });
  expect(compare(replied(500, '2.00'))[1]).toMatchObject({ verdict: 'differs', differences: ['answer'] });
  const wrong = { rules: new Set(['bet.debit']), calls: new Set([2]) };
  const [same, other] = [compare(replied(200, '2.00')), compare(replied(200, '7.00'))];
  expect(verdictOf(same, NOTHING, NOTHING, true, true)).toBe('same');
  expect(verdictOf(other, NOTHING, NOTHING, true, true)).toBe('differs');
  expect(verdictOf(other, wrong, NOTHING, true, true)).toBe('fixed');
  expect(verdictOf(other, wrong, NOTHING, true, false)).toBe('not reproduced');
  expect(verdictOf(other, wrong, wrong, true, true)).toBe('still failing');
  expect(verdictOf(other, NOTHING, wrong, true, true)).toBe('regressed');
  expect(verdictOf(same, wrong, NOTHING, false, true)).toBe('undecided');
});

it('a replay of a call without a recorded reply is undecided, not fixed', () => {
  const { calls } = new Log().bet('t-1', '5.00', { none: 'unknown' }).timeline();
  const compared = compareReplies(calls, new Map([[1, replied(200, '95.00')]]), new Set());
  expect(compared[0]?.verdict).toBe('unknown');
  expect(verdictOf(compared, NOTHING, NOTHING, true, true)).toBe('undecided');
});

it('missing data of an access log is listed', () => {
  const { calls } = new Log().access('bet', 200, 0).access('win', 500, 2).timeline();
  expect(missingData(calls, new Map()).map((text) => text.slice(0, 30))).toEqual([
    'The amount of calls 1 and 2 is',
    'The txID of calls 1 and 2 is n',
    'The round of calls 1 and 2 is ',
    'The session of calls 1 and 2 i',
  ]);
});
