import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { type Evidence, explain } from '../../../src/load/cause/explanation.ts';
import type { LoadTransaction } from '../../../src/load/wallet.ts';
import { transaction } from '../transaction.ts';

const lost = transaction({ number: 1, call: 'bet', amount: '1.01', isOverlapped: true });
const doubled = transaction({ number: 2, call: 'win', amount: '1.02', copies: 2 });
const reversed = transaction({ number: 3, call: 'bet', amount: '1.04', state: 'reversed', isBroken: true });
const declined = transaction({ number: 4, call: 'bet', amount: '1.08', state: 'none', status: 409 });
const window = [lost, doubled, reversed, declined];

function evidence(suspects: readonly LoadTransaction[] = window): Evidence {
  return {
    suspects,
    window: suspects,
    earlier: [],
    olderRefunded: [],
    repeated: [],
    others: [],
    older: [],
    crashes: [],
    unit: Money.of('0.01'),
  };
}

function difference(text: string): Money {
  return text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text);
}

it.each([
  ['1.01', 'concurrency.no-lost-update', [1], 'was answered 200, but took nothing'],
  ['1.02', 'idempotency.win', [2], 'was credited twice'],
  ['-1.04', 'refund.broken-connection', [3], 'was refunded with 200, but its money is missing'],
  ['-0.52', 'refund.restore', [3], 'was refunded with 200, but only half of its money came back'],
  [
    '1.04',
    'refund.unknown-pays-nothing',
    [3],
    'took nothing, but its refund paid the amount, or its refund paid twice',
  ],
  ['-1.08', 'bet.declined-takes-nothing', [4], 'was answered 409, but took its amount'],
] as const)('a difference of %s breaks %s, by transactions %j', (text, rule, numbers, what) => {
  const explanation = explain(difference(text), evidence());
  expect(explanation).toMatchObject({ rule, isOneOfSeveral: false });
  expect(explanation.suspicions.map((one) => one.transaction.number)).toEqual(numbers);
  expect(explanation.suspicions[0]?.what).toBe(what);
});

it('two transactions that were lost at the same moment are named together', () => {
  const win = transaction({ number: 2, call: 'win', amount: '1.45' });
  const { rule, suspicions, isOneOfSeveral } = explain(difference('-0.44'), evidence([lost, win]));
  expect([rule, suspicions.map((one) => one.transaction.number), isOneOfSeveral]).toEqual([
    'concurrency.no-lost-update',
    [1, 2],
    false,
  ]);
});

it('a difference of the smallest unit is explained by rounding, even if two lost transactions could cause it', () => {
  const explanation = explain(difference('-0.01'), evidence());
  expect(explanation).toMatchObject({ rule: 'money.exact', isOneOfSeveral: true });
});

it.each([
  ['down', '-0.013', ['1.014', '1.029'], '1.01'],
  ['half up', '0.012', ['1.016', '1.025', '1.017'], '1.02'],
  ['half to even', '-0.011', ['1.014', '1.025', '1.012'], '1.01'],
])('amounts that were rounded %s are named', (_, text, amounts, booked) => {
  const wins = amounts.map((amount, at) => transaction({ number: at + 1, call: 'win', amount, sentAt: at * 1000 }));
  const explanation = explain(difference(text), { ...evidence(wins), unit: Money.of('0.001') });
  expect(explanation).toMatchObject({ rule: 'money.exact', isOneOfSeveral: false });
  expect(explanation.suspicions.map((one) => one.transaction.number)).toEqual(wins.map(({ number }) => number));
  expect(explanation.suspicions[0]?.what).toBe(`was booked with ${booked}`);
});

it.each([
  ['0.57', 'bet', '1.57', '1'],
  ['-0.43', 'bet', '1.57', '2'],
  ['-0.57', 'win', '1.57', '1'],
  ['0.07', 'bet', '1.57', '1.5'],
] as const)('a difference of %s is explained by one %s of %s that was booked with %s', (text, call, amount, booked) => {
  const other = transaction({ number: 1, call: 'bet', amount: '1.34' });
  const rounded = transaction({ number: 2, call, amount });
  const { rule, suspicions, isOneOfSeveral } = explain(difference(text), evidence([other, rounded]));
  expect([rule, isOneOfSeveral]).toEqual(['money.exact', false]);
  expect(suspicions.map(({ transaction: { number }, what }) => [number, what])).toEqual([
    [2, `was booked with ${booked}`],
  ]);
});

it('if one rounded amount explains a difference as well as two of them, the two are only possible', () => {
  const bet = transaction({ number: 1, call: 'bet', amount: '2.26' });
  const win = transaction({ number: 2, call: 'win', amount: '14.80' });
  const other = transaction({ number: 3, call: 'win', amount: '14.41' });
  expect(explain(difference('0.05'), evidence([bet, win, other]))).toMatchObject({ isOneOfSeveral: false });
  const alone = transaction({ number: 4, call: 'bet', amount: '3.05' });
  const cut = transaction({ number: 5, call: 'win', amount: '4.05' });
  expect(explain(difference('0.05'), evidence([bet, alone, cut, other]))).toMatchObject({ isOneOfSeveral: true });
});

it('of many transactions, none is blamed because its decimals fit', () => {
  const amounts = [
    '1.04',
    '1.08',
    '1.13',
    '1.21',
    '1.31',
    '1.45',
    '1.66',
    '1.81',
    '1.97',
    '2.23',
    '2.48',
    '2.82',
    '3.04',
  ];
  const bets = amounts.map((amount, at) => transaction({ number: at + 1, call: 'bet', amount }));
  expect(explain(difference('0.66'), evidence(bets)).suspicions).toEqual([]);
});

it.each(['-0.83', '-0.82', '-0.825'])('the half of an uneven refund may be rounded to %s', (half) => {
  const odd = transaction({ number: 5, call: 'bet', amount: '1.65', state: 'reversed', isBroken: true });
  const { rule, suspicions } = explain(difference(half), evidence([lost, odd]));
  expect([rule, suspicions.map((one) => one.transaction.number)]).toEqual(['refund.restore', [5]]);
});

it('a difference that nothing explains names no transaction', () => {
  expect(explain(difference('55.5'), evidence())).toEqual({
    rule: 'money.conservation',
    suspicions: [],
    isOneOfSeveral: false,
  });
});

it.each([
  ['one lost and one doubled transaction', '2.03', {}],
  ['a lost transaction and a declined bet', '-0.07', {}],
  ['two lost transactions of different moments', '-0.49', { amount: '1.5', sentAt: 1000, endedAt: 1010 }],
])('a difference is not explained by %s, because no one fault causes both', (_, text, moment) => {
  const later = transaction({ number: 2, call: 'win', amount: '1.02', copies: 2, ...moment });
  expect(explain(difference(text), evidence([lost, later, reversed, declined])).suspicions).toEqual([]);
});

it('two transactions that were lost at different moments are only a possibility, and named as a pair', () => {
  const later = transaction({ number: 2, call: 'win', amount: '1.5', sentAt: 1000, endedAt: 1010 });
  const { rule, suspicions, possible } = explain(difference('-0.49'), evidence([lost, later]));
  expect([rule, suspicions]).toEqual(['money.conservation', []]);
  expect(possible?.map((one) => [one.transaction.number, one.what])).toEqual([
    [1, 'was answered 200, but took nothing, together with tx-2'],
    [2, 'was answered 200, but was not credited, together with tx-1'],
  ]);
});

it('no transactions at different moments are named if many pairs of them fit', () => {
  const bets = ['1.01', '1.02', '1.03', '1.04', '1.05', '1.06'].map((amount, at) =>
    transaction({ number: at, call: 'bet', amount, sentAt: 1000 * at, endedAt: 1000 * at + 10 }),
  );
  const { suspicions, possible } = explain(difference('2.07'), evidence(bets));
  expect([suspicions, possible]).toEqual([[], undefined]);
});

it('a transaction before the last quiet point is named if its effect changed later, and only alone', () => {
  const earlier = [transaction({ number: 7, amount: '1.34' }), transaction({ number: 8, amount: '1.37' })];
  const { suspicions } = explain(difference('1.34'), { ...evidence(), earlier });
  expect(suspicions.map((one) => [one.transaction.number, one.what])).toEqual([
    [7, 'was answered 200, but took nothing. The balance was right at first, and changed later'],
  ]);
  expect(explain(difference('2.71'), { ...evidence([]), earlier }).suspicions).toEqual([]);
});

it('a transaction that was sent again at the end can only have been processed twice', () => {
  const repeated = [transaction({ number: 7, amount: '1.34', copies: 2, isRepeatedAtEnd: true })];
  const { rule, suspicions } = explain(difference('-1.34'), { ...evidence([]), repeated });
  expect([rule, suspicions[0]?.what]).toEqual(['idempotency.durable', 'was taken twice']);
  expect(explain(difference('1.34'), { ...evidence([]), repeated }).suspicions).toEqual([]);
});

it('two transactions of one amount are possibilities, not certainties', () => {
  const twin = transaction({ number: 9, call: 'bet', amount: '1.01' });
  expect(explain(difference('1.01'), evidence([...window, twin])).isOneOfSeveral).toBe(true);
});

it("a bet that took another player's amount at the same moment is named", () => {
  const other = transaction({ number: 20, call: 'bet', amount: '7.77' });
  const { suspicions } = explain(difference('-6.76'), { ...evidence([lost]), others: [other] });
  expect(suspicions[0]).toMatchObject({ transaction: lost, rule: 'concurrency.no-lost-update' });
  expect(suspicions[0]?.what).toContain(other.txID);
});

it('a rounded amount and the amount of another player are both possible', () => {
  const other = transaction({ number: 20, call: 'bet', amount: '2.12' });
  const cut = transaction({ number: 2, call: 'win', amount: '1.92' });
  const bet = transaction({ number: 3, call: 'bet', amount: '1.20' });
  const { suspicions, isOneOfSeveral } = explain(difference('-0.92'), { ...evidence([bet, cut]), others: [other] });
  expect(isOneOfSeveral).toBe(true);
  expect(suspicions.map(({ transaction: { number }, kind }) => [number, kind])).toEqual([
    [2, 'other'],
    [3, 'swapped'],
  ]);
});

it('two transactions that were lost together and the amount of another player are both possible', () => {
  const win = transaction({ number: 2, call: 'win', amount: '1.45' });
  const other = transaction({ number: 20, call: 'bet', amount: '1.45' });
  const { suspicions, isOneOfSeveral } = explain(difference('-0.44'), { ...evidence([lost, win]), others: [other] });
  expect(isOneOfSeveral).toBe(true);
  expect(suspicions.map(({ transaction: { number }, kind }) => [number, kind])).toEqual([
    [1, 'lost'],
    [2, 'lost'],
    [1, 'swapped'],
  ]);
  expect(suspicions[0]?.what).toContain(`together with ${win.txID}`);
});

it("an amount of another player is only possible if two of the player's own transactions explain the difference too", () => {
  const other = transaction({ number: 20, call: 'bet', amount: '1.5' });
  const win = transaction({ number: 2, call: 'win', amount: '1.5', sentAt: 1000, endedAt: 1001 });
  const explanation = explain(difference('-0.49'), { ...evidence([lost, win]), others: [other] });
  expect(explanation).toMatchObject({ suspicions: [{ transaction: lost }], isOneOfSeveral: true });
});

it('among transactions that a right reply has confirmed, only a single one is named', () => {
  const confirmed = { ...evidence([]), window };
  expect(explain(difference('1.01'), confirmed).suspicions).toHaveLength(1);
  expect(explain(difference('2.03'), confirmed).suspicions).toEqual([]);
});

it.each([
  ['-99.99', 'money.main-unit', 'was booked with 100 times its amount'],
  ['0.01', 'money.exact', 'was booked with a rounded amount, or the sum was rounded'],
])('a difference of %s of one bet breaks %s', (text, rule, what) => {
  expect(explain(difference(text), evidence([lost]))).toMatchObject({ rule, suspicions: [{ what }] });
});

it('each transaction that alone explains a difference is named, and the one that was sent twice comes first', () => {
  const bet = transaction({ number: 1, call: 'bet', amount: '5.00' });
  const win = transaction({ number: 2, call: 'win', amount: '5.00', copies: 2, isCopiedAtOnce: true });
  const { rule, suspicions, isOneOfSeveral } = explain(difference('5'), evidence([bet, win]));
  expect([rule, isOneOfSeveral]).toEqual(['idempotency.concurrent', true]);
  expect(suspicions.map((one) => one.transaction.number)).toEqual([2, 1]);
});

it('a refund that was sent twice is named, and not its bet', () => {
  const refund = transaction({
    number: 5,
    call: 'refund',
    amount: '1.04',
    bet: reversed,
    copies: 2,
    isCopiedAtOnce: true,
  });
  const { rule, suspicions } = explain(difference('1.04'), evidence([reversed, refund]));
  expect(rule).toBe('idempotency.concurrent');
  expect(suspicions.map(({ transaction: { number }, what }) => [number, what])).toEqual([
    [5, 'was paid twice, or was paid although its bet took nothing'],
  ]);
});

it('a bet that was refunded some windows ago may be taken late, which is likelier than a bet that was taken twice', () => {
  const late = transaction({ number: 9, call: 'bet', amount: '1.01', state: 'reversed', status: 500 });
  const given = { ...evidence(), olderRefunded: [late] };
  const { rule, suspicions, isOneOfSeveral } = explain(difference('-1.01'), given);
  expect([rule, isOneOfSeveral]).toEqual(['refund.after-error', true]);
  expect(suspicions.map((one) => one.transaction.number)).toEqual([9, 1]);
  // An old bet is not refunded a second time.
  expect(explain(difference('1.01'), { ...given, suspects: [], window: [] }).suspicions).toEqual([]);
});

it('a refund that pays the amount of another bet of its round is named', () => {
  const bets = [
    transaction({ number: 1, call: 'bet', amount: '1.30', state: 'reversed', isBroken: true }),
    transaction({ number: 2, call: 'bet', amount: '1.65' }),
    transaction({ number: 3, call: 'bet', amount: '1.95', roundID: 'another round' }),
  ];
  const { rule, suspicions } = explain(difference('0.35'), evidence(bets));
  expect([rule, suspicions.map(({ transaction: { number }, what }) => [number, what])]).toEqual([
    'refund.one-of-many',
    [[1, 'was refunded with 1.65, the amount of the bet tx-2 of the same round']],
  ]);
  expect(explain(difference('0.65'), evidence(bets)).rule).not.toBe('refund.one-of-many');
});

it('a bet whose refund paid one unit less is among the transactions that may be rounded', () => {
  const { suspicions } = explain(difference('-0.01'), evidence());
  expect(suspicions.map((one) => one.transaction.number)).toContain(reversed.number);
});

it('two transactions of one of several explanations are named as a pair', () => {
  const wins = ['1.10', '1.20', '1.30', '1.40'].map((amount, at) =>
    transaction({ number: at + 1, call: 'win', amount, isOverlapped: true }),
  );
  const { suspicions, isOneOfSeveral } = explain(difference('-2.50'), evidence(wins));
  expect(isOneOfSeveral).toBe(true);
  expect(suspicions.map(({ what }) => what)).toEqual([
    'was answered 200, but was not credited, together with tx-4',
    'was answered 200, but was not credited, together with tx-1',
  ]);
});

it('bets and wins that were all lost before a call failed, as in a crash, are named together', () => {
  const at = (number: number) => ({ sentAt: number * 1000, endedAt: number * 1000 + 5 });
  const before = [
    transaction({ number: 1, call: 'bet', amount: '1.10', ...at(1) }),
    transaction({ number: 2, call: 'win', amount: '7.20', ...at(2) }),
    transaction({ number: 3, call: 'bet', amount: '1.40', ...at(3) }),
    transaction({ number: 4, call: 'bet', amount: '1.80', ...at(4) }),
  ];
  const failed = transaction({
    number: 5,
    call: 'bet',
    amount: '1.31',
    state: 'reversed',
    status: undefined,
    ...at(5),
  });
  const after = transaction({ number: 6, call: 'bet', amount: '1.65', ...at(6) });
  const crashed = explain(difference('-4'), evidence([...before, failed, after]));
  expect(crashed.suspicions.map((one) => one.transaction.number)).toEqual([2, 3, 4]);
  expect(crashed.isOneOfSeveral).toBe(false);
  // Without the failed call, the same difference may come from somebody else.
  expect(explain(difference('-4'), evidence([...before, after])).suspicions).toEqual([]);
});

/** Transactions of ten seconds, one after another. The operator may have crashed after the last one. */
function beforeCrash(): readonly LoadTransaction[] {
  const at = (number: number) => ({ number, sentAt: number * 1000, endedAt: number * 1000 + 5 });
  const bet = transaction({ ...at(2), call: 'bet', amount: '1.20', state: 'reversed', isBroken: true });
  return [
    transaction({ ...at(1), call: 'win', amount: '7.10' }),
    bet,
    transaction({ ...at(3), call: 'refund', amount: '1.20', bet }),
    transaction({ ...at(4), call: 'bet', amount: '1.40' }),
    transaction({ ...at(5), call: 'win', amount: '1.81' }),
    transaction({ ...at(6), call: 'bet', amount: '1.33' }),
  ];
}

/** Explains a difference after a crash. Returns the numbers of the transactions, and whether there are several explanations. */
function afterCrash(text: string, own: Partial<Evidence> = {}): readonly [readonly number[], boolean] {
  const given = { ...evidence(beforeCrash()), crashes: [7000], ...own };
  const { suspicions, isOneOfSeveral } = explain(difference(text), given);
  return [suspicions.map((one) => one.transaction.number), isOneOfSeveral];
}

it.each([
  ['a bet and a win', '-0.48', [5, 6]],
  ['two bets and a win', '0.92', [4, 5, 6]],
  ['a refund, but not its bet', '-0.28', [2, 4, 5, 6]],
  ['a bet together with its refund, and a win before them', '-6.18', [1, 4, 5, 6]],
])('of the transactions directly before a crash, %s may be lost', (_, text, numbers) => {
  expect(afterCrash(text)).toEqual([numbers, false]);
  expect(afterCrash(text, { crashes: [] })[0]).toEqual([]);
});

it('a crash loses only transactions directly before it', () => {
  expect(afterCrash('-0.41')[0]).toEqual([]);
  expect(afterCrash('-0.48', { crashes: [5500] })[0]).toEqual([]);
  expect(afterCrash('-0.41', { crashes: [5500] })).toEqual([[4, 5], false]);
});

it('of two transactions that were in flight at the same time, a crash may lose either one', () => {
  const [win, bet] = [
    transaction({ number: 1, call: 'win', amount: '1.10', sentAt: 1000, endedAt: 1500 }),
    transaction({ number: 2, call: 'bet', amount: '1.30', sentAt: 1400, endedAt: 1600 }),
  ];
  const later = transaction({ number: 3, call: 'bet', amount: '1.72', sentAt: 1700, endedAt: 1710 });
  const given = { window: [win, bet, later], suspects: [win, bet, later] };
  expect(afterCrash('3.02', given)).toEqual([[2, 3], false]);
  expect(afterCrash('0.62', given)).toEqual([[1, 3], false]);
});

it('a transaction that was accepted again after the crash is not lost', () => {
  const again = beforeCrash().map((one) => (one.number === 6 ? { ...one, copies: 2, endedAt: 8000 } : one));
  expect(afterCrash('-0.48', { window: again, suspects: again })[0]).toEqual([]);
  expect(afterCrash('-0.41', { window: again, suspects: again })).toEqual([[4, 5], false]);
});

it('a crash may lose transactions from before the last quiet points', () => {
  const all = beforeCrash();
  const given = { window: all.slice(5), suspects: all.slice(5), earlier: all.slice(4, 5), older: all.slice(0, 4) };
  expect(afterCrash('0.92', given)).toEqual([[4, 5, 6], false]);
});

it('after a crash, each explanation is named, and each transaction with those that belong to it', () => {
  const doubled = transaction({ number: 9, call: 'bet', amount: '0.48', copies: 2, sentAt: 7500, endedAt: 7510 });
  const suspects = [...beforeCrash(), doubled];
  const given = { ...evidence(suspects), crashes: [7000] };
  const { suspicions, isOneOfSeveral } = explain(difference('-0.48'), given);
  expect(isOneOfSeveral).toBe(true);
  expect(suspicions.map(({ transaction: { number }, what }) => [number, what])).toEqual([
    [5, 'was answered 200, but was not credited, together with tx-6'],
    [6, 'was answered 200, but took nothing, together with tx-5'],
    [9, 'was taken twice'],
  ]);
});

it('two crashes may each have lost transactions directly before them, but this is only one of several explanations', () => {
  const [first, second] = [4100, 7000];
  // The bet before the first crash took 1.40, and the bet before the second crash took 1.33.
  expect(afterCrash('2.73', { crashes: [first, second] })).toEqual([[4, 6], true]);
  expect(afterCrash('0.92', { crashes: [first, second] })).toEqual([[4, 5, 6], false]);
  expect(afterCrash('2.73', { crashes: [first] })[0]).toEqual([]);
  expect(afterCrash('2.73', { crashes: [second] })[0]).toEqual([]);
});

it('if several losses in two crashes explain a difference, none of them is named', () => {
  const at = (number: number) => ({ number, sentAt: number * 1000, endedAt: number * 1000 + 5 });
  const all = ['7.10', '1.07', '1.40', '1.21', '1.07', '1.33'].map((amount, index) =>
    transaction({ ...at(index + 1), call: 'bet', amount }),
  );
  const given = { window: all, suspects: all, crashes: [3100, 7000] };
  expect(afterCrash('2.73', given)).toEqual([[3, 6], true]);
  // With bets 3 and 6, either bet 2 or bet 5 may be lost.
  expect(afterCrash('3.80', given)[0]).toEqual([]);
});
