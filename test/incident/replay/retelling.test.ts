import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { compareReplies, verdictOf } from '../../../src/incident/replay/compare.ts';
import { type Retelling, retell } from '../../../src/incident/replay/retelling.ts';
import { untoldOf } from '../../../src/incident/replay/untold.ts';
import type { Story } from '../../../src/incident/story/story.ts';
import type { Outcome } from '../../../src/journal/exchange.ts';
import { Log } from '../story/calls.ts';

function toldOf({ calls }: Story, speed: number | null = 1): Retelling {
  return retell(calls, {
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

it('does not take a call for one at once that the service had given up', () => {
  const log = new Log()
    .bet('t-1', '20.00', { balance: '80.00', tookMs: 6000, at: 0 })
    .refund('t-2', 't-1', '20.00', { balance: '100.00', tookMs: 50, at: 5 });
  expect(toldOf(log.story()).draft.steps).toEqual([
    { bet: { amount: '20.00' }, as: 'bet1' },
    { refund: { of: 'bet1' } },
  ]);
});

it('lets a refund name its bet though the bet came after it', () => {
  const log = new Log().refund('t-2', 't-1', '20.00', { balance: '100.00' }).bet('t-1', '20.00', { balance: '80.00' });
  expect(toldOf(log.story(), null).draft.steps).toEqual([
    { refund: { of: 'bet1' } },
    { bet: { amount: '20.00' }, as: 'bet1', expect: 'either' },
  ]);
});

it('keeps when calls overlapped, faster where it is played faster', () => {
  const story = new Log()
    .bet('t-1', '1.00', { balance: '99.00', tookMs: 900, at: 0 }, { round: 'r-1' })
    .bet('t-2', '1.00', { balance: '98.00', tookMs: 100, at: 0.5 }, { round: 'r-2' })
    .story();
  const at = (speed: number | null): unknown => {
    const [step] = toldOf(story, speed).draft.steps;
    const [, second] = (step?.together ?? []) as readonly { readonly at?: string }[];
    return second?.at;
  };
  expect([at(1), at(2), at(null)]).toEqual(['500ms', '250ms', '500ms']);
});

it('compares what was answered and by how much the balance moved', () => {
  const { calls } = new Log().balance('100.00').bet('t-1', '5.00', { balance: '95.00' }).story();
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
  expect(verdictOf(same, NOTHING, NOTHING, true)).toBe('same');
  expect(verdictOf(other, NOTHING, NOTHING, true)).toBe('differs');
  expect(verdictOf(other, wrong, NOTHING, true)).toBe('fixed');
  expect(verdictOf(other, wrong, wrong, true)).toBe('still failing');
  expect(verdictOf(other, NOTHING, wrong, true)).toBe('regressed');
  expect(verdictOf(same, wrong, NOTHING, false)).toBe('undecided');
});

it('does not call fixed what nobody wrote down', () => {
  const { calls } = new Log().bet('t-1', '5.00', { none: 'untold' }).story();
  const compared = compareReplies(calls, new Map([[1, replied(200, '95.00')]]), new Set());
  expect(compared[0]?.verdict).toBe('unknown');
  expect(verdictOf(compared, NOTHING, NOTHING, true)).toBe('undecided');
});

it('says what an access log leaves out', () => {
  const { calls } = new Log().access('bet', 200, 0).access('win', 500, 2).story();
  expect(untoldOf(calls, new Map()).map((text) => text.slice(0, 30))).toEqual([
    'What calls 1 and 2 moved is no',
    'The txID of calls 1 and 2 is n',
    'The round of calls 1 and 2 is ',
    'The session of calls 1 and 2 i',
  ]);
});
