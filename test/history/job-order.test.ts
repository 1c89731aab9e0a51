import { expect, it, onTestFinished } from 'vitest';
import { openHistory } from '../../src/history/history.ts';
import { addJobs, takeJob } from '../../src/history/jobs.ts';

const LEASE_MS = 60_000;

it('a job whose worker has died is taken first, but after three attempts the other jobs are taken before it', async () => {
  const history = await openHistory(undefined);
  onTestFinished(() => history.destroy());
  const operators = ['first', 'second', 'third'];
  await addJobs(
    history,
    operators.map((name, at) => ({ operator: name, extCID: name, dueAt: `2026-11-20T03:0${at}:00.000Z` })),
  );
  const taken: (string | undefined)[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    taken.push((await takeJob(history, operators, 'w', LEASE_MS))?.operator);
    await history.updateTable('job').set({ lease_until: 0 }).where('operator', '=', 'first').execute();
  }
  expect(taken).toEqual(['first', 'first', 'first']);
  for (let attempt = 0; attempt < 4; attempt += 1)
    taken.push((await takeJob(history, operators, 'w', LEASE_MS))?.operator);
  expect(taken.slice(3)).toEqual(['second', 'third', 'first', undefined]);
});
