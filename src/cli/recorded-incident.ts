import { randomUUID } from 'node:crypto';
import type { RuleId } from '../contract/catalogue.ts';
import { type Retelling, retell } from '../incident/replay/retelling.ts';
import { breachOfSigning, type Signing, signingOf } from '../incident/replay/signing.ts';
import type { Story } from '../incident/story/story.ts';
import type { Configuration } from './configuration.ts';
import { offering } from './offered-keys.ts';
import type { ReplayFlags } from './replay.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** What happened, and how its calls were signed. */
export interface RecordedIncident {
  readonly story: Story;
  readonly signing: Signing;
}

/** The keys of the configuration and of the environment may be those of the record. */
export async function signingIn(
  { calls }: Story,
  flags: ReplayFlags,
  { config }: Configuration,
  stdio: Stdio,
): Promise<Signing> {
  const bases = (config.clients ?? []).map(({ integratorBaseUrl }) => `${integratorBaseUrl.replace(/\/+$/, '')}/`);
  const { keys } = await offeredKeys(flags, stdio);
  return signingOf(calls, keys, (url) => bases.some((base) => url.startsWith(base)));
}

async function offeredKeys({ config }: ReplayFlags, stdio: Stdio): Promise<{ readonly keys: readonly string[] }> {
  const keysOf = await offering({ ...(config !== undefined && { config }) }, stdio);
  try {
    return { keys: keysOf('').keys.map(({ text }) => text) };
  } catch (error) {
    // Without any key only what is plainly no signature can be told.
    if (error instanceof UsageError) return { keys: [] };
    throw error;
  }
}

/** What is wrong in the record: broken rules, and the calls that should have been answered otherwise. */
export function wrongIn({ story, signing }: RecordedIncident): {
  readonly rules: readonly RuleId[];
  readonly calls: readonly number[];
} {
  const failing = [
    ...story.breaches.flatMap(({ rule, call, verdict }) => (verdict === 'fail' ? [{ rule, call }] : [])),
    ...story.calls.flatMap((call) => {
      const rule = breachOfSigning(call, signing.get(call.number));
      return rule === null ? [] : [{ rule, call: call.number }];
    }),
  ];
  return { rules: [...new Set(failing.map(({ rule }) => rule))], calls: failing.map(({ call }) => call) };
}

/** The incident as a scenario. @param currency in which the sessions of the test must be; null: any will do */
export function retelling(
  incident: RecordedIncident,
  { wait, speed }: ReplayFlags,
  currency: string | null,
): Retelling {
  const { story, signing } = incident;
  const { rules, calls } = wrongIn(incident);
  const [first] = story.calls;
  const named = story.wallets.flatMap(({ wallet }) => wallet ?? []);
  const whom = named.length > 1 ? `${named.length} players` : (named[0] ?? 'a player');
  const when =
    first && first.atMs !== null
      ? ` on ${new Date(first.atMs).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
      : '';
  return retell(story.calls, {
    title: `What happened to ${whom}${when}`,
    broken: rules,
    wrong: new Set(calls),
    signing,
    speed: wait ? (speed ?? 1) : null,
    currency,
    uuid: randomUUID,
  });
}
