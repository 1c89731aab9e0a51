import { CROUPIER, timeOf } from './command.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 31;

/** `croupier --version` against a Node that does nothing. */
export async function measureVersion(): Promise<Measurement> {
  const [bare = [], version = []] = await inTurn(ROUNDS, [
    () => timeOf(['-e', '0']),
    () => timeOf([CROUPIER, '--version']),
  ]);
  return {
    what: 'croupier --version',
    detail: `${median(version).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`,
    value: median(version) / median(bare),
    unit: 'times',
    limit: 1.3,
  };
}
