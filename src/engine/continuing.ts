import type { JournalEvent } from '../journal/event.ts';
import { renumbered } from '../journal/renumbered.ts';
import type { Aftermath } from './aftermath.ts';

/** Ids and moments of what is sent now go on where those of the run ended, for both stand in one journal. */
export function continuing(
  { exchanges, latestStamp }: Aftermath,
  now: () => number,
  record: (event: JournalEvent) => void,
): (event: JournalEvent) => void {
  const offset = { exchanges, connections: 0, ms: latestStamp - now() + 1 };
  return (event) => record(renumbered(event, offset));
}
