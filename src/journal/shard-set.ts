import { createHash } from 'node:crypto';
import type { RunEnded, RunStarted } from './event.ts';

/** One journal that was given as a shard. */
export interface ShardHead {
  /** Its name in messages. */
  readonly name: string;
  readonly run: RunStarted;
}

/** Why journals cannot be joined to one run. */
export interface ShardMismatch {
  /** `missing`: parts are missing, which may still come; `unfit`: the journals do not belong together. */
  readonly kind: 'missing' | 'unfit';
  readonly reasons: readonly string[];
}

/** The values that all parts of one run have in common, with their names for messages. */
const COMMON: readonly (readonly [what: string, of: (run: RunStarted) => unknown])[] = [
  ['client', ({ client }) => client.extCID],
  ['croupier version', ({ croupier }) => croupier],
  ['contract version', ({ contract }) => contract],
  ['number of parts', ({ shard }) => shard?.count],
  ['plan', ({ shard }) => shard?.planHash],
  ['division (by other --timings, players or --workers)', ({ shard }) => shard?.divisionHash],
  ['seed', ({ shard }) => shard?.seed],
  ['--baseline', ({ baseline }) => JSON.stringify(baseline?.known ?? null)],
  ['--strict', ({ settings }) => settings.strict],
  ['--retries', ({ settings }) => settings.retries ?? 0],
  ['--allow-flaky', ({ settings }) => settings.allowFlaky ?? false],
];

/** Checks that journals are all parts of one divided run, each once. undefined: they are. */
export function shardMismatch(heads: readonly ShardHead[]): ShardMismatch | undefined {
  const whole = heads.filter(({ run }) => run.shard === undefined);
  if (whole.length > 0) {
    return misfit(whole.map(({ name }) => `${name} is not a part of a divided run (croupier run --shard)`));
  }
  const [first] = heads;
  const foreign = heads.flatMap(({ name, run }) => {
    const differing = COMMON.filter(([, of]) => first && of(run) !== of(first.run)).map(([what]) => what);
    return differing.length === 0
      ? []
      : [`${name} is from another run than ${first?.name}: it differs in ${differing.join(', ')}`];
  });
  if (foreign.length > 0) return misfit(foreign);
  const count = first?.run.shard?.count ?? 0;
  const byIndex = Map.groupBy(heads, ({ run }) => run.shard?.index ?? 0);
  const doubled = [...byIndex].flatMap(([index, same]) =>
    same.length > 1
      ? [`shard ${index}/${count} is given ${same.length} times: ${same.map(({ name }) => name).join(', ')}`]
      : [],
  );
  if (doubled.length > 0) return misfit(doubled);
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !byIndex.has(index));
  if (missing.length === 0) return undefined;
  return { kind: 'missing', reasons: missing.map((index) => `shard ${index}/${count} is missing`) };
}

function misfit(reasons: readonly string[]): ShardMismatch {
  return { kind: 'unfit', reasons };
}

/** Joins the first events of all parts. @param runs at least one */
export function joinedStart(runs: readonly RunStarted[]): RunStarted {
  const [first] = runs;
  if (!first) throw new RangeError('there are no parts to join');
  const { shard, process: _, ...common } = first;
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const scenarios = runs.flatMap((run) => run.scenarios);
  return {
    ...common,
    runID: createHash('sha256')
      .update(runs.map(({ runID }) => runID).join(' '))
      .digest('hex')
      .slice(0, 32),
    startedAt: runs.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    seed: seeds.join(', '),
    selection: first.selection.filter((word) => !word.startsWith('--shard ')),
    whole: shard?.whole ?? first.whole,
    planHash: shard?.planHash ?? first.planHash,
    settings: {
      ...first.settings,
      sessions: runs.flatMap(({ settings }) => settings.sessions),
    },
    // The undivided run is in the order of its files. The order of the cases of one file is no longer known.
    scenarios: scenarios.toSorted((a, b) => compare(a.place.file, b.place.file) || compare(a.id, b.id)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Most severe first. A part that was cut off has no end event. */
const ENDINGS: readonly (RunEnded['how'] | 'cut-off')[] = [
  'bug',
  'interrupted',
  'cut-off',
  'unreachable',
  'bail',
  'complete',
];

/** The start and the end of a part. */
export interface ShardEnd {
  readonly run: RunStarted;
  /** null: it was cut off. */
  readonly ended: RunEnded | null;
}

/** Joins the last events of all parts: the most severe ending counts. null: a part was cut off. */
export function joinedEnd(parts: readonly ShardEnd[]): RunEnded | null {
  const rank = ({ ended }: ShardEnd): number => ENDINGS.indexOf(ended?.how ?? 'cut-off');
  const [worst] = parts.toSorted((a, b) => rank(a) - rank(b));
  if (!worst?.ended) return null;
  const { how, signal, detail } = worst.ended;
  const { shard } = worst.run;
  const starts = parts.map(({ run }) => Date.parse(run.startedAt));
  const ends = parts.map(({ run, ended }) => Date.parse(run.startedAt) + (ended?.durationMs ?? 0));
  return {
    event: 'run-ended',
    how,
    signal,
    detail: detail === null || !shard ? detail : `shard ${shard.index}/${shard.count}: ${detail}`,
    durationMs: Math.max(0, Math.max(...ends) - Math.min(...starts)),
  };
}
