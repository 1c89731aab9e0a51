import type { Place } from '../journal/finding.ts';
import type { CallStep } from '../scenario/plan.ts';

/** The step of a read that no story has: croupier makes it by itself. */
export function readStep(place: Place, alias: string, key: string): CallStep {
  return {
    kind: 'call',
    key,
    place,
    call: 'balance',
    session: alias,
    origin: { kind: 'fresh' },
    fields: [],
    txID: null,
    roundID: null,
    campaign: false,
    deviations: {},
    expect: { outcome: 'accepted', stated: false },
  };
}
