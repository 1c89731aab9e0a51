import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { EarlyBreak } from '../contract/deviation.ts';
import type { SessionState } from '../contract/session-state.ts';
import type { SignatureState } from '../contract/signature.ts';
import type { Exchange, ExchangeRequest } from './exchange.ts';
import type { EXPECTATION, Finding, Place, Verdict } from './finding.ts';
import type { Direction, MoneySums, WrongSum } from './money-sums.ts';
import type { Trace } from './network/trace.ts';
import type { CoreCheck } from './results/core-check.ts';
import type { CheckCounts } from './results/failure-rate.ts';

/** The version of the journal format. croupier refuses a journal with a newer format than it knows. */
export const JOURNAL_FORMAT = 'croupier-journal/1';

/** One scenario of the plan, with the data that reports need. */
export interface PlannedScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
}

/** For each call: the time limit in milliseconds for 95 % of its replies. */
export type Budgets = Readonly<Partial<Record<CallName, number>>>;

/** One entry of a baseline: a rule that is allowed to fail until a date. */
export interface KnownFailure {
  readonly rule: RuleId | typeof EXPECTATION;
  /** The endpoint for which the entry is valid; null if it is valid for all endpoints. */
  readonly endpoint: CallName | null;
  /**
   * The scenario for which the entry is valid, or the scenario file if it has several cases. Null if the entry is valid for all
   * scenarios.
   */
  readonly scenario: string | null;
  readonly reason: string;
  readonly ticket: string;
  /** The last day on which the entry is valid, in UTC, as `YYYY-MM-DD`. */
  readonly expires: string;
  /** True if the entry allows only breaches that move no money. The field is left out if the entry allows all breaches. */
  readonly noMoney?: true;
  /** For each scenario, the highest sums by which the rule may make balances wrong. It is left out if any sum is allowed. */
  readonly maxSums?: MoneySums;
  /**
   * For some scenarios, by id: the highest sums by which the rule may make balances wrong there. In these scenarios, `maxSums` counts
   * only for currencies whose amounts can't be compared. It is left out if the entry names no such scenario.
   */
  readonly maxSumsIn?: Readonly<Record<string, MoneySums>>;
  /**
   * The largest share of the amounts of some calls by which the rule may make a balance wrong, as a plain decimal: `0.5` is half of
   * the amounts. A share that is a little larger is allowed too. The sums count only where no share is known. It is left out if no
   * share is noted.
   */
  readonly maxShare?: string;
  /**
   * True if the replies to these calls may have a balance that the next read does not show. It is left out if the entry does not allow
   * this. An entry without `maxSums` allows it in any case.
   */
  readonly wrongReplies?: true;
  /** The highest sum by which a single reply may be wrong. It is left out if any sum is allowed. */
  readonly maxReplySums?: MoneySums;
  /** True if a reply may also be wrong by the amount of its call, whatever `maxReplySums` says. */
  readonly replyAmounts?: true;
  /**
   * The number of failed checks of the rule, and of all its checks, in the run of which the entry was written. A much higher rate is not
   * allowed. It is left out if any rate is allowed.
   */
  readonly failedChecks?: CheckCounts;
  /** The only direction in which the rule may make balances wrong. It is left out if both directions are allowed. */
  readonly balances?: Direction;
  /**
   * The players whose calls show the failure, if the calls of other players don't. Then a run in which these players did not test the
   * rule does not show that the failure is fixed. It is left out for other failures.
   */
  readonly players?: readonly string[];
  /** True if the entry does not allow that calls of other players than `players` show the failure. It is left out if it allows this. */
  readonly noOtherPlayers?: true;
  /**
   * True if the failure occurs only now and then. Then a run without this failure does not show that the failure is fixed. It is
   * left out for other failures.
   */
  readonly intermittent?: true;
  /**
   * True if the entry only allows that the rule stays undecided, because other known failures prevent every check of it. The entry
   * does not allow that the rule fails. It is left out for entries that allow a failure.
   */
  readonly undecided?: true;
  /** The line of the entry in the baseline file, counted from 1. */
  readonly line: number;
  /**
   * True if the run has every scenario of the suite that tests the rule. So if the run does not show the failure, no other scenario
   * can show it.
   */
  readonly tried: boolean;
}

/** The list of known failures of a run. */
export interface Baseline {
  readonly file: string;
  readonly known: readonly KnownFailure[];
}

/** Hashes of everything that decides the result of a run, except the operator. Equal contents have equal hashes. */
export interface Digests {
  /** The rules of the catalogue, with their levels and sentences. */
  readonly rules: string;
  /** The contents of all selected scenarios. If a run is divided, all its parts have the same hash. */
  readonly suite: string;
  /** The settings of the run and of the client, without keys, the address and the ids of sessions. */
  readonly config: string;
  /** The known failures of the client. It is left out if the user gave no baseline. */
  readonly baseline?: string;
}

/** The differences between the built-in suite of this run and the suite that was released with this version of croupier. */
export interface SuiteChanges {
  /** The ids of the built-in scenarios that were changed or added. */
  readonly changed: readonly string[];
  /** The built-in scenarios that are missing, by id. */
  readonly missing: readonly string[];
}

/** Texts that the user gave to a run, such as the build of the operator. The key is the name of the label. */
export type Labels = Readonly<Record<string, string>>;

/** The settings of a run. They never contain keys. */
interface RunSettings {
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly strict: boolean;
  readonly workers: number;
  /** The time in which 95 % of the replies must come, for each kind of call. If it is left out, there are no limits. */
  readonly budgetMs?: Budgets;
  /**
   * The calls whose slow replies fail the run. Slow replies to all other calls give only a warning. If the field is left out, slow
   * replies never fail the run.
   */
  readonly budgetFails?: readonly CallName[];
  /** Maximum number of retries of a failed scenario. If it is left out, there are no retries. */
  readonly retries?: number;
  /**
   * True if a scenario gives only a warning when it fails and then passes on retry. If it is left out, such a scenario fails the
   * run.
   */
  readonly allowFlaky?: boolean;
  /** True if every call has a `traceparent` header. It is left out for all other runs. */
  readonly trace?: true;
  /** True if no lock kept other commands from using the same players at the same time. It is left out for all other runs. */
  readonly noLock?: true;
  /** The stake in each currency of the sessions, as a plain decimal in the main unit. It is left out if croupier chose no stakes. */
  readonly stakes?: Readonly<Record<string, string>>;
  readonly sessions: readonly {
    readonly sessionID: string;
    readonly player: string | null;
    readonly currency: string | null;
    readonly gameID: string | null;
    readonly state: SessionState;
  }[];
}

/** One part of a divided run. Some fields are equal in all parts. They show that the parts belong together. */
export interface Shard {
  /** The number of this part, counted from 1. */
  readonly index: number;
  readonly count: number;
  /** The hash of the plan of the whole run. The field `planHash` of the event itself is the hash of the plan of this part. */
  readonly planHash: string;
  /** The hash of the list that assigns scenarios and players to the parts. */
  readonly divisionHash: string;
  /** Number of scenarios in all parts together. */
  readonly scenarios: number;
  /** Number of players in all parts together. */
  readonly players: number;
  /** True if all parts together are the whole built-in suite. */
  readonly whole: boolean;
  /** The seed, if the same one was given to all parts; null if each part chose its own. */
  readonly seed: string | null;
}

/** The file that the journal names as the place of a call that a person sent with `croupier call`. No scenario file has such a call. */
export const BY_HAND_FILE = 'croupier call';

/** A rule or a scenario that must be decided. Otherwise the whole run is undecided. */
export interface RequiredResult {
  readonly kind: 'rule' | 'scenario';
  readonly id: string;
  /** `selection` if the user selected it by name; `require` if the flag `--require` or the configuration names it. */
  readonly by: 'selection' | 'require';
  /**
   * True if the scenario may be skipped because the configuration can't test it, for example because it needs a second client. Absent:
   * it must be decided.
   */
  readonly maySkip?: true;
}

/** The part of the whole suite that a quick run leaves out. */
export interface QuickPart {
  /** The number of scenarios in the whole suite. */
  readonly scenarios: number;
  /** The rules that only scenarios outside the quick run test. */
  readonly rules: readonly RuleId[];
}

/** The first event of a journal: the plan of the run and the operator under test. */
export interface RunStarted {
  readonly event: 'run-started';
  readonly format: typeof JOURNAL_FORMAT;
  readonly croupier: string;
  readonly contract: string;
  readonly runID: string;
  /** The time of the start in UTC, in the format of ISO 8601. */
  readonly startedAt: string;
  readonly seed: string;
  readonly client: {
    readonly extCID: string;
    readonly integratorBaseUrl: string;
    /** The other base URLs, if the parts of a divided run used several. It is left out for all other runs. */
    readonly otherBaseUrls?: readonly string[];
  };
  /** The arguments with which the user selected scenarios; empty if all scenarios are selected. */
  readonly selection: readonly string[];
  /**
   * The command-line flags with which the same operator can be called again in the same way. Secret keys are removed. If the flags
   * are left out, they are unknown.
   */
  readonly flags?: readonly string[];
  /**
   * True if the run has the whole built-in suite without a selection, and nobody has changed this suite since the release of this
   * version. The run may also have own scenarios of the user, see {@link RunStarted.ownScenarios}.
   */
  readonly whole: boolean;
  /** The number of scenarios that are not from the built-in suite. It is left out if there are none. */
  readonly ownScenarios?: number;
  /** The changes of the built-in suite since its release. It is left out if there are none. */
  readonly suiteChanges?: SuiteChanges;
  /** Hashes of everything that decides the result. They are left out in older journals, and in journals that are not from a run. */
  readonly digests?: Digests;
  /** The labels that the user gave. It is left out if there are none. */
  readonly labels?: Labels;
  /** The labels whose values are headers of the operator's replies, with the names of these headers. */
  readonly labelHeaders?: Labels;
  /** The part of the suite that `--quick` left out. Absent if the run is not a quick run. */
  readonly quick?: QuickPart;
  readonly planHash: string;
  /** The part of a divided run that this journal contains. It is left out if the run is not divided. */
  readonly shard?: Shard;
  readonly settings: RunSettings;
  /** The rules that may fail. It is left out if the user gave no baseline. */
  readonly baseline?: Baseline;
  /** The rules and scenarios that must be decided. It is left out if there are none. */
  readonly required?: readonly RequiredResult[];
  readonly scenarios: readonly PlannedScenario[];
  /**
   * `proxy`: a real service made the calls, and they passed through croupier. `load`: the calls are those of a load test, whose
   * lines load/lines.ts describes. It is left out for all other runs.
   */
  readonly source?: 'proxy' | 'load';
  /**
   * The process that writes the journal. If the journal has no end event, it shows whether the run is still in progress or was
   * killed.
   */
  readonly process?: { readonly pid: number; readonly host: string };
}

/** A note for the reader of a report, for example that TLS is insecure. A note is not a finding. */
interface Notice {
  readonly event: 'notice';
  readonly text: string;
}

/** True for a run against the embedded operator, which owes nothing: the money of this operator ended with its process. */
export function isOfEmbeddedOperator({ flags }: RunStarted): boolean {
  return flags?.includes('--reference') === true;
}

export interface ScenarioStarted {
  readonly event: 'scenario-started';
  readonly scenario: string;
  /**
   * The number of the attempt, from 1. A scenario is played again if the connection failed and the operator is not to blame. The
   * findings of the earlier attempts do not count.
   */
  readonly attempt: number;
  /**
   * The number of the retry, from 1. A scenario that failed is played again, to find out whether it fails every time. The earlier
   * failure still counts.
   */
  readonly retry?: number;
  /** The time at which the scenario started, in milliseconds. It uses the same monotonic clock as the stamps of exchanges. */
  readonly at: number;
  /** The session that is used for each alias of the scenario. */
  readonly sessions: Readonly<Record<string, string>>;
  /** The kinds of calls that the scenario tries with its only session. It is left out if there are none. */
  readonly checks?: readonly CoreCheck[];
}

/**
 * The reasons why croupier sends a call. `step`: the call is a step of a scenario. For all other reasons, croupier itself adds the
 * call.
 */
export const PURPOSES = ['step', 'read', 'prepare', 'restore', 'probe', 'settle'] as const;

/** A call that is about to be sent. The event is written before the first byte of the call is sent. */
export interface Sending {
  readonly event: 'sending';
  readonly id: string;
  readonly scenario: string | null;
  /** The key of the step; null for calls that croupier adds itself, such as reading a balance. */
  readonly step: string | null;
  readonly purpose: (typeof PURPOSES)[number];
  readonly call: CallName;
  readonly request: ExchangeRequest;
  /**
   * The amount of a bet, win or refund as it was sent: a plain decimal in the main unit of the session's currency. In these cases,
   * it is left out, and call-amount.ts reads the amount from the body: the call has no amount, the amount is invalid on purpose,
   * the call passed through the proxy, or the journal is older.
   */
  readonly amount?: string;
  /** The kind of wrong signature, as a word of the scenario language. It is left out if the signature is not wrong on purpose. */
  readonly signed?: string;
  /** True if the operator may decline the call. Then nobody owes the amount of the call. It is left out for all other calls. */
  readonly mayBeDeclined?: true;
  /** The point at which croupier breaks the connection on purpose, before the whole request is sent. */
  readonly brokenAt?: EarlyBreak;
  /** Only in a capsule: the result of verifying the original signature, before the bytes were changed. */
  readonly signature?: SignatureState;
  /**
   * The sender of a call that passed through the proxy. `proxy` means that croupier itself repeated a call on purpose.
   */
  readonly source?: 'service' | 'proxy';
  /** The trace and the span that the `traceparent` header of the call names. It is left out if croupier sent no such header. */
  readonly trace?: Trace;
}

/** The result of a call. The `sending` event with the same id has the request. */
export interface Received {
  readonly event: 'received';
  readonly id: string;
  readonly scenario: string | null;
  readonly outcome: Exchange['outcome'];
  readonly stamps: Exchange['stamps'];
  readonly connection: Exchange['connection'];
  /**
   * The balances that croupier considered possible before and after the call, as decimal text. If such a list is empty, the balance
   * is unknown.
   */
  readonly model: { readonly before: readonly string[]; readonly after: readonly string[] } | null;
  /**
   * Something that happened in the proxy and affected the call, but is not a fault of the operator. Examples: a fault made on
   * purpose, or a service that closed the connection.
   */
  readonly aside?: string;
}

/**
 * The result of a race: several calls that croupier sends at almost the same time. The event is written when all these calls have
 * ended.
 */
export interface Raced {
  readonly event: 'race';
  readonly scenario: string;
  readonly attempt: number;
  /**
   * The number of the repetition, from 1. A scenario with a race is repeated. In each repetition, its steps have the same keys, but
   * new ids.
   */
  readonly round: number;
  /** The key of the `together` step. */
  readonly step: string;
  /** Ids of the exchanges, in the order in which the calls were released. */
  readonly exchanges: readonly string[];
  /**
   * The time at which croupier sent the last byte of the first call, on the same clock as the stamps. Until then, croupier kept
   * back the last byte of every call.
   */
  readonly barrier: number;
  /** The delay in ms between the first half of the calls and the second half. 0 means that all calls are released at once. */
  readonly staggerMs: number;
  /**
   * For each call, its delay in ms after the first call, in the order of `exchanges`. It is left out if the scenario sets no
   * delays.
   */
  readonly offsetsMs?: readonly number[];
  /**
   * The number of calls that overlapped with another call. Two calls overlap if both were completely sent before one of them was
   * answered.
   */
  readonly overlapped: number;
}

/** A finding that is not a pass. Passes are only counted, in the `scenario-ended` event. */
export interface Found {
  readonly event: 'finding';
  readonly scenario: string;
  readonly attempt: number;
  readonly finding: Finding;
}

/**
 * A call that croupier must still send, for example because the operator must give a player money back. The command `settle` sends
 * it.
 */
export interface Owed {
  readonly event: 'owed';
  readonly scenario: string | null;
  readonly call: TransactionCall;
  readonly sessionID: string;
  readonly txID: string;
  /** True if croupier must still send the call. False if the call was answered, so that croupier no longer owes it. */
  readonly open: boolean;
  readonly fields: Readonly<Record<string, string>>;
  /** The state of the bet that a refund names. It is left out for other calls, and in older journals. */
  readonly bet?: OwedBet;
  /** The status of the latest reply to the transaction with this `txID`. It is left out if it is not known. */
  readonly status?: number;
}

/**
 * The state of the bet that an owed refund names.
 *
 * - `not-received`: the operator certainly never received the bet
 * - `declined`: the operator took nothing for the bet
 * - `refunded`: another refund has already given the stake back
 * - `accepted`: the operator has the stake
 * - `uncertain`: the operator may have the stake
 */
export type OwedBet = (typeof OWED_BETS)[number];

export const OWED_BETS = ['not-received', 'declined', 'refunded', 'accepted', 'uncertain'] as const;

/**
 * A balance that differs from the balance before the run. The command `settle` restores it. The latest event about a session
 * counts.
 */
export interface BalanceOwed {
  readonly event: 'balance-owed';
  /** The session in which croupier first read the balance. */
  readonly sessionID: string;
  /** True if the balance must still be restored. False if the balance is again the same as before the run. */
  readonly open: boolean;
  /** The balance before the run, as decimal text. */
  readonly wanted: string;
  /**
   * The amount that is missing when every owed call is answered 200, as decimal text. It is negative if the balance is too high.
   * Null if the journal does not show the amount, so that only a new read can show it.
   */
  readonly missing: string | null;
}

/**
 * The command `settle` has worked on a run that was cut off. The events `owed` and `balance-owed` up to here name everything that
 * is still owed.
 */
interface OwedKnown {
  readonly event: 'owed-known';
}

/**
 * For each rule, the number of its passes for each endpoint. The key is `*` if the rule is not judged separately for each endpoint.
 */
export type Tally = Readonly<Partial<Record<RuleId, Readonly<Partial<Record<CallName | '*', number>>>>>>;

export interface ScenarioEnded {
  readonly event: 'scenario-ended';
  readonly scenario: string;
  readonly attempt: number;
  readonly verdict: Verdict;
  /** The reason why the scenario was skipped or is undecided; null otherwise. */
  readonly reason: string | null;
  readonly durationMs: number;
  /**
   * True if every balance is the same as before the scenario. False if a balance could not be restored. Null if this is not known,
   * or if a balance is restored only at the end of the run.
   */
  readonly restored: boolean | null;
  readonly passes: Tally;
}

/**
 * A change of verdict at the end of the run. The breach of another rule (`because`) explains findings of `rule`. So these findings
 * get a new verdict.
 */
export interface Attributed {
  readonly event: 'blamed';
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  /** The scenario whose findings get the new verdict; null if the findings of all scenarios get it. */
  readonly scenario: string | null;
  readonly verdict: Exclude<Verdict, 'untested'>;
  readonly because: RuleId;
  readonly reason: string;
}

/**
 * The sum by which a breach made a balance wrong. This is a separate event, because a balance showed the sum only after the finding
 * was written to the journal.
 */
export interface SumFound {
  readonly event: 'wrong-sum';
  readonly scenario: string;
  /** Null if `step` is null. */
  readonly attempt: number | null;
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  /**
   * Null for a win with which croupier itself raised the balance for the scenario, or after it, and for an attempt with fewer reads that
   * croupier has repeated. Such a sum belongs to no finding that counts.
   */
  readonly step: string | null;
  readonly wrongSum: WrongSum;
}

/** The sum of a breach, with the breach that it belongs to. */
export type FoundSum = Pick<SumFound, 'rule' | 'endpoint' | 'step' | 'wrongSum'>;

/**
 * The proof that a player's balance changes without a call: it changed while croupier sent nothing for this player. Somebody else
 * moves it, or the operator answers reads wrongly. So failures that depend on a balance are undecided.
 */
export interface MovedAlone {
  readonly event: 'moved-alone';
  readonly sessionID: string;
  /** The player of the session; null if it is not configured. */
  readonly player: string | null;
  /** The balances in the order in which croupier read them, as decimal text. */
  readonly values: readonly string[];
  /**
   * True if the change is only a sign: the balance changed between two reads of the run, but croupier did not watch it for a longer
   * time. Then only failures that did not occur again (`unrepeated`) are undecided. It is left out for a proof.
   */
  readonly onlyUnrepeated?: true;
}

/**
 * The proof that failures come from the operator, even if they occur only now and then. There are two cases: a failure that only a
 * balance shows occurred again in the same way, or such failures occurred in several attempts for one player, and nobody moved the
 * balance while croupier watched it after each of them. So failures that did not occur again count too.
 */
export interface Intermittent {
  readonly event: 'intermittent';
  readonly sessionID: string;
  /** The player of the session; null if it is not configured. */
  readonly player: string | null;
  /** Number of attempts in which something failed for this player. */
  readonly times: number;
}

/**
 * The ways in which a run ends. `complete`: all planned scenarios were played. `time`: the time limit (`--time`) was reached before
 * all scenarios were played. `in-use`: another command used the players, so croupier sent nothing. `bug`: croupier itself failed.
 */
export const RUN_ENDINGS = ['complete', 'bail', 'time', 'interrupted', 'unreachable', 'in-use', 'bug'] as const;

/** The signals that interrupt a run. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The exit status of a run that a signal interrupted. As in a shell, it is 128 plus the number of the signal. */
export const STOP_STATUSES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const satisfies Record<StopSignal, number>;

/** Returns the signal that caused an abort. If the abort has another reason, returns SIGINT. */
export function stopSignalOf({ reason }: AbortSignal): StopSignal {
  return STOP_SIGNALS.find((signal) => signal === reason) ?? 'SIGINT';
}

/** The last reply of an operator that stopped answering during the run. */
export interface LastReply {
  readonly exchange: string;
  readonly call: CallName;
  readonly scenario: string | null;
  /** The time from the start of the run to the reply. */
  readonly afterMs: number;
}

export interface RunEnded {
  readonly event: 'run-ended';
  readonly how: (typeof RUN_ENDINGS)[number];
  readonly signal: StopSignal | null;
  readonly detail: string | null;
  /** With `unreachable`: the last reply. It is left out if the operator never answered a call, or if it answered until the end. */
  readonly lastReply?: LastReply;
  readonly durationMs: number;
}

export type JournalEvent =
  | RunStarted
  | Notice
  | ScenarioStarted
  | Sending
  | Received
  | Raced
  | Found
  | Owed
  | BalanceOwed
  | OwedKnown
  | ScenarioEnded
  | Attributed
  | MovedAlone
  | Intermittent
  | SumFound
  | RunEnded;
