import { createHash } from 'node:crypto';
import { RULES } from '../../contract/catalogue.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { Baseline, Digests, RequiredResult } from '../../journal/event.ts';
import type { SuiteScenario } from '../suite.ts';
import type { RunSettings } from './settings.ts';

/** Everything that decides the result of a run, apart from the operator. */
interface Inputs {
  /** The client, with the sessions of all parts of a divided run. */
  readonly client: ClientUnderTest;
  /** The scenarios of all parts of a divided run. */
  readonly scenarios: readonly SuiteScenario[];
  readonly settings: RunSettings;
  readonly required: readonly RequiredResult[];
  readonly baseline: Baseline | undefined;
}

/**
 * Returns hashes of the rules, scenarios, settings and known failures of a run. If these hashes are equal for two runs, both
 * runs used the same rules, scenarios, settings and known failures.
 */
export function digestsOf({ client, scenarios, settings, required, baseline }: Inputs): Digests {
  return {
    rules: digest(RULES),
    suite: digest(scenarios.map(({ id, contents }) => [id, contents]).toSorted(byFirst)),
    // The user's selection of scenarios is no setting. It is part of the digest of the suite.
    config: digest([
      clientWithoutSecrets(client),
      { ...settings, seed: null },
      required.filter(({ by }) => by !== 'selection'),
    ]),
    // A comment in the baseline changes the line numbers of its entries, so the line numbers are left out.
    ...(baseline && { baseline: digest(baseline.known.map((known) => ({ ...known, line: 0, tried: true }))) }),
  };
}

function byFirst([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the settings of a client. Keys, passwords and the values of headers are left out, because somebody could find out a
 * weak secret from the hash. The address and the ids of sessions and players are left out too, because they may differ in each
 * run.
 */
function clientWithoutSecrets(client: ClientUnderTest): object {
  const players = [...new Set(client.sessions.map(({ player }) => player))];
  return {
    extCID: client.extCID,
    contract: client.contract ?? null,
    paths: client.paths,
    headers: Object.keys(client.headers).toSorted(),
    insecureTls: client.wire.insecureTls ?? false,
    sessions: client.sessions.map(({ player, currency = null, gameID = null, state = 'active' }) => ({
      player: player === undefined ? null : players.indexOf(player),
      currency,
      gameID,
      state,
    })),
  };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
