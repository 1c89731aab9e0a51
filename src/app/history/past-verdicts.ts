import type { RunStarted } from '../../journal/event.ts';
import type { ReportOptions } from '../../report/options.ts';
import type { Stdio } from '../stdio.ts';
import { databaseIn } from './settings.ts';

/**
 * Returns the verdicts of earlier runs of the same client from the history of the working directory. Undefined if the folder has no
 * history, or if the history can't be read: a report is possible without these verdicts.
 */
export async function pastVerdictsOf(
  run: RunStarted,
  stdio: Pick<Stdio, 'cwd' | 'env'>,
): Promise<ReportOptions['past']> {
  try {
    const [{ openExistingHistory }, { verdictsBefore }, { operatorOf }] = await Promise.all([
      import('../../history/history.ts'),
      import('../../history/rule-results.ts'),
      import('../../history/operator-name.ts'),
    ]);
    const history = await openExistingHistory({ dir: stdio.cwd, database: databaseIn(stdio) });
    if (!history) return undefined;
    try {
      const { runID, startedAt, client } = run;
      return await verdictsBefore(history, { runID, startedAt, client: client.extCID, operator: operatorOf(run) });
    } finally {
      await history.destroy();
    }
  } catch {
    return undefined;
  }
}
