import type { JournalEvent } from '../journal/event.ts';
import type { Aftermath } from './aftermath.ts';

/** Ids and moments of what is sent now go on where those of the run ended, for both stand in one journal. */
export function continuing(
  { exchanges, latestStamp }: Aftermath,
  now: () => number,
  record: (event: JournalEvent) => void,
): (event: JournalEvent) => void {
  const shift = latestStamp - now() + 1;
  const idOf = (id: string): string => `x${Number(id.slice(1)) + exchanges}`;
  const at = (stamp: number | null): number | null => (stamp === null ? null : stamp + shift);
  return (event) => {
    if (event.event === 'sending') record({ ...event, id: idOf(event.id) });
    else if (event.event === 'received') {
      const { start, resolved, connected, secured, sent, firstByte, end } = event.stamps;
      const stamps = {
        start: start + shift,
        resolved: at(resolved),
        connected: at(connected),
        secured: at(secured),
        sent: at(sent),
        firstByte: at(firstByte),
        end: end + shift,
      };
      record({ ...event, id: idOf(event.id), stamps });
    } else record(event);
  };
}
