import { type History, openExistingHistory } from '../../history/history.ts';
import { DatabaseError } from '../../sqlite/database.ts';
import { UsageError } from '../exit-status.ts';

/**
 * Opens the history of a working directory for one piece of work, and closes it afterwards.
 *
 * @param database the address of a PostgreSQL database that has the history instead
 * @param work gets undefined if the folder has no history
 * @throws UsageError when the history can't be used
 */
export async function useHistory<T>(
  dir: string,
  work: (history: History | undefined) => Promise<T>,
  database?: string,
): Promise<T> {
  let history: History | undefined;
  try {
    history = await openExistingHistory({ dir, database });
    return await work(history);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new UsageError(`The history can't be used. ${error.message}`, { cause: error });
  } finally {
    await history?.destroy();
  }
}
