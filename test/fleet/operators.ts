import type { CheckedOperator } from '../../src/fleet/check-fleet.ts';

/** Returns an operator of a fleet whose client has the same name. @param cron the schedule, in UTC */
export function operatorChecked(name: string, cron: string): CheckedOperator {
  const zone = 'UTC';
  const schedule = { cron, zone, quiet: undefined };
  return {
    name,
    extCID: name,
    operator: undefined,
    isReady: true,
    config: 'croupier.yaml',
    zone,
    quiet: undefined,
    schedule,
  };
}
