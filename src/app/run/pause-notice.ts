import type { JournalEvent } from '../../journal/event.ts';
import { pausedMs } from '../../wire/clock.ts';

/**
 * Returns a function that must be called with each event of a journal. If croupier was paused during the call to which the
 * event belongs, the function returns a notice, once for each pause. Otherwise it returns undefined.
 */
export function pauseNotices(): (event: JournalEvent) => JournalEvent | undefined {
  let noticed = pausedMs();
  return (event) => {
    if (event.event !== 'received' || event.stamps.pausedMs === undefined || pausedMs() <= noticed) return undefined;
    const seconds = ((pausedMs() - noticed) / 1000).toFixed(1);
    noticed = pausedMs();
    return {
      event: 'notice',
      text: `croupier could not run for ${seconds} s. It was stopped, or the machine was overloaded. The reply times of calls during this time are not judged.`,
    };
  };
}
