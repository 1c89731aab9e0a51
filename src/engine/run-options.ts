import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { SessionState } from '../contract/session-state.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type {
  Baseline,
  Budgets,
  Digests,
  JournalEvent,
  Labels,
  QuickPart,
  RequiredResult,
  Shard,
  SuiteChanges,
} from '../journal/event.ts';
import type { Place } from '../journal/finding.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import type { Plan } from '../scenario/plan/plan.ts';
import type { CallSpec } from '../wire/request.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { AcceptedCall } from './accepted-calls.ts';
import type { CallGate } from './calls/call-gate.ts';
import type { Pace } from './calls/pace.ts';
import type { AmountSettings } from './stakes.ts';

/** A player session that the operator has opened for the test. */
export interface SessionUnderTest {
  readonly sessionID: string;
  /** The player of the session. Sessions of one player share a wallet. Undefined if the player is unknown. */
  readonly player?: string | undefined;
  readonly currency?: string | undefined;
  readonly gameID?: string | undefined;
  readonly state?: SessionState | undefined;
}

/** The session that is used for each session alias of a scenario. */
export type SessionAssignment = ReadonlyMap<string, SessionUnderTest>;

/** The client that a run judges: one ExtCID of the operator. */
export interface ClientUnderTest {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  readonly integrationApiKey: string;
  /**
   * The version of the contract that the operator implements. Fields of later versions are not sent, and rules of later
   * versions are not judged. Absent: the latest version.
   */
  readonly contract?: ContractVersion | undefined;
  readonly paths: Readonly<Partial<Record<CallName, string>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly sessions: readonly SessionUnderTest[];
  /** Options of the connection, such as TLS and proxy. The reply deadline is not included: it is an option of the run. */
  readonly wire: WireOptions;
  /** The key of another ExtCID of the operator. Undefined if none is configured, or if both keys are equal. */
  readonly otherClientKey?: string | undefined;
  /**
   * True if the configuration says that the wallet holds real players' money. False if it says that the wallet does not. Absent:
   * croupier guesses from the address.
   */
  readonly production?: boolean | undefined;
}

/** Returns the part of a request that is equal for all calls to a client: the address and the key for the signature. */
export function addressOf(client: ClientUnderTest): Pick<CallSpec, 'target' | 'key'> {
  const { integratorBaseUrl, paths, headers, contract, integrationApiKey } = client;
  return { target: { baseUrl: integratorBaseUrl, paths, headers, contract }, key: integrationApiKey };
}

/** A scenario of the run. It is planned immediately before it is played. */
export interface RunnableScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
  /** True if the scenario must be played after the other scenarios. */
  readonly last: boolean;
  /**
   * True for the scenarios of a quick run. They are played before the other scenarios of their group, because they find most
   * faults.
   */
  readonly quick: boolean;
  /** True for scenarios of the built-in suite. They require only what the rules say. */
  readonly builtIn: boolean;
  plan(): Plan;
}

/** The reason why a scenario is not played. */
export interface NotPlayable {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
  /** True if the operator declined the calls that the scenario needs. */
  readonly declined?: true;
}

/** A bet of an earlier run. The round of this bet has neither a win nor a refund. */
export interface UnfinishedBet {
  readonly txID: string;
  readonly roundID: string | null;
  readonly amount: Money;
}

/** The transactions of an earlier run that a new run can send again. Their replies show whether the operator still knows them. */
export interface EarlierTransactions {
  /** The message for the end of the report if no earlier transaction was sent again. Undefined if one was sent. */
  readonly notice: string | undefined;
  /**
   * Compares the balances with the balances that the earlier run left. Must be called before the run sends anything else.
   *
   * @param read reads the balance of a session; returns undefined if the balance could not be read
   */
  compareBalances(read: (session: SessionUnderTest) => Promise<Money | undefined>, signal: AbortSignal): Promise<void>;
  /**
   * Returns the first call of this kind that the operator accepted in a wallet. The call is signed again with the key of the new
   * run.
   */
  earliest(walletID: string, call: TransactionCall): AcceptedCall | undefined;
  /** Returns an accepted bet in this session whose round the earlier run did not finish. Undefined if there is none. */
  unfinishedBet(sessionID: string): UnfinishedBet | undefined;
  /**
   * Returns those assignments with which the replies to the earlier transactions of a plan can be judged. If there are none,
   * returns the reason.
   */
  fitting(plan: Plan, assignments: readonly SessionAssignment[]): readonly SessionAssignment[] | NotPlayable;
}

export interface RunOptions extends AmountSettings {
  readonly croupier: string;
  readonly client: ClientUnderTest;
  readonly scenarios: readonly RunnableScenario[];
  readonly selection: readonly string[];
  /** The command-line flags with which a later run tests the same operator in the same way. They are written to the journal. */
  readonly flags?: readonly string[];
  readonly whole: boolean;
  /** The number of scenarios that are not from the built-in suite. It is written to the journal. Absent: none. */
  readonly ownScenarios?: number | undefined;
  /** The changes of the built-in suite since its release. They are written to the journal. Absent: no changes. */
  readonly suiteChanges?: SuiteChanges | undefined;
  /** Hashes of everything that decides the result, such as the scenarios. They are written to the journal. */
  readonly digests?: Digests | undefined;
  /** The labels of the run. They are written to the journal. Absent: none. */
  readonly labels?: Labels | undefined;
  /** The labels whose values croupier takes from headers of replies, with the names of these headers. Absent: none. */
  readonly labelHeaders?: Labels | undefined;
  /** The part of the whole suite that `--quick` leaves out. Absent: the run is not a quick run. */
  readonly quick?: QuickPart | undefined;
  /** The rules that may fail. They are written to the journal. Absent: none. */
  readonly baseline?: Baseline | undefined;
  /** The rules and scenarios that must be decided. They are written to the journal. Absent: none. */
  readonly required?: readonly RequiredResult[] | undefined;
  readonly seed: string;
  readonly strict: boolean;
  /** The id of a campaign that the operator knows. Null: croupier invents an id. */
  readonly campaign: string | null;
  readonly largeAmounts: boolean;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. Absent: they have none. */
  readonly credit?: boolean | undefined;
  /**
   * Number of times that each race is repeated. A race ends earlier if a repetition finds a problem. Absent: croupier chooses the
   * number, depending on how long the repetitions take.
   */
  readonly raceRounds?: number | undefined;
  /**
   * True if built-in scenarios leave out a balance read where the balances in the replies are enough. If such a scenario finds a
   * problem, it is played again with all reads.
   */
  readonly fewerReads?: boolean;
  /**
   * True if somebody else may move the balances of the players. Then croupier watches the balance of a player after a failure, and
   * repeats a scenario whose failure only a balance shows. Absent: nobody else can reach the operator.
   */
  readonly watchesBalances?: boolean | undefined;
  /**
   * True if no lock keeps other processes from playing with the same players. Then a failure that only a balance shows must occur
   * twice before it counts. Absent: false.
   */
  readonly isUnlocked?: boolean | undefined;
  /** Returns the calls that the operator's backend has sent to the Core API so far. Absent: the run has no Core API. */
  readonly launches?: (() => readonly LaunchRequest[]) | undefined;
  /** An earlier run whose transactions are sent again. Absent: none. */
  readonly after?: EarlierTransactions | undefined;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** Limits of the 95th percentile of reply times, by call, in addition to the deadline. Absent: no limit. */
  readonly budgetMs?: Budgets | undefined;
  /** The calls whose slow replies fail the run. Absent: none. */
  readonly budgetFails?: readonly CallName[] | undefined;
  /** Maximum number of scenarios that are played in parallel. Each of them also needs a separate player. */
  readonly workers: number;
  /** Maximum number of retries of a failed scenario. Absent: no retries. */
  readonly retries?: number | undefined;
  /** True: every call gets a `traceparent` header. Absent: no call gets one. */
  readonly trace?: true | undefined;
  /** True: a scenario that fails and then passes is a warning. Absent: such a scenario fails the run. */
  readonly allowFlaky?: boolean | undefined;
  /** The part of a divided run that this run plays. Absent: the run is not divided. */
  readonly shard?: Shard | undefined;
  /** Number of failed scenarios after which the run stops. Null: the run never stops early. */
  readonly bail: number | null;
  /** Time after which no new scenario begins, in ms. Absent: no limit. */
  readonly endAfterMs?: number | undefined;
  /** Maximum number of calls per second. Null: no limit. */
  readonly ratePerSecond: number | null;
  /** Maximum number of calls in flight. */
  readonly maxAtOnce: number;
  /** Decides whether calls may be sent. Absent: every call may be sent. */
  readonly gate?: CallGate | undefined;
  /** The limits of the calls, which several runs against one operator share. Absent: the run has limits of its own. */
  readonly pace?: Pace | undefined;
  /** Receives every event, in order. A `sending` event must be stored when this function returns. */
  readonly record: (event: JournalEvent) => void;
  /**
   * The signal that interrupts the run; its reason is the name of a stop signal. After it is aborted, no new scenario begins, and
   * running scenarios stop early and restore the balances.
   */
  readonly signal: AbortSignal;
  readonly uuid: () => string;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly now: () => number;
}
