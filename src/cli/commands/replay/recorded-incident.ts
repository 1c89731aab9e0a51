import { randomUUID } from 'node:crypto';
import type { Configuration } from '../../../app/config/configuration.ts';
import { offering } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import { type ReplayScenario, replayScenario } from '../../../traffic/replay/replay-scenario.ts';
import { type Signing, signatureRuleBroken, signingOf } from '../../../traffic/replay/signing.ts';
import type { IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import type { ReplayFlags } from './flags.ts';

/** The timeline of an incident, and the results of verifying the signatures of its calls. */
export interface RecordedIncident {
  readonly timeline: IncidentTimeline;
  readonly signing: Signing;
}

/**
 * Verifies the recorded signatures with the keys of the configuration and of the environment. The calls may have been
 * signed with one of these keys.
 */
export async function signingIn(
  { calls }: IncidentTimeline,
  flags: ReplayFlags,
  { config }: Configuration,
  stdio: Stdio,
): Promise<Signing> {
  const bases = (config.clients ?? []).map(
    ({ integratorBaseUrl }) => `${integratorBaseUrl.replace(/(?<!\/)\/+$/, '')}/`,
  );
  const { keys } = await offeredKeys(flags, stdio);
  return signingOf(calls, keys, (url) => bases.some((base) => url.startsWith(base)));
}

async function offeredKeys({ config }: ReplayFlags, stdio: Stdio): Promise<{ readonly keys: readonly string[] }> {
  const keysOf = await offering({ ...(config !== undefined && { config }) }, stdio);
  try {
    return { keys: keysOf('').keys.map(({ text }) => text) };
  } catch (error) {
    // Without a key, only malformed signatures can be recognised.
    if (error instanceof UsageError) return { keys: [] };
    throw error;
  }
}

/** Returns the mistakes in the record: the broken rules, and the numbers of the calls that broke them. */
export function wrongIn({ timeline, signing }: RecordedIncident): {
  readonly rules: readonly RuleId[];
  readonly calls: readonly number[];
} {
  // The run that made the journal has judged these calls. A warning of the run is also a mistake that a fix must remove.
  const judged = new Set(timeline.calls.flatMap(({ number, seen }) => (seen.exchange.isJudged ? [number] : [])));
  const failing = [
    ...timeline.breaches.flatMap(({ rule, call, verdict }) =>
      verdict === 'fail' || judged.has(call) ? [{ rule, call }] : [],
    ),
    ...timeline.calls.flatMap((call) => {
      const rule = signatureRuleBroken(call, signing.get(call.number));
      return rule === null ? [] : [{ rule, call: call.number }];
    }),
  ];
  return { rules: [...new Set(failing.map(({ rule }) => rule))], calls: failing.map(({ call }) => call) };
}

/**
 * Converts the incident into a scenario.
 *
 * @param currency the currency that the sessions of the test must have; null for any currency
 */
export function replay(
  incident: RecordedIncident,
  { wait, speed }: ReplayFlags,
  currency: string | null,
): ReplayScenario {
  const { timeline, signing } = incident;
  const { rules, calls } = wrongIn(incident);
  const [first] = timeline.calls;
  const named = timeline.wallets.flatMap(({ wallet }) => wallet ?? []);
  const who = named.length > 1 ? `${named.length} players` : (named[0] ?? 'a player');
  const when =
    first && first.atMs !== null
      ? ` on ${new Date(first.atMs).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
      : '';
  return replayScenario(timeline.calls, {
    title: `Calls of ${who}${when}`,
    broken: rules,
    wrong: new Set(calls),
    signing,
    speed: wait ? (speed ?? 1) : null,
    currency,
    uuid: randomUUID,
  });
}
