import { createHash } from 'node:crypto';
import type { RunEnded, RunStarted } from './event.ts';

/** One of the journals that the user gave as the parts (shards) of a divided run. */
export interface ShardHead {
  /** The name of the journal in messages. */
  readonly name: string;
  readonly run: RunStarted;
}

/** The reasons why journals cannot be joined to one run. */
export interface ShardMismatch {
  /** `missing`: some parts are missing and may still be added. `unfit`: the journals do not belong together. */
  readonly kind: 'missing' | 'unfit';
  readonly reasons: readonly string[];
}

const BASE_URL = 'base URL';

/** The values that all parts of one run have in common, with their names for messages. */
const COMMON: readonly (readonly [what: string, of: (run: RunStarted) => unknown])[] = [
  ['client', ({ client }) => client.extCID],
  [BASE_URL, ({ client }) => withoutPort(client.integratorBaseUrl)],
  ['label build', ({ labels }) => labels?.build],
  ['croupier version', ({ croupier }) => croupier],
  ['contract version', ({ contract }) => contract],
  ['number of parts', ({ shard }) => shard?.count],
  ['plan', ({ shard }) => shard?.planHash],
  ['contents of the scenarios', ({ digests }) => digests?.suite],
  ['rules', ({ digests }) => digests?.rules],
  ['division into parts (because of other --timings, players or --workers)', ({ shard }) => shard?.divisionHash],
  ['seed', ({ shard }) => shard?.seed],
  ['--baseline', ({ baseline }) => JSON.stringify(baseline?.known ?? null)],
  ['--require, --allow-skipped or the selection', ({ required }) => JSON.stringify(required ?? null)],
  ['--strict', ({ settings }) => settings.strict],
  ['--retries', ({ settings }) => settings.retries ?? 0],
  ['--allow-flaky', ({ settings }) => settings.allowFlaky ?? false],
];

const OTHER_SETTINGS = 'the settings of the client or the run, in croupier.yaml or in flags such as --deadline';

/**
 * Returns a base URL without its port. The port may differ between the parts: each job of a pipeline may start the same operator at
 * another port.
 */
function withoutPort(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url === null ? baseUrl : `${url.protocol}//${url.hostname}${url.pathname}`;
}

/** Checks two things: all journals are parts of one divided run, and no part is given twice. Returns undefined if both are true. */
export function shardMismatch(heads: readonly ShardHead[]): ShardMismatch | undefined {
  const whole = heads.filter(({ run }) => run.shard === undefined);
  if (whole.length > 0) {
    return misfit(whole.map(({ name }) => `${name} is not a part of a divided run (made with croupier run --shard)`));
  }
  const [first] = heads;
  const foreign = heads.flatMap(({ name, run }) => {
    const differing = first === undefined ? [] : differences(run, first.run);
    return differing.length === 0
      ? []
      : [`${name} and ${first?.name} are from different runs. They differ in: ${differing.join(', ')}`];
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

/** Returns the names of the values that differ between two parts of one run. */
function differences(run: RunStarted, first: RunStarted): readonly string[] {
  const named = COMMON.filter(([, of]) => of(run) !== of(first)).map(([what]) =>
    what === BASE_URL ? `${what} (${run.client.integratorBaseUrl} and ${first.client.integratorBaseUrl})` : what,
  );
  // This hash also covers settings that the list names. So it says something new only if nothing else differs.
  return named.length === 0 && run.digests?.config !== first.digests?.config ? [OTHER_SETTINGS] : named;
}

function misfit(reasons: readonly string[]): ShardMismatch {
  return { kind: 'unfit', reasons };
}

/**
 * Joins the first events of all parts to the first event of the whole run.
 *
 * @param runs the first event of each part; at least one
 */
export function joinedStart(runs: readonly RunStarted[]): RunStarted {
  const [first] = runs;
  if (!first) throw new RangeError('no part of a divided run was given, so nothing can be joined');
  const { shard, process: _, ...common } = first;
  const [integratorBaseUrl = '', ...otherBaseUrls] = new Set(runs.map(({ client }) => client.integratorBaseUrl));
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const scenarios = runs.flatMap((run) => run.scenarios);
  const ownScenarios = runs.reduce((sum, run) => sum + (run.ownScenarios ?? 0), 0);
  return {
    ...common,
    client: { ...first.client, integratorBaseUrl, ...(otherBaseUrls.length > 0 && { otherBaseUrls }) },
    runID: createHash('sha256')
      .update(runs.map(({ runID }) => runID).join(' '))
      .digest('hex')
      .slice(0, 32),
    startedAt: runs.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    seed: seeds.join(', '),
    selection: first.selection.filter((word) => !word.startsWith('--shard ')),
    whole: shard?.whole ?? first.whole,
    ...(ownScenarios > 0 && { ownScenarios }),
    planHash: shard?.planHash ?? first.planHash,
    settings: {
      ...first.settings,
      sessions: runs.flatMap(({ settings }) => settings.sessions),
    },
    // Puts the scenarios in the order of a run that is not divided: sorted by file. The order of the cases of one file is not known
    // here, so the cases are sorted by id.
    scenarios: scenarios.toSorted((a, b) => compare(a.place.file, b.place.file) || compare(a.id, b.id)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The ways in which a part can end, the most severe first. `cut-off`: the part has no end event. */
const ENDINGS: readonly (RunEnded['how'] | 'cut-off')[] = [
  'bug',
  'interrupted',
  'cut-off',
  'unreachable',
  'bail',
  'time',
  'complete',
];

/** The first and the last event of a part. */
export interface ShardEnd {
  readonly run: RunStarted;
  /** The last event; null if the part was cut off. */
  readonly ended: RunEnded | null;
}

/** Joins the last events of all parts. The most severe ending counts. If it is `cut-off`, returns null. */
export function joinedEnd(parts: readonly ShardEnd[]): RunEnded | null {
  const rank = ({ ended }: ShardEnd): number => ENDINGS.indexOf(ended?.how ?? 'cut-off');
  const [worst] = parts.toSorted((a, b) => rank(a) - rank(b));
  if (!worst?.ended) return null;
  const { how, signal, detail, lastReply } = worst.ended;
  const { shard } = worst.run;
  const starts = parts.map(({ run }) => Date.parse(run.startedAt));
  const ends = parts.map(({ run, ended }) => Date.parse(run.startedAt) + (ended?.durationMs ?? 0));
  return {
    event: 'run-ended',
    how,
    signal,
    detail: detail === null || !shard ? detail : `shard ${shard.index}/${shard.count}: ${detail}`,
    ...(lastReply && { lastReply }),
    durationMs: Math.max(0, Math.max(...ends) - Math.min(...starts)),
  };
}
