import { CROUPIER, timeOf } from './command.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 21;

/** `croupier lint` of the whole built-in suite against a Node that does nothing. */
export async function measureLint(): Promise<Measurement> {
  const [bare = [], lint = []] = await inTurn(ROUNDS, [() => timeOf(['-e', '0']), () => timeOf([CROUPIER, 'lint'])]);
  return {
    what: 'croupier lint, the whole suite',
    detail: `${median(lint).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`,
    value: median(lint) / median(bare),
    unit: 'times',
    limit: 5,
  };
}
