import type { JournalEvent } from '../../journal/event.ts';
import { pausedMs } from '../../wire/clock.ts';

/**
 * Returns a function that gives the notice which must follow an event in a journal: croupier could not run during a call. It gives
 * undefined for all other events, and once for each pause.
 */
export function pauseNotices(): (event: JournalEvent) => JournalEvent | undefined {
  let noticed = pausedMs();
  return (event) => {
    if (event.event !== 'received' || event.stamps.pausedMs === undefined || pausedMs() <= noticed) return undefined;
    const seconds = ((pausedMs() - noticed) / 1000).toFixed(1);
    noticed = pausedMs();
    return {
      event: 'notice',
      text: `croupier could not run for ${seconds} s. It was stopped, or the machine was overloaded. The reply times of the calls at this time are not judged.`,
    };
  };
}
