import { expect, it } from 'vitest';
import { OperatorTxIDs } from '../../src/load/operator-tx-ids.ts';
import { transaction } from './transaction.ts';

it('a txID of the operator that two transactions got is found, also with thousands of transactions between them', () => {
  const ids = new OperatorTxIDs();
  const take = (txID: string, operatorTxID: string) => ids.take(transaction({ amount: '1', txID, operatorTxID }));
  expect(take('first', 'op-same')).toBeUndefined();
  for (let at = 0; at < 2000; at += 1) expect(take(`other-${at}`, `op-${at}`)).toBeUndefined();
  expect(take('second', 'op-same')).toBe('first');
  expect(take('second', 'op-same')).toBeUndefined();
});

it('the latest txIDs are found after the table was filled several times, and no different txIDs are reported', () => {
  const ids = new OperatorTxIDs();
  const take = (txID: string, operatorTxID: string) => ids.take(transaction({ amount: '1', txID, operatorTxID }));
  for (let at = 0; at < 50_000; at += 1) expect(take(`tx-${at}`, `op-${at}`)).toBeUndefined();
  const found = Array.from({ length: 100 }, (_, at) => take(`again-${at}`, `op-${49_999 - at}`));
  expect(found.filter((txID, at) => txID === `tx-${49_999 - at}`).length).toBeGreaterThan(90);
  expect(found.every((txID, at) => txID === undefined || txID === `tx-${49_999 - at}`)).toBe(true);
});

it('an empty txID, a very long txID, and a txID of wide characters are not compared', () => {
  const ids = new OperatorTxIDs();
  for (const operatorTxID of ['', 'x'.repeat(101), 'op-\u4e00']) {
    expect(ids.take(transaction({ amount: '1', txID: 'a', operatorTxID }))).toBeUndefined();
    expect(ids.take(transaction({ amount: '1', txID: 'b', operatorTxID }))).toBeUndefined();
  }
});
