import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { Baseline } from '../journal/baseline.ts';
import type { JournalEvent, Shard } from '../journal/event.ts';
import type { Place } from '../journal/finding.ts';
import type { Budgets } from '../journal/latency.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import type { Plan } from '../scenario/plan.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { EarlierJournal } from './earlier-run.ts';

/** One player session that the operator has open for the test. */
export interface SessionUnderTest {
  readonly sessionID: string;
  /** Sessions of one player share a wallet. Undefined: counts as the one unnamed player. */
  readonly player?: string | undefined;
  readonly currency?: string | undefined;
  readonly gameID?: string | undefined;
  readonly state?: 'active' | 'expired' | undefined;
}

/** One ExtCID of the operator: the party that a run judges. */
export interface ClientUnderTest {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  readonly integrationApiKey: string;
  /** The version of the contract that it was built by: what came later is neither sent nor judged. Left out: the latest. */
  readonly contract?: ContractVersion | undefined;
  readonly paths: Readonly<Partial<Record<CallName, string>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly sessions: readonly SessionUnderTest[];
  /** TLS, proxy and the like; deadline and linger come from the run. */
  readonly wire: WireOptions;
  /** The key of another ExtCID of the same operator, where one is configured and differs. */
  readonly otherClientKey?: string | undefined;
  /** Whether real players' money is there, as the configuration says; left out: its address must tell. */
  readonly production?: boolean | undefined;
}

/** A scenario of the run; planned only when its turn comes. */
export interface RunnableScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** Played when all others are done. */
  readonly last: boolean;
  /** True for the suite that croupier brings along, which demands nothing beyond the rules. */
  readonly builtIn: boolean;
  plan(): Plan;
}

export interface RunOptions {
  readonly croupier: string;
  readonly client: ClientUnderTest;
  readonly scenarios: readonly RunnableScenario[];
  readonly selection: readonly string[];
  /** What a later run is to be given to meet the same operator in the same way; for the journal. */
  readonly flags?: readonly string[];
  readonly whole: boolean;
  /** Rules that may fail, for the journal; left out: none. */
  readonly baseline?: Baseline | undefined;
  readonly seed: string;
  readonly strict: boolean;
  /** Stakes by currency code, as decimal text; others get a sensible one. */
  readonly stakes: Readonly<Record<string, string>>;
  /** A campaign that the operator knows; null: one is made up. */
  readonly campaign: string | null;
  readonly largeAmounts: boolean;
  /** How often a story with a race is told, unless it has shown something before; left out: as time allows. */
  readonly raceRounds?: number | undefined;
  /** What the operator's backend has sent to the Core API by now; left out: there is no Core API of this run. */
  readonly launches?: (() => readonly LaunchRequest[]) | undefined;
  /** An earlier run whose transactions are sent again; left out: none. */
  readonly after?: EarlierJournal | undefined;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** What 95 of 100 replies may take, by call, beside the deadline; left out: nothing is said. */
  readonly budgetMs?: Budgets | undefined;
  /** At most so many scenarios side by side; they also need a player each. */
  readonly workers: number;
  /** A failed scenario is played again up to so many times; left out: never. */
  readonly retries?: number | undefined;
  /** What fails and then passes is a warning; left out: it fails the run. */
  readonly allowFlaky?: boolean | undefined;
  /** Which part of a divided run this is; left out: it is a whole of its own. */
  readonly shard?: Shard | undefined;
  /** Stop after so many failed scenarios. */
  readonly bail: number | null;
  /** At most so many calls a second, and so many at once. */
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
  /** Takes every event, in order, and must have stored a `sending` when it returns. */
  readonly record: (event: JournalEvent) => void;
  /** Aborted with reason 'SIGINT' or 'SIGTERM': no new scenario is begun, the present ones are cut short and restored. */
  readonly signal: AbortSignal;
  readonly uuid: () => string;
  readonly now: () => number;
}
