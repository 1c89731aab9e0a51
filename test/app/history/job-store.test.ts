import { expect, it, onTestFinished } from 'vitest';
import { JobStore } from '../../../src/app/history/job-store.ts';
import { openHistory } from '../../../src/history/history.ts';

it('says once that the database is back, when all work that had failed is done', async () => {
  const said: string[] = [];
  const store = new JobStore(
    () => openHistory(undefined),
    (text) => said.push(text),
  );
  onTestFinished(() => store.close());
  // A full disk: reading is possible, but each write fails.
  let isFull = true;
  const failed = Promise.withResolvers<void>();
  const write = store.untilDone(async (history) => {
    if (isFull) {
      failed.resolve();
      throw new Error('database or disk is full');
    }
    return history.selectFrom('job').selectAll().execute();
  });
  await failed.promise;
  const read = () => store.untilDone((history) => history.selectFrom('run').selectAll().execute());
  await read();
  await read();
  const away = "The database can't be used: database or disk is full. Trying again until it can be used.";
  expect(said).toEqual([away]);
  isFull = false;
  expect(await write).toEqual([]);
  expect(said).toEqual([away, 'The database can be used again.']);
  await read();
  expect(said).toHaveLength(2);
});
