import { randomUUID } from 'node:crypto';
import type { Configuration } from '../../../app/config/configuration.ts';
import { offering } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import {
  RULE_OF_OTHER_SESSION,
  repeatsInOtherSession,
  rulesOfRepeats,
  wrongRepeats,
} from '../../../traffic/replay/other-session.ts';
import { type RecordedIncident, recordedMistakes } from '../../../traffic/replay/recorded-mistakes.ts';
import { type CutOffCalls, type ReplayScenario, replayScenario } from '../../../traffic/replay/replay-scenario.ts';
import { type Signing, signingOf } from '../../../traffic/replay/signing.ts';
import type { IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import type { ReplayFlags } from './flags.ts';

/**
 * Verifies the recorded signatures with the keys of the configuration and of the environment. The caller may have signed the
 * calls with one of these keys.
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

/**
 * Converts the incident into a scenario.
 *
 * @param currency the currency that the sessions of the test must have; null for any currency
 * @param offered the currencies of all sessions of the test; null if they are not known
 * @param hasOtherClient true if the test has the key of a second client
 * @param cutsOff the calls whose connection is broken directly after they are sent; undefined for no call
 */
export function replay(
  incident: RecordedIncident,
  { wait, speed }: ReplayFlags,
  currency: string | null,
  offered: ReadonlySet<string> | null,
  hasOtherClient: boolean,
  cutsOff?: CutOffCalls,
): ReplayScenario {
  const { timeline, signing } = incident;
  const { rules, breaches, calls, alike } = recordedMistakes(incident);
  const ofRepeats = rulesOfRepeats(wrongRepeats(repeatsInOtherSession(timeline.calls), breaches), breaches);
  const currencies = new Map(timeline.wallets.map((verdict) => [verdict.wallet, verdict.currency]));
  const [first] = timeline.calls;
  const named = timeline.wallets.flatMap(({ wallet }) => wallet ?? []);
  const who = named.length > 1 ? `${named.length} players` : (named[0] ?? 'a player');
  const when =
    first && first.atMs !== null
      ? ` on ${new Date(first.atMs).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
      : '';
  return replayScenario(timeline.calls, {
    title: `Calls of ${who}${when}`,
    broken: [...new Set(rules.map((rule) => (ofRepeats.has(rule) ? RULE_OF_OTHER_SESSION : rule)))],
    wrong: new Set([...calls, ...alike]),
    signing,
    speed: wait ? (speed ?? 1) : null,
    currency,
    currencyOf: (call) => currencies.get(call.wallet) ?? null,
    offered,
    hasOtherClient,
    cutsOff,
    uuid: randomUUID,
  });
}
