import { createHash } from 'node:crypto';
import type { RunEnded, RunStarted } from './event.ts';

/** One journal that was given as a shard. */
export interface ShardHead {
  /** As messages name it. */
  readonly name: string;
  readonly run: RunStarted;
}

/** Why journals are no whole. */
export interface Misfit {
  /** `missing`: the rest may still come; `unfit`: these do not belong together. */
  readonly kind: 'missing' | 'unfit';
  readonly reasons: readonly string[];
}

/** What all parts of one run have in common, each in words for who mixed two up. */
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

/** Whether journals are all the parts of one divided run, each once. undefined: they are. */
export function misfitOf(heads: readonly ShardHead[]): Misfit | undefined {
  const whole = heads.filter(({ run }) => run.shard === undefined);
  if (whole.length > 0) {
    return unfit(whole.map(({ name }) => `${name} is no part of a divided run (croupier run --shard)`));
  }
  const [first] = heads;
  const strangers = heads.flatMap(({ name, run }) => {
    const differing = COMMON.filter(([, of]) => first && of(run) !== of(first.run)).map(([what]) => what);
    return differing.length === 0
      ? []
      : [`${name} is of another run than ${first?.name}: it differs in ${differing.join(', ')}`];
  });
  if (strangers.length > 0) return unfit(strangers);
  const count = first?.run.shard?.count ?? 0;
  const byIndex = Map.groupBy(heads, ({ run }) => run.shard?.index ?? 0);
  const doubled = [...byIndex].flatMap(([index, same]) =>
    same.length > 1
      ? [`shard ${index}/${count} is there ${same.length} times: ${same.map(({ name }) => name).join(', ')}`]
      : [],
  );
  if (doubled.length > 0) return unfit(doubled);
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !byIndex.has(index));
  if (missing.length === 0) return undefined;
  return { kind: 'missing', reasons: missing.map((index) => `shard ${index}/${count} is missing`) };
}

function unfit(reasons: readonly string[]): Misfit {
  return { kind: 'unfit', reasons };
}

/** The first event of all parts together. @param runs at least one */
export function joinedStart(runs: readonly RunStarted[]): RunStarted {
  const [first] = runs;
  if (!first) throw new RangeError('there are no parts to be joined');
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
    // The whole was in the order of its files; which of several cases came first is not known any more.
    scenarios: scenarios.toSorted((a, b) => compare(a.place.file, b.place.file) || compare(a.id, b.id)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Gravest first; a part that was cut off does not say how it ended. */
const HOW: readonly (RunEnded['how'] | 'cut-off')[] = [
  'bug',
  'interrupted',
  'cut-off',
  'unreachable',
  'bail',
  'complete',
];

/** A part when it is over. */
export interface ShardEnd {
  readonly run: RunStarted;
  /** null: it was cut off. */
  readonly ended: RunEnded | null;
}

/** The last event of all parts together: how the one ended that went worst. null: it was cut off. */
export function joinedEnd(parts: readonly ShardEnd[]): RunEnded | null {
  const rank = ({ ended }: ShardEnd): number => HOW.indexOf(ended?.how ?? 'cut-off');
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
