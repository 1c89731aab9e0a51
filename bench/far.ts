import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CROUPIER, timeOf } from './command.ts';
import { withDelay } from './delayed-address.ts';
import { withFolder } from './folder.ts';
import type { Measurement } from './measurement.ts';
import { withOperator } from './served-operator.ts';

/** The delay of each direction, in milliseconds: about the distance from Europe to America. */
const FAR_MS = 65;
/** The delay of each direction, in milliseconds: about the distance between two countries of Europe. */
const NEAR_MS = 20;

/** Measures how long a whole run with one session takes if the operator is far away, from its start to its exit. */
export async function measureFar(): Promise<Measurement> {
  const { ms } = await playFar(FAR_MS, []);
  return {
    what: 'a whole run with one session, far away',
    detail: `${FAR_MS} ms in each direction`,
    value: ms / 1000,
    unit: 'seconds',
    limit: 130,
  };
}

/** Measures how long `croupier run --quick` takes with one session if the operator is far away. */
export async function measureQuick(): Promise<Measurement> {
  const { ms, calls } = await playFar(FAR_MS, ['--quick']);
  return {
    what: 'run --quick with one session, far away',
    detail: `${FAR_MS} ms in each direction, ${calls} calls`,
    value: ms / 1000,
    unit: 'seconds',
    limit: 45,
  };
}

/** Counts the calls of a whole run with one session. */
export async function measureCalls(): Promise<Measurement> {
  const { calls } = await playFar(NEAR_MS, []);
  return {
    what: 'the calls of a whole run with one session',
    detail: `${NEAR_MS} ms in each direction`,
    value: calls,
    unit: 'calls',
    limit: 1000,
  };
}

/** Runs croupier with one session against a reference operator behind a delay. @returns the time and the number of calls */
async function playFar(
  delayMs: number,
  flags: readonly string[],
): Promise<{ readonly ms: number; readonly calls: number }> {
  return withOperator(({ extCID, baseUrl, key, session: { sessionID, player, currency } }) =>
    withFolder((folder) => {
      const url = new URL(baseUrl);
      return withDelay(Number(url.port), delayMs, async (port) => {
        const keyFile = path.join(folder, 'key');
        const journal = path.join(folder, 'run.ndjson');
        await writeFile(keyFile, key);
        url.port = String(port);
        const session = `${sessionID},player=${player},currency=${currency}`;
        const client = ['--base-url', url.href, '--ext-cid', extCID, '--key-file', keyFile, '--session', session];
        const ms = await timeOf([CROUPIER, 'run', ...flags, ...client, '--journal', journal], folder);
        const calls = (await readFile(journal, 'utf8'))
          .split('\n')
          .filter((line) => line.includes('"event":"sending"'));
        return { ms, calls: calls.length };
      });
    }),
  );
}
