import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { SessionState } from '../contract/session-state.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { Baseline, Budgets, JournalEvent, Shard } from '../journal/event.ts';
import type { Place } from '../journal/finding.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import type { Plan } from '../scenario/plan/plan.ts';
import type { CallSpec } from '../wire/request.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { AcceptedCall } from './accepted-calls.ts';

/** A player session that the operator has opened for the test. */
export interface SessionUnderTest {
  readonly sessionID: string;
  /** Sessions of one player share a wallet. Undefined: the session belongs to the one unnamed player. */
  readonly player?: string | undefined;
  readonly currency?: string | undefined;
  readonly gameID?: string | undefined;
  readonly state?: SessionState | undefined;
}

/** The session that plays each alias of a scenario. */
export type SessionAssignment = ReadonlyMap<string, SessionUnderTest>;

/** One ExtCID of the operator: the party that a run judges. */
export interface ClientUnderTest {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  readonly integrationApiKey: string;
  /**
   * The version of the contract that the operator implements. Rules and fields of later versions are neither sent nor judged.
   * Absent: the latest version.
   */
  readonly contract?: ContractVersion | undefined;
  readonly paths: Readonly<Partial<Record<CallName, string>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly sessions: readonly SessionUnderTest[];
  /** TLS, proxy and similar options. The deadline comes from the run. */
  readonly wire: WireOptions;
  /** The key of another ExtCID of the same operator, if one is configured and its key differs. */
  readonly otherClientKey?: string | undefined;
  /** Whether the wallet holds real players' money, as configured. Absent: croupier guesses from the address. */
  readonly production?: boolean | undefined;
}

/** The part of a request that is the same for every call to a client: its address and the key that signs the call. */
export function addressOf(client: ClientUnderTest): Pick<CallSpec, 'target' | 'key'> {
  const { integratorBaseUrl, paths, headers, contract, integrationApiKey } = client;
  return { target: { baseUrl: integratorBaseUrl, paths, headers, contract }, key: integrationApiKey };
}

/** A scenario of the run. It is planned only when it is about to be played. */
export interface RunnableScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** Played after all scenarios without this mark. */
  readonly last: boolean;
  /** True for scenarios of the built-in suite, which demand nothing beyond the rules. */
  readonly builtIn: boolean;
  plan(): Plan;
}

/** The reason why a scenario is not played. */
export interface NotPlayable {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
}

/** A bet of an earlier run whose round has neither a win nor a refund. */
export interface UnfinishedBet {
  readonly txID: string;
  readonly roundID: string | null;
  readonly amount: Money;
}

/** The transactions of an earlier run, as far as a run can send them again. */
export interface EarlierTransactions {
  /** The message for the end of the report if no earlier transaction was sent again; undefined: one was. */
  readonly notice: string | undefined;
  /**
   * Compares the balances with those that the earlier run left. Must be called before the run sends anything else.
   *
   * @param read reads the balance of a session; undefined if it could not be read
   */
  compareBalances(read: (session: SessionUnderTest) => Promise<Money | undefined>, signal: AbortSignal): Promise<void>;
  /** The first transaction of a kind that the operator accepted in a wallet, signed with the key of this run. */
  earliest(walletID: string, call: TransactionCall): AcceptedCall | undefined;
  /** A bet that the operator accepted in a session, and whose round the earlier run left unfinished. */
  unfinishedBet(sessionID: string): UnfinishedBet | undefined;
  /** Selects the assignments in which the earlier transactions of a plan can be judged, or gives the reason why there are none. */
  fitting(plan: Plan, assignments: readonly SessionAssignment[]): readonly SessionAssignment[] | NotPlayable;
}

export interface RunOptions {
  readonly croupier: string;
  readonly client: ClientUnderTest;
  readonly scenarios: readonly RunnableScenario[];
  readonly selection: readonly string[];
  /** The flags that a later run needs to test the same operator in the same way; written to the journal. */
  readonly flags?: readonly string[];
  readonly whole: boolean;
  /** Rules that may fail; written to the journal. Absent: none. */
  readonly baseline?: Baseline | undefined;
  readonly seed: string;
  readonly strict: boolean;
  /** Stakes by currency code, as decimal text. Other currencies get a default stake. */
  readonly stakes: Readonly<Record<string, string>>;
  /** A campaign that the operator knows. null: croupier makes up an id. */
  readonly campaign: string | null;
  readonly largeAmounts: boolean;
  /** Number of times that a race scenario is repeated, unless a repetition finds a problem. Absent: a few times, as time allows. */
  readonly raceRounds?: number | undefined;
  /** The calls that the operator's backend has sent to the Core API so far. Absent: the run has no Core API. */
  readonly launches?: (() => readonly LaunchRequest[]) | undefined;
  /** An earlier run whose transactions are sent again. Absent: none. */
  readonly after?: EarlierTransactions | undefined;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** Limit of the 95th percentile of reply times, by call, in addition to the deadline. Absent: no limit. */
  readonly budgetMs?: Budgets | undefined;
  /** Maximum number of scenarios that are played in parallel. Each also needs a player of its own. */
  readonly workers: number;
  /** Maximum number of retries of a failed scenario. Absent: none. */
  readonly retries?: number | undefined;
  /** True: a scenario that fails and then passes is a warning. Absent: it fails the run. */
  readonly allowFlaky?: boolean | undefined;
  /** The part of a divided run that this run is. Absent: the run is not divided. */
  readonly shard?: Shard | undefined;
  /** The run stops after this number of failed scenarios. null: never. */
  readonly bail: number | null;
  /** Maximum number of calls per second; null: no limit. */
  readonly ratePerSecond: number | null;
  /** Maximum number of calls in flight. */
  readonly maxAtOnce: number;
  /** Takes every event, in order. It must have stored a `sending` event when it returns. */
  readonly record: (event: JournalEvent) => void;
  /** Aborted with reason 'SIGINT' or 'SIGTERM': no new scenario begins, the running ones stop early and restore balances. */
  readonly signal: AbortSignal;
  readonly uuid: () => string;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
}
