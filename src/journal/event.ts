import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { EarlyBreak } from '../contract/deviation.ts';
import type { SessionState } from '../contract/session-state.ts';
import type { SignatureState } from '../contract/signature.ts';
import type { Exchange, ExchangeRequest } from './exchange.ts';
import type { EXPECTATION, Finding, Place, Verdict } from './finding.ts';

/** Version of the journal format. A reader refuses a newer one. */
export const JOURNAL_FORMAT = 'croupier-journal/1';

/** One scenario of the plan, with the data that reports need. */
export interface PlannedScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
}

/** Time limits for 95 of 100 replies, by call, in milliseconds. */
export type Budgets = Readonly<Partial<Record<CallName, number>>>;

/** One entry of a baseline: a rule that is allowed to fail until a date. */
export interface KnownFailure {
  readonly rule: RuleId | typeof EXPECTATION;
  /** The entry is valid only for this endpoint; null: for all endpoints. */
  readonly endpoint: CallName | null;
  /** The entry is valid only for this scenario, or all cases of this scenario file; null: for all scenarios. */
  readonly scenario: string | null;
  readonly reason: string;
  readonly ticket: string;
  /** `YYYY-MM-DD`, the last day (in UTC) on which the entry is valid. */
  readonly expires: string;
  /** Its line in the baseline file, counted from 1. */
  readonly line: number;
  /** True: the run has every scenario of the suite that tests it, so no other scenario could show the failure. */
  readonly tried: boolean;
}

/** The list of known failures of a run. */
export interface Baseline {
  readonly file: string;
  readonly known: readonly KnownFailure[];
}

/** The settings of a run, without any keys. */
interface RunSettings {
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly strict: boolean;
  readonly workers: number;
  /** Time limits for 95 of 100 replies, by call; left out: no limits. */
  readonly budgetMs?: Budgets;
  /** Maximum number of retries of a failed scenario; left out: 0. */
  readonly retries?: number;
  /** True: a scenario that fails and then passes is a warning; left out: it fails the run. */
  readonly allowFlaky?: boolean;
  readonly sessions: readonly {
    readonly sessionID: string;
    readonly player: string | null;
    readonly currency: string | null;
    readonly gameID: string | null;
    readonly state: SessionState;
  }[];
}

/** One part of a divided run. The fields that are equal in all parts show that the parts belong together. */
export interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly count: number;
  /** Hash of the whole plan; `planHash` of the run is the hash of this part. */
  readonly planHash: string;
  /** Hash of which scenario and which player is in which part. */
  readonly divisionHash: string;
  /** Number of scenarios in all parts together. */
  readonly scenarios: number;
  /** Number of players in all parts together. */
  readonly players: number;
  /** True if all parts together are the whole built-in suite. */
  readonly whole: boolean;
  /** The seed given to all parts; null: each part chose its own. */
  readonly seed: string | null;
}

/** The first event of a journal: the plan of the run and the operator under test. */
export interface RunStarted {
  readonly event: 'run-started';
  readonly format: typeof JOURNAL_FORMAT;
  readonly croupier: string;
  readonly contract: string;
  readonly runID: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seed: string;
  readonly client: { readonly extCID: string; readonly integratorBaseUrl: string };
  /** The selection of the user, one word each; empty: everything. */
  readonly selection: readonly string[];
  /** Command-line flags that reach the same operator in the same way, without keys; left out: unknown. */
  readonly flags?: readonly string[];
  /** True if the run was of the whole built-in suite, without a selection. */
  readonly whole: boolean;
  readonly planHash: string;
  /** Left out: the run is not divided. */
  readonly shard?: Shard;
  readonly settings: RunSettings;
  /** Rules that may fail; left out: none. */
  readonly baseline?: Baseline;
  readonly scenarios: readonly PlannedScenario[];
  /** `proxy`: the calls of a real service that passed through croupier; left out: croupier's own calls. */
  readonly source?: 'proxy';
  /** The process that writes the journal, so that a run that still goes on is not taken for a killed one. */
  readonly process?: { readonly pid: number; readonly host: string };
}

/** Information for the reader of a report that is not a finding: insecure TLS, keep-alive switched off, … */
interface Notice {
  readonly event: 'notice';
  readonly text: string;
}

export interface ScenarioStarted {
  readonly event: 'scenario-started';
  readonly scenario: string;
  /** 1, or more if it is played again because the connection, not the operator, failed. Findings of earlier attempts are void. */
  readonly attempt: number;
  /** 1 or more: it failed before and is played again to see whether it fails every time. The earlier failure is not void. */
  readonly retry?: number;
  /** Monotonic ms, as in the exchanges' stamps. */
  readonly at: number;
  /** Which session is used for which alias. */
  readonly sessions: Readonly<Record<string, string>>;
}

/** Why croupier sends a call: for a step of a scenario, or for a reason of its own. */
export const PURPOSES = ['step', 'read', 'prepare', 'restore', 'probe', 'settle'] as const;

/** A call that is about to be sent. The event is written before its first byte is sent. */
export interface Sending {
  readonly event: 'sending';
  readonly id: string;
  readonly scenario: string | null;
  /** Key of the step; null for reads and compensations that croupier adds itself. */
  readonly step: string | null;
  readonly purpose: (typeof PURPOSES)[number];
  readonly call: CallName;
  readonly request: ExchangeRequest;
  /**
   * The amount of a bet, win or refund as it was sent: a plain decimal in the main unit of the session's currency. Left out
   * if the call has no amount, if the amount is invalid on purpose, if croupier did not make the body (proxy), and in
   * older journals; call-amount.ts then reads the body.
   */
  readonly amount?: string;
  /** The kind of signature, if it is wrong on purpose; a word of the scenario language. */
  readonly signed?: string;
  /** The connection is broken on purpose before the whole request is out. */
  readonly brokenAt?: EarlyBreak;
  /** In a capsule, whose bytes are not the signed ones: the result of verifying the signature before. */
  readonly signature?: SignatureState;
  /** Who sent a call that passed through the proxy; `proxy`: croupier, which repeated a call on purpose. */
  readonly source?: 'service' | 'proxy';
}

/** The result of a call. Its request is in the `sending` event of the same id. */
export interface Received {
  readonly event: 'received';
  readonly id: string;
  readonly scenario: string | null;
  readonly outcome: Exchange['outcome'];
  readonly stamps: Exchange['stamps'];
  readonly connection: Exchange['connection'];
  /** The balances that croupier considered possible before and after the call, as decimal text; empty: unknown. */
  readonly model: { readonly before: readonly string[]; readonly after: readonly string[] } | null;
  /** Another event in the proxy: a fault made on purpose, or a service that closed the connection. Never the operator's fault. */
  readonly aside?: string;
}

/** All calls of a race have ended: which calls were released, and how many overlapped. */
export interface Raced {
  readonly event: 'race';
  readonly scenario: string;
  readonly attempt: number;
  /** A scenario with a race is repeated; 1 is the first time. The steps have the same keys each time, and new ids. */
  readonly round: number;
  /** Key of the `together` step. */
  readonly step: string;
  /** Ids of the exchanges, in the order in which they were released. */
  readonly exchanges: readonly string[];
  /** When the first was released, in monotonic ms as in the stamps. Until then the last byte of each was held back. */
  readonly barrier: number;
  /** Delay in ms of the second half of the calls after the first half; 0: all at once. */
  readonly staggerMs: number;
  /** Delay in ms of each call after the first, in the order of `exchanges`; absent: the scenario sets no delays. */
  readonly offsetsMs?: readonly number[];
  /** Number of calls that were in flight together with another one: each was sent whole before the other was answered. */
  readonly overlapped: number;
}

/** A finding that is not a pass. Passes are only counted, in `scenario-ended`. */
export interface Found {
  readonly event: 'finding';
  readonly scenario: string;
  readonly attempt: number;
  readonly finding: Finding;
}

/** A call that croupier still owes the operator (or money that the operator owes a player), so that `settle` can send it. */
export interface Owed {
  readonly event: 'owed';
  readonly scenario: string | null;
  readonly call: TransactionCall;
  readonly sessionID: string;
  readonly txID: string;
  /** True: owed from now on; false: it was answered and is no longer owed. */
  readonly open: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

/** Number of passes of each rule in a scenario, by endpoint (`*`: the rule is not judged by endpoint). */
export type Tally = Readonly<Partial<Record<RuleId, Readonly<Partial<Record<CallName | '*', number>>>>>>;

export interface ScenarioEnded {
  readonly event: 'scenario-ended';
  readonly scenario: string;
  readonly attempt: number;
  readonly verdict: Verdict;
  /** Why it was skipped or undecided; null otherwise. */
  readonly reason: string | null;
  readonly durationMs: number;
  /** false: the balance could not be restored; null: no balance changed. */
  readonly restored: boolean | null;
  readonly passes: Tally;
}

/**
 * A correction that is made at the end of the run: findings of one rule (at one endpoint) are explained by the breach of
 * another rule, and get this verdict instead of their own.
 */
export interface Attributed {
  readonly event: 'blamed';
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  /** Only findings of this scenario; null: of all scenarios. */
  readonly scenario: string | null;
  readonly verdict: Exclude<Verdict, 'untested'>;
  readonly because: RuleId;
  readonly reason: string;
}

/** The ways in which a run ends. `complete`: all planned scenarios were played. */
export const RUN_ENDINGS = ['complete', 'bail', 'interrupted', 'unreachable', 'bug'] as const;

/** The signals that interrupt a run. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface RunEnded {
  readonly event: 'run-ended';
  readonly how: (typeof RUN_ENDINGS)[number];
  readonly signal: (typeof STOP_SIGNALS)[number] | null;
  readonly detail: string | null;
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
  | ScenarioEnded
  | Attributed
  | RunEnded;
