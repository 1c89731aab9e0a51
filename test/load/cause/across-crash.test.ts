import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { explainAcrossCrash } from '../../../src/load/cause/across-crash.ts';
import { explain } from '../../../src/load/cause/explanation.ts';
import { transaction } from '../transaction.ts';

const AMOUNTS = ['1.01', '1.23', '1.07', '1.38', '1.16', '1.29'];
/** Bets of six seconds, one after another. The balance is read at 6500, and the operator crashes at 7000. */
const bets = AMOUNTS.map((amount, at) =>
  transaction({ number: at, amount, sentAt: at * 1000, endedAt: at * 1000 + 100 }),
);
const evidence = {
  suspects: bets,
  window: bets,
  earlier: [],
  olderRefunded: [],
  repeated: [],
  others: [],
  older: [],
  crashes: [7000],
  unit: Money.of('0.01'),
};

it('a fault before a first read, and a crash after it, are explained one after the other', () => {
  // The wallet never took bet 4. Then the crash lost the bets 3 and 5.
  const [before, inCrash] = [Money.of('1.16'), Money.of('1.38').plus(Money.of('1.29'))];
  expect(explain(before.plus(inCrash), evidence).suspicions.map((one) => one.transaction.number)).toEqual([3, 4, 5]);
  const explained = explainAcrossCrash({ before, inCrash, readAt: 6500 }, evidence);
  expect(explained?.map(({ suspicions }) => suspicions.map((one) => one.transaction.number))).toEqual([[4], [3, 5]]);
});

it('a bet that was taken twice before the crash is explained apart from the bets that the crash has lost', () => {
  const [before, inCrash] = [
    Money.of('1.23').negated(),
    Money.of('1.38').plus(Money.of('1.16')).plus(Money.of('1.29')),
  ];
  expect(explain(before.plus(inCrash), evidence).suspicions).toEqual([]);
  const explained = explainAcrossCrash({ before, inCrash, readAt: 6500 }, evidence);
  expect(explained?.map(({ rule, suspicions }) => [rule, suspicions.map((one) => one.transaction.number)])).toEqual([
    ['bet.debit', [1]],
    ['bet.debit', [3, 4, 5]],
  ]);
});

it.each([
  ['the first read', '0.50', '1.29'],
  ['the change in the crash', '1.16', '0.50'],
])('nothing is explained if no transaction explains %s', (_, before, inCrash) => {
  const reads = { before: Money.of(before), inCrash: Money.of(inCrash), readAt: 6500 };
  expect(explainAcrossCrash(reads, evidence)).toBeUndefined();
});
