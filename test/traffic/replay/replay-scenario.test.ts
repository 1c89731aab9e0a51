import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import type { Outcome } from '../../../src/journal/exchange.ts';
import { compareReplies, verdictOf } from '../../../src/traffic/replay/compare.ts';
import { missingData } from '../../../src/traffic/replay/missing-data.ts';
import {
  type CutOffCalls,
  type ReplayScenario,
  type ReplayScenarioOptions,
  replayScenario,
} from '../../../src/traffic/replay/replay-scenario.ts';
import { notRepeated } from '../../../src/traffic/replay/reproduction.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { Log } from '../timeline/calls.ts';

function loggedOf({ calls }: IncidentTimeline, speed: number | null = 1, cutsOff?: CutOffCalls): ReplayScenario {
  return replayScenario(calls, { ...OPTIONS, speed, cutsOff });
}

const OPTIONS: ReplayScenarioOptions = {
  title: 'x',
  broken: [],
  wrong: new Set(),
  signing: new Map(),
  speed: 1,
  currency: null,
  currencyOf: () => null,
  offered: null,
  hasOtherClient: false,
  uuid: randomUUID,
};

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

it('no attempt of a call is broken if the missing reply to one of them is the mistake', () => {
  const log = new Log()
    .bet('t-1', '200.00', { none: 'reset', tookMs: 5, at: 0 })
    .bet('t-1', '200.00', { none: 'reset', tookMs: 5, at: 1 })
    .refund('t-2', 't-1', '200.00', { balance: '100.00', tookMs: 50, at: 2 })
    .bet('t-3', '1.00', { none: 'reset', tookMs: 5, at: 3 }, { round: 'r-2' })
    .refund('t-4', 't-3', '1.00', { balance: '100.00', tookMs: 50, at: 4 }, { round: 'r-2' });
  const { calls } = log.timeline();
  const { cutOff } = replayScenario(calls, { ...OPTIONS, wrong: new Set([2]), cutsOff: 'unanswered' });
  expect([...cutOff]).toEqual([4]);
});

it('the connection of a call without a reply in time can be broken, and the time until the deadline becomes a pause', () => {
  const log = new Log()
    .bet('t-1', '20.00', { none: 'too-late', tookMs: 5000, at: 0 })
    .refund('t-2', 't-1', '20.00', { balance: '80.00', tookMs: 50, at: 6 })
    .bet('t-3', '1.00', { none: 'too-late', tookMs: 5000, at: 10 }, { round: 'r-2' });
  const timeline = log.timeline();
  const { draft, calls, cutOff } = loggedOf(timeline, 1, 'unanswered');
  expect(draft.steps).toEqual([
    { bet: { amount: '20.00' }, as: 'bet1', break: 'sent' },
    { wait: '6s' },
    { refund: { of: 'bet1' } },
    { wait: '4s' },
    { bet: { amount: '1.00' } },
  ]);
  const broken: Outcome = { kind: 'none', reason: 'broken', detail: '' };
  const compared = compareReplies(
    calls,
    new Map([
      [1, broken],
      [2, replied(200, '80.00')],
    ]),
    new Set(),
  );
  expect([[...cutOff], compared[0]?.verdict]).toEqual([[1], 'same']);
  // The log does not show whether the operator had carried out the bet before the refund came.
  const missing = (...rules: readonly string[]) =>
    notRepeated({
      compared,
      past: { rules: new Set(rules), calls: new Set([2]) },
      decided: new Set(rules),
      ...ORDINARY,
      wrongReplies: new Set(),
    });
  expect(missing('refund.restore')).toEqual([
    'in the logs, call 1 (bet of 20.00) had no reply in time, so the replay broke its connection. In the replay, the operator may have carried out this call before call 2 (refund of 20.00) came. The logs do not show whether this also happened in the incident',
  ]);
  // A reason names each call once, also if it has two parts.
  expect(missing('refund.restore', 'reply.deadline')).toEqual([
    'in the logs, call 1 (bet of 20.00) had no reply in time, so the replay broke its connection. The reply time of this call was not tested. In the replay, the operator may have carried out this call before call 2 (refund of 20.00) came. The logs do not show whether this also happened in the incident',
  ]);
});

it('a scenario that breaks the connection of each late call does not test the reply time', () => {
  const log = new Log()
    .bet('t-1', '20.00', { none: 'too-late', tookMs: 5000, at: 0 })
    .refund('t-2', 't-1', '20.00', { balance: '80.00', tookMs: 50, at: 6 });
  const untested = ({ calls }: IncidentTimeline, cutsOff?: CutOffCalls) =>
    replayScenario(calls, { ...OPTIONS, broken: ['reply.deadline'], cutsOff }).untested;
  expect(untested(log.timeline(), 'unanswered')).toEqual(['reply.deadline']);
  expect(untested(log.timeline())).toEqual([]);
  // No other call follows, so the replay waits for the reply.
  log.bet('t-3', '1.00', { none: 'too-late', tookMs: 5000, at: 20 }, { round: 'r-2' });
  expect(untested(log.timeline(), 'unanswered')).toEqual([]);
});

it('the connection of a call whose reply was lost is broken, unless the lost reply is the mistake', () => {
  const { calls } = new Log()
    .bet('t-1', '20.00', { none: 'reset', at: 0 })
    .refund('t-2', 't-1', '20.00', { balance: '80.00', at: 6 })
    .timeline();
  const options = { ...OPTIONS, cutsOff: 'unanswered' as const };
  const { draft, cutOff, calls: replayed } = replayScenario(calls, options);
  expect(draft.steps[0]).toEqual({ bet: { amount: '20.00' }, as: 'bet1', break: 'sent' });
  expect(replayScenario(calls, { ...options, wrong: new Set([1]) }).draft.steps[0]).toEqual({
    bet: { amount: '20.00' },
    as: 'bet1',
  });
  const compared = compareReplies(
    replayed,
    new Map<number, Outcome>([
      [1, { kind: 'none', reason: 'broken', detail: '' }],
      [2, replied(200, '80.00')],
    ]),
    new Set(),
  );
  expect([[...cutOff], compared[0]?.verdict]).toEqual([[1], 'same']);
  expect(
    notRepeated({
      compared,
      past: { rules: new Set(['refund.restore']), calls: new Set([2]) },
      decided: new Set(['refund.restore']),
      ...ORDINARY,
      wrongReplies: new Set(),
    }),
  ).toEqual([
    'in the logs, call 1 (bet of 20.00) had no reply, so the replay broke its connection. In the replay, the operator may have carried out this call before call 2 (refund of 20.00) came. The logs do not show whether this also happened in the incident',
  ]);
});

it('a bet that never reached the operator is not sent, so its refund is the refund of an unknown bet', () => {
  const log = new Log()
    .bet('t-1', '20.00', { none: 'refused', at: 0 })
    .refund('t-2', 't-1', '20.00', { status: 404, at: 2 })
    .refund('t-2', 't-1', '20.00', { balance: '100.00', at: 4 });
  expect(loggedOf(log.timeline(), null).draft.steps).toEqual([
    { refund: { of: 'unknown', amount: '20.00' }, as: 'refund1' },
    { resend: 'refund1' },
  ]);
  const alone = new Log().bet('t-1', '20.00', { none: 'refused', at: 0 });
  expect(loggedOf(alone.timeline(), null).draft.steps).toEqual([{ bet: { amount: '20.00' } }]);
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

/** Two players in two currencies, whose calls overlap in time. The second player bets the whole balance. */
function ofTwoPlayers(): IncidentTimeline {
  const second = { session: 's-2', round: 'r-2' };
  const log = new Log()
    .bet('t-0', '200', { balance: '800', tookMs: 20, at: -1 }, second)
    .bet('t-1', '1.00', { balance: '99.00', tookMs: 900, at: 0 })
    .bet('t-2', '800', { balance: '0', tookMs: 100, at: 0.5 }, second)
    .win('t-3', '800', { balance: '800', tookMs: 100, at: 0.7 }, second);
  const known = new Map([
    ['s-1', { player: 'anna', currency: 'EUR' }],
    ['s-2', { player: 'dora', currency: 'JPY' }],
  ]);
  return buildTimeline(log.calls, {}, known);
}

function draftOf(timeline: IncidentTimeline, broken: readonly RuleId[], offered: ReadonlySet<string> | null = null) {
  const currencies = new Map(timeline.wallets.map(({ wallet, currency }) => [wallet, currency]));
  return replayScenario(timeline.calls, {
    ...OPTIONS,
    broken,
    offered,
    currencyOf: ({ wallet }) => currencies.get(wallet) ?? null,
  }).draft;
}

it('calls of two players that overlapped stay in their order, unless the broken rule is about overlapping calls', () => {
  const timeline = ofTwoPlayers();
  expect(draftOf(timeline, ['win.credit']).steps).toEqual([
    { bet: { amount: '200' }, as: 'bet1' },
    { wait: '980ms' },
    { bet: { amount: '1.00', session: 'second' } },
    { balance: null },
    { bet: { round: 'bet1', amount: '${balance}' } },
    { win: { round: 'bet1', amount: '800' } },
  ]);
  expect(draftOf(timeline, ['concurrency.no-lost-update']).steps.at(-1)).toHaveProperty('together');
});

it('the session of another player has the currency of the record, if the test has such a session', () => {
  const timeline = ofTwoPlayers();
  const needsWith = (offered: ReadonlySet<string> | null) => draftOf(timeline, ['win.credit'], offered).needs;
  expect(needsWith(null)).toMatchObject({
    currency: { kind: 'fiat', decimals: 0 },
    second: { player: 'other', currency: 'EUR' },
  });
  expect(needsWith(new Set(['USD', 'JPY']))?.second).toEqual({ player: 'other' });
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
  expect(verdictOf(same, NOTHING, NOTHING, { isDecided: true, isRepeated: true })).toBe('same');
  expect(verdictOf(other, NOTHING, NOTHING, { isDecided: true, isRepeated: true })).toBe('differs');
  expect(verdictOf(other, wrong, NOTHING, { isDecided: true, isRepeated: true })).toBe('fixed');
  expect(verdictOf(other, wrong, NOTHING, { isDecided: true, isRepeated: false })).toBe('not reproduced');
  expect(verdictOf(other, wrong, wrong, { isDecided: true, isRepeated: true })).toBe('still failing');
  expect(verdictOf(other, NOTHING, wrong, { isDecided: true, isRepeated: true })).toBe('regressed');
  expect(verdictOf(same, wrong, NOTHING, { isDecided: false, isRepeated: true })).toBe('undecided');
});

it('a replay of a call without a recorded reply is undecided, not fixed', () => {
  const { calls } = new Log().bet('t-1', '5.00', { none: 'unknown' }).timeline();
  const compared = compareReplies(calls, new Map([[1, replied(200, '95.00')]]), new Set());
  expect(compared[0]?.verdict).toBe('unknown');
  expect(verdictOf(compared, NOTHING, NOTHING, { isDecided: true, isRepeated: true })).toBe('undecided');
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

describe('a bet of money that the player does not have', () => {
  const DECLINED = { status: 402, code: 'insufficient_funds' } as const;

  it.each<[string, Log, readonly object[]]>([
    [
      'is higher than the balance of the test too',
      new Log().balance('10.00').bet('t-1', '10.01', DECLINED).balance('10.00'),
      [
        { balance: null },
        {
          bet: { amount: `\${balance + 0.01}` },
          expect: { outcome: 'declined', code: 'insufficient_funds' },
        },
        { balance: null },
      ],
    ],
    [
      'follows a read of the balance',
      new Log().balance('10.00').bet('t-1', '4.00', { balance: '6.00' }).bet('t-2', '6.00', { balance: '0.00' }),
      [
        { balance: null },
        { bet: { amount: '4.00' }, as: 'bet1' },
        { balance: null },
        { bet: { round: 'bet1', amount: `\${balance}` } },
      ],
    ],
    [
      'leaves as little as in the logs',
      new Log().balance('10.00').bet('t-1', '9.99', { balance: '0.01' }),
      [{ balance: null }, { bet: { amount: `\${balance - 0.01}` } }],
    ],
    [
      'does not depend on the balance if it leaves more than a thousandth',
      new Log().balance('10.00').bet('t-1', '9.98', { balance: '0.02' }),
      [{ balance: null }, { bet: { amount: '9.98' } }],
    ],
    [
      'is won back with the same profit',
      new Log()
        .balance('10.00')
        .bet('t-1', '10.00', { balance: '0.00' })
        .win('t-2', '12.50', { balance: '12.50' })
        .balance('12.50'),
      [
        { balance: null },
        { bet: { amount: `\${balance}` }, as: 'bet1' },
        { win: { round: 'bet1', amount: `\${bet1.amount + 2.50}` } },
        { balance: null },
      ],
    ],
    [
      'is given back if the whole balance was declined, so that the next calls have money',
      new Log()
        .balance('10.00')
        .bet('t-1', '10.00', DECLINED)
        .bet('t-2', '1.00', { balance: '9.00' }, { round: 'r-2' }),
      [
        { balance: null },
        { bet: { amount: `\${balance}` }, as: 'bet1', expect: 'either' },
        { refund: { of: 'bet1' }, expect: 'either' },
        { bet: { amount: '1.00' } },
      ],
    ],
  ])('%s', (_title, log, steps) => {
    expect(loggedOf(log.timeline(), null).draft.steps).toEqual(steps);
  });

  it('is sent in parallel with the others that the balance was too low for', () => {
    const log = new Log()
      .balance('10.00', { at: 0 })
      .bet('t-1', '9.00', { balance: '1.00', tookMs: 500, at: 1 }, { round: 'r-1' })
      .bet('t-2', '9.00', { ...DECLINED, tookMs: 500, at: 1 }, { round: 'r-2' });
    const { draft } = loggedOf(log.timeline(), null);
    expect(draft.steps[1]).toEqual({
      together: [1, 2].map(() => ({ bet: { amount: `\${balance - 1}` }, expect: 'either' })),
    });
    expect(draft.needs).toMatchObject({ balance: '2.00' });
  });

  it('has no fixed change of the balance', () => {
    const { calls } = new Log().balance('10.00').bet('t-1', '10.00', { balance: '0.00' }).timeline();
    const now = new Map([
      [1, replied(200, '500.00')],
      [2, replied(200, '0.00')],
    ]);
    const compared = compareReplies(calls, now, new Set(), new Set([2]));
    expect(compared.map(({ verdict, wasScarce }) => [verdict, wasScarce])).toEqual([
      ['same', false],
      ['same', false],
    ]);
  });
});

it('a single read of another session is not replayed', () => {
  const log = new Log().balance('10.00').bet('t-1', '1.00', { balance: '5.00' }, { session: 's-2' });
  expect(loggedOf(log.timeline(), null).draft.steps).toEqual([{ bet: { amount: '1.00' } }]);
});

it('a win in the round of a refunded bet may be declined', () => {
  const log = new Log()
    .bet('t-1', '1.00', { balance: '9.00' })
    .refund('t-2', 't-1', '1.00', { balance: '10.00' })
    .win('t-3', '0', { balance: '10.00' });
  expect(loggedOf(log.timeline(), null).draft.steps[2]).toEqual({
    win: { round: 'bet1', amount: '0' },
    expect: 'either',
  });
});

it('the further parameters of a balance call are sent again', () => {
  const log = new Log();
  const [call] = log.balance('10.00').timeline().calls;
  const { exchange } = call?.seen ?? {};
  if (!call || !exchange) throw new Error('no call');
  const url = '/balance?sessionID=s-1&level=7&place=north+east';
  const seen = { ...call.seen, exchange: { ...exchange, request: { ...exchange.request, url } } };
  const timeline = { ...log.timeline(), calls: [{ ...call, seen }] };
  expect(loggedOf(timeline, null).draft.steps).toEqual([
    {
      balance: null,
      query: { add: { level: '7', place: 'north east' }, order: 'as-given', encode: 'plus' },
      expect: 'accepted',
    },
  ]);
});

/** The parts of a replay without repeats, overlaps and pauses. */
const ORDINARY = {
  rulesOfRepeats: new Set<never>(),
  untestedRepeats: [],
  atOnce: new Set<never>(),
  overlapped: false,
  leftOutMs: new Map<never, never>(),
  verified: new Set<never>(),
  missingCurrencies: new Set<string>(),
};

it('a wrong error reply is not tested again by a call that succeeds now', () => {
  const { calls } = new Log().bet('t-1', '5.00', { status: 402 }).timeline();
  const compared = compareReplies(calls, new Map([[1, replied(200, '5.00')]]), new Set());
  const missing = (wrongReplies: ReadonlySet<number>): readonly string[] =>
    notRepeated({
      compared,
      past: { rules: new Set(['reply.json']), calls: new Set([1]) },
      decided: new Set(['reply.json']),
      ...ORDINARY,
      wrongReplies,
    });
  expect([missing(new Set()), missing(new Set([1]))]).toEqual([
    [],
    ['in the logs, call 1 (bet of 5.00) was answered 402, but in the replay without an error'],
  ]);
});

it('a 500 that breaks no rule is not tested again by a call that succeeds now', () => {
  const { calls } = new Log().bet('t-1', '5.00', { status: 500 }).timeline();
  const compared = compareReplies(calls, new Map([[1, replied(200, '5.00')]]), new Set());
  const missing = notRepeated({
    compared,
    past: { rules: new Set(), calls: new Set([1]) },
    decided: new Set(),
    ...ORDINARY,
    wrongReplies: new Set(),
  });
  expect(missing).toEqual([
    'in the logs, call 1 (bet of 5.00) was answered 500, but in the replay it was answered 200',
  ]);
});

it('a wrong unit that the digits of a balance decide is not tested again with other balances', () => {
  const missing = (first: string, second: string): readonly string[] => {
    const { calls } = new Log().balance(first).bet('t-1', '1.00', { balance: second }).timeline();
    const now = new Map([
      [1, replied(200, '500.25')],
      [2, replied(200, '499.25')],
    ]);
    return notRepeated({
      compared: compareReplies(calls, now, new Set()),
      past: { rules: new Set(['money.main-unit']), calls: new Set([2]) },
      decided: new Set(['money.main-unit']),
      ...ORDINARY,
      wrongReplies: new Set(),
    });
  };
  expect(missing('10.00', '9.99')).toEqual([]);
  expect(missing('10.25', '9')).toEqual([
    expect.stringContaining('the digits of a balance may decide whether it is wrong') as string,
  ]);
});

it('a late reply is not tested again by one reply in time', () => {
  const { calls } = new Log().balance('10.00').win('t-1', '5.00', { balance: '15.00', tookMs: 6000 }).timeline();
  const now = new Map([
    [1, replied(200, '10.00')],
    [2, replied(200, '15.00')],
  ]);
  const missing = notRepeated({
    compared: compareReplies(calls, now, new Set()),
    past: { rules: new Set(['reply.deadline']), calls: new Set([2]) },
    decided: new Set(['reply.deadline']),
    ...ORDINARY,
    wrongReplies: new Set(),
  });
  expect(missing).toEqual([
    'in the logs, call 2 (win of 5.00) had no reply in time, but in the replay it was answered 200 in time. One reply in time does not show that the operator always replies in time, for example under load',
  ]);
});

it.each([
  ['separate balances', ['60.00', '93.00', '59.00'], { player: 'other' }],
  ['separate balances of which one is wrong', ['60.00', '92.99', '59.00'], { player: 'other' }],
  ['one balance', ['94.00', '92.00', '91.00'], { player: 'same' }],
] as const)('sessions with unknown players and %s', (_title, [first, second, third], need) => {
  const log = new Log()
    .bet('t-1', '5.00', { balance: '95.00' }, { session: 's-2' })
    .bet('t-2', '1.00', { balance: first }, { session: 's-3', round: 'r-2' })
    .bet('t-3', '2.00', { balance: second }, { session: 's-2', round: 'r-3' })
    .bet('t-4', '1.00', { balance: third }, { session: 's-3', round: 'r-4' });
  expect(loggedOf(log.timeline(), null).draft.needs?.second).toEqual(need);
});
