import type { JournalEvent, RunStarted } from '../journal/event.ts';
import { type Fold, type Folding, startFolding } from '../journal/fold.ts';
import { numberOfExchange, type Offset, renumbered } from '../journal/renumbered.ts';
import { joinedEnd, joinedStart, type ShardEnd } from '../journal/shard-set.ts';
import { blameAcross } from '../judge/blame-across.ts';
import type { OpenJournal } from '../report/options.ts';

/** A part of a divided run, whose first event was read already. */
export interface ShardJournal {
  readonly run: RunStarted;
  /** Every event checked. */
  readonly read: OpenJournal;
  /** For further passes. */
  readonly reread: OpenJournal;
}

/** All parts of a divided run as one. */
export interface MergedRun {
  readonly fold: Fold;
  /** Its journal: the parts one after another, with ids and moments of their own. */
  readonly open: OpenJournal;
}

/** What is known of a part when it was read. */
interface Part extends ShardEnd {
  readonly reread: OpenJournal;
  readonly offset: Offset;
}

/**
 * Reads all parts once and folds them as one run. What is kept follows the size of the plan, not the number of exchanges.
 *
 * @param shards a whole set, in any order
 */
export async function mergeShards(shards: readonly ShardJournal[]): Promise<MergedRun> {
  const ordered = shards.toSorted((a, b) => (a.run.shard?.index ?? 0) - (b.run.shard?.index ?? 0));
  const start = joinedStart(ordered.map(({ run }) => run));
  const merged = startFolding();
  merged.add(start);
  const parts: Part[] = [];
  const own: Fold[] = [];
  const blames: JournalEvent[] = [];
  let exchanges = 0;
  let connections = 0;
  for (const { run, read, reread } of ordered) {
    const offset = { exchanges, connections, ms: Date.parse(run.startedAt) - Date.parse(start.startedAt) };
    const alone = startFolding();
    const seen = await add(read(), { offset, merged, alone, blames });
    exchanges = Math.max(exchanges, seen.exchanges);
    connections = Math.max(connections, seen.connections);
    parts.push({ run, ended: seen.ended, reread, offset: seen.offset });
    own.push(alone.result());
  }
  const last = [...blameAcross(own), ...blames];
  const ended = joinedEnd(parts);
  for (const event of last) merged.add(event);
  if (ended) merged.add(ended);
  return {
    fold: merged.result(),
    open: async function* open() {
      yield start;
      for (const { reread, offset } of parts) {
        for await (const event of reread()) if (isOfParts(event)) yield renumbered(event, offset);
      }
      yield* last;
      if (ended) yield ended;
    },
  };
}

/** What is said of the whole is said anew. */
function isOfParts({ event }: JournalEvent): boolean {
  return event !== 'run-started' && event !== 'run-ended' && event !== 'blamed';
}

interface Into {
  readonly offset: Offset;
  readonly merged: Folding;
  readonly alone: Folding;
  readonly blames: JournalEvent[];
}

async function add(
  events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>,
  { offset, merged, alone, blames }: Into,
) {
  let { exchanges, connections } = offset;
  let ended: ShardEnd['ended'] = null;
  let aligned: Offset | undefined;
  for await (const event of events) {
    // Each process has a clock of its own. A run begins with its first scenario, nearly.
    if (event.event === 'scenario-started') aligned ??= { ...offset, ms: offset.ms - event.at };
    const here = renumbered(event, aligned ?? offset);
    if (event.event === 'blamed') blames.push(event);
    else alone.add(event);
    if (isOfParts(event)) merged.add(here);
    if (event.event === 'run-ended') ended = event;
    if (here.event === 'sending') exchanges = Math.max(exchanges, numberOfExchange(here.id));
    if (here.event === 'received') connections = Math.max(connections, here.connection?.id ?? 0);
  }
  return { exchanges, connections, ended, offset: aligned ?? offset };
}
