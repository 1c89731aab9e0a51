import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { startReference } from '../../../src/app/reference-operator.ts';
import type { Exploration, ExploreOptions } from '../../../src/engine/explore/exploration.ts';
import { explore } from '../../../src/engine/explore/explore.ts';
import type { SessionUnderTest } from '../../../src/engine/run-options.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { defectByName } from '../../../src/operator/defects.ts';
import { behaviourWith } from '../../../src/operator/variation.ts';

const DEADLINE_MS = 3000;

export interface Searched extends Exploration {
  readonly events: readonly JournalEvent[];
}

/** Searches the reference operator, correct or with a defect. */
export async function searchOf(
  defect: string | null,
  { sessions, ...changes }: Partial<ExploreOptions> & { readonly sessions?: readonly SessionUnderTest[] } = {},
): Promise<Searched> {
  const found = defect === null ? undefined : defectByName(defect);
  if (defect !== null && !found) throw new Error(`there is no defect ${defect}`);
  const reference = await startReference(
    (error) => {
      throw error;
    },
    behaviourWith(found ? [found] : [], { deadlineMs: DEADLINE_MS }),
  );
  onTestFinished(() => reference.close());
  const events: JournalEvent[] = [];
  const exploration = await explore({
    croupier: 'test',
    client: { ...reference.client, ...(sessions && { sessions }) },
    seed: 'test',
    strict: false,
    stakes: {},
    decimals: {},
    campaign: reference.campaign,
    largeAmounts: false,
    deadlineMs: DEADLINE_MS,
    lingerMs: 50,
    workers: 8,
    bail: null,
    ratePerSecond: null,
    maxAtOnce: 64,
    signal: new AbortController().signal,
    uuid: randomUUID,
    now: () => performance.now(),
    record: (event) => events.push(event),
    runs: 30,
    timeMs: null,
    onProgress: () => {},
    ...changes,
  });
  return { ...exploration, events };
}
