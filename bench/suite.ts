import { CROUPIER, timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 3;

/** Measures the whole `croupier run` command, from its start to its exit, against the embedded operator. */
export async function measureSuite(): Promise<Measurement> {
  return withFolder(async (folder) => {
    const [bare = [], suite = []] = await inTurn(ROUNDS, [
      () => timeOf(['-e', '0']),
      () => timeOf([CROUPIER, 'run', '--reference'], folder),
    ]);
    return {
      what: 'the suite against the embedded operator',
      detail: `${(median(suite) / median(bare)).toFixed(0)} times node -e 0, most of it waiting for late debits`,
      value: median(suite) / 1000,
      unit: 'seconds',
      limit: 4.5,
    };
  });
}
