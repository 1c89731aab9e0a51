import type { Stamps } from '../journal/exchange.ts';

/** A part of the time that an exchange took. */
export interface Phase {
  readonly name: 'look-up' | 'connect' | 'TLS' | 'send' | 'wait' | 'read' | 'until given up';
  readonly ms: number;
}

/** What an exchange spent its time with, in order; phases that did not happen, or are not known, are left out. */
export function phasesOf(stamps: Stamps, reused: boolean): readonly Phase[] {
  const phases: Phase[] = [];
  let last = stamps.start;
  const phase = (name: Phase['name'], end: number | null): void => {
    if (end === null) return;
    phases.push({ name, ms: end - last });
    last = end;
  };
  if (!reused) {
    phase('look-up', stamps.resolved);
    phase('connect', stamps.connected);
    phase('TLS', stamps.secured);
  }
  phase('send', stamps.sent);
  phase('wait', stamps.firstByte);
  phase(stamps.firstByte === null ? 'until given up' : 'read', stamps.end);
  return phases;
}
