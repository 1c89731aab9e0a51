import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CROUPIER, timeOf } from './command.ts';
import { withDelay } from './delayed-address.ts';
import { withFolder } from './folder.ts';
import type { Measurement } from './measurement.ts';
import { withOperator } from './served-operator.ts';

/** The delay of each direction, in milliseconds: about the distance from Europe to America. */
const DELAY_MS = 65;

/** Measures `croupier run --quick` with one session against an operator that is far away, from its start to its exit. */
export async function measureQuick(): Promise<Measurement> {
  const ms = await withOperator(({ extCID, baseUrl, key, session: { sessionID, player, currency } }) =>
    withFolder((folder) => {
      const url = new URL(baseUrl);
      return withDelay(Number(url.port), DELAY_MS, async (port) => {
        const keyFile = path.join(folder, 'key');
        await writeFile(keyFile, key);
        url.port = String(port);
        const session = `${sessionID},player=${player},currency=${currency}`;
        const client = ['--base-url', url.href, '--ext-cid', extCID, '--key-file', keyFile, '--session', session];
        return timeOf([CROUPIER, 'run', '--quick', ...client], folder);
      });
    }),
  );
  return {
    what: 'run --quick with one session, far away',
    detail: `${DELAY_MS} ms in each direction`,
    value: ms / 1000,
    unit: 'seconds',
    limit: 45,
  };
}
