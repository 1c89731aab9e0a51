import path from 'node:path';
import { CROUPIER, timeOf, timeOfProgram } from './command.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 31;
const EXECUTABLE = path.join(import.meta.dirname, '..', 'build', 'croupier');

/** Measures `croupier --version` of the package, compared with a Node that does nothing. */
export function measureVersion(): Promise<Measurement> {
  return againstNode('croupier --version', 1.15, () => timeOf([CROUPIER, '--version']));
}

/** Measures `croupier --version` of the single executable, compared with a Node that does nothing. */
export function measureBinary(): Promise<Measurement> {
  return againstNode('croupier --version, single executable', 1.6, () => timeOfProgram(EXECUTABLE, ['--version']));
}

async function againstNode(what: string, limit: number, timeOfVersion: () => Promise<number>): Promise<Measurement> {
  const [bare = [], version = []] = await inTurn(ROUNDS, [() => timeOf(['-e', '0']), timeOfVersion]);
  return {
    what,
    detail: `${median(version).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`,
    value: median(version) / median(bare),
    unit: 'times',
    limit,
  };
}
