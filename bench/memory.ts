import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { longScenario } from './long-scenario.ts';
import type { Measurement } from './measurement.ts';
import { scenarioRun } from './scenario-run.ts';
import { type ServedOperator, withOperator } from './served-operator.ts';

const FEW = 1000;
const MANY = 100_000;
const REPORTER = path.join(import.meta.dirname, 'peak-reporter.js');

/**
 * Measures the maximum memory of a run with many exchanges, compared with a run with few. The operator runs in another
 * process.
 */
export async function measureMemory(): Promise<Measurement> {
  const few = await withOperator((operator) => peakOf(FEW, operator));
  const many = await withOperator((operator) => peakOf(MANY, operator));
  return {
    what: `peak memory, ${MANY} exchanges`,
    detail: `${megabytes(many)}, for ${FEW} exchanges ${megabytes(few)}`,
    value: many / few,
    unit: 'times',
    limit: 1.2,
  };
}

/** Plays a run with this number of exchanges. @returns its maximum memory in kilobytes */
async function peakOf(exchanges: number, operator: ServedOperator): Promise<number> {
  return withFolder(async (folder) => {
    const peak = path.join(folder, 'peak');
    await timeOf(
      ['--import', `${REPORTER}?${peak}`, ...(await scenarioRun(longScenario(exchanges), operator, folder))],
      folder,
    );
    return Number.parseInt(await readFile(peak, 'utf8'), 10);
  });
}

function megabytes(kilobytes: number): string {
  return `${(kilobytes / 1024).toFixed(0)} MB`;
}
