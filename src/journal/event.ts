import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Baseline } from './baseline.ts';
import type { Exchange, ExchangeRequest } from './exchange.ts';
import type { Finding, Place, Verdict } from './finding.ts';
import type { Budgets } from './latency.ts';

/** Version of the journal's format. A reader refuses a newer one. */
export const JOURNAL_FORMAT = 'croupier-journal/1';

/** One scenario of the plan, as far as reports need it before it is played. */
export interface PlannedScenario {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly rules: readonly RuleId[];
}

/** Where a run found its settings, keys never among them. */
interface RunSettings {
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly strict: boolean;
  readonly workers: number;
  /** What 95 of 100 replies may take, by call; left out: nothing is said. */
  readonly budgetMs?: Budgets;
  /** A failed scenario is played again up to so many times; left out: never. */
  readonly retries?: number;
  /** True: what fails and then passes is a warning; left out: it fails the run. */
  readonly allowFlaky?: boolean;
  readonly sessions: readonly {
    readonly sessionID: string;
    readonly player: string | null;
    readonly currency: string | null;
    readonly gameID: string | null;
    readonly state: 'active' | 'expired';
  }[];
}

/** Which part of a run it is that was divided over several. What is the same in all parts tells that they belong together. */
export interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly count: number;
  /** Of the whole plan, as `planHash` is of the part. */
  readonly planHash: string;
  /** Which scenario, and which player, is in which part. */
  readonly divisionHash: string;
  /** How many scenarios the whole has. */
  readonly scenarios: number;
  /** How many players the whole has. */
  readonly players: number;
  /** True when the parts are the whole built-in suite. */
  readonly whole: boolean;
  /** The seed that all parts were given; null: each has drawn its own. */
  readonly seed: string | null;
}

/** The first event of a journal: what is about to be done, and to whom. */
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
  /** What the user asked for, word by word; empty: everything. */
  readonly selection: readonly string[];
  /** Command-line flags that meet the same operator in the same way, keys never among them; left out: not known. */
  readonly flags?: readonly string[];
  /** True when the whole built-in suite was to be run, nothing left out by a selection. */
  readonly whole: boolean;
  readonly planHash: string;
  /** Left out: it is no part of another. */
  readonly shard?: Shard;
  readonly settings: RunSettings;
  /** Rules that may fail; left out: none. */
  readonly baseline?: Baseline;
  readonly scenarios: readonly PlannedScenario[];
  /** `proxy`: what somebody else sent, as it passed through croupier; left out: what croupier sent. */
  readonly source?: 'proxy';
  /** Who writes it, so that nobody takes a run for dead that still goes on. */
  readonly process?: { readonly pid: number; readonly host: string };
}

/** Something that the reader of a report should know and that is no finding: insecure TLS, keep-alive given up, … */
interface Notice {
  readonly event: 'notice';
  readonly text: string;
}

export interface ScenarioStarted {
  readonly event: 'scenario-started';
  readonly scenario: string;
  /** 1, or more when it is played again because the connection, not the operator, failed. Findings of earlier attempts are void. */
  readonly attempt: number;
  /** 1 or more: it had failed, and is played again to see whether it always does. The failure is not void, it may be flaky. */
  readonly retry?: number;
  /** Monotonic ms, as in the exchanges' stamps. */
  readonly at: number;
  /** Which session plays which alias. */
  readonly sessions: Readonly<Record<string, string>>;
}

/** Whether a call was signed rightly. `wrong`: by none of the keys at hand. `unknown`: there is no key, or not all is known that is needed. */
export const SIGNATURE_STATES = ['right', 'wrong', 'missing', 'unknown'] as const;
export type SignatureState = (typeof SIGNATURE_STATES)[number];

/** Written before the bytes leave. */
export interface Sending {
  readonly event: 'sending';
  readonly id: string;
  readonly scenario: string | null;
  /** Key of the step; null for reads and compensations that croupier adds itself. */
  readonly step: string | null;
  /** Why croupier sends it, when no step says so. */
  readonly purpose: 'step' | 'read' | 'prepare' | 'restore' | 'probe' | 'settle';
  readonly call: CallName;
  readonly request: ExchangeRequest;
  /** In which manner it is signed, where that is not the right one on purpose; in the words of the scenario language. */
  readonly signed?: string;
  /** The connection is broken on purpose before the whole request is out. */
  readonly brokenAt?: 'head' | 'half-body';
  /** In a capsule, whose bytes are no longer those that were signed: what came of verifying them before. */
  readonly signature?: SignatureState;
  /** Of what passed through the proxy: who sent it; `proxy`: croupier, which repeated a call on purpose. */
  readonly source?: 'service' | 'proxy';
}

/** What came of it. The request is in the `sending` event of the same id. */
export interface Received {
  readonly event: 'received';
  readonly id: string;
  readonly scenario: string | null;
  readonly outcome: Exchange['outcome'];
  readonly stamps: Exchange['stamps'];
  readonly connection: Exchange['connection'];
  /** The balances that croupier held possible before and after, as decimal text; empty when nothing was known. */
  readonly model: { readonly before: readonly string[]; readonly after: readonly string[] } | null;
  /** What else became of it on its way through the proxy: a fault made on purpose, a service that had hung up. None of it is the operator's. */
  readonly aside?: string;
}

/** Calls that were let go together have all landed: what was released, and what met. */
export interface Raced {
  readonly event: 'race';
  readonly scenario: string;
  readonly attempt: number;
  /** A story with a race is told several times; 1 is the first. Its steps have the same keys each time, and ids of their own. */
  readonly round: number;
  /** Key of the `together` step. */
  readonly step: string;
  /** Ids of the exchanges, in the order in which they were let go. */
  readonly exchanges: readonly string[];
  /** When the first was let go, in monotonic ms as in the stamps. Until then the last byte of each was held back. */
  readonly barrier: number;
  /** So many ms after the first half the second half was let go; 0: all at once. */
  readonly staggerMs: number;
  /** How many ms after the first each was let go, in the order of `exchanges`; absent: the story gives them no times of their own. */
  readonly offsetsMs?: readonly number[];
  /** How many of them were in flight together with another: sent whole before the other had its reply, and the other way. */
  readonly overlapped: number;
}

/** A finding that is worth a line of its own: every one but a pass. */
export interface Found {
  readonly event: 'finding';
  readonly scenario: string;
  readonly attempt: number;
  readonly finding: Finding;
}

/** What the operator is still owed by croupier (or a player by the operator), so that `settle` can send it. */
export interface Owed {
  readonly event: 'owed';
  readonly scenario: string | null;
  readonly call: 'win' | 'refund' | 'bet';
  readonly sessionID: string;
  readonly txID: string;
  /** True: is owed from now on; false: was answered and is no longer. */
  readonly open: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

/** How often a rule held in a scenario, by endpoint (`*` where it is not judged by endpoint). */
export type Tally = Readonly<Partial<Record<RuleId, Readonly<Partial<Record<CallName | '*', number>>>>>>;

export interface ScenarioEnded {
  readonly event: 'scenario-ended';
  readonly scenario: string;
  readonly attempt: number;
  readonly verdict: Verdict;
  /** Why it was skipped or could not be decided; null otherwise. */
  readonly reason: string | null;
  readonly durationMs: number;
  /** false: the balance could not be brought back to what it was; null: nothing moved. */
  readonly restored: boolean | null;
  readonly passes: Tally;
}

/**
 * A correction made when the whole run is known: findings of one rule (at one endpoint) are explained by another rule's
 * breach, and count as what is said here instead.
 */
export interface Blamed {
  readonly event: 'blamed';
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  /** Only findings of this scenario; null: of all. */
  readonly scenario: string | null;
  readonly verdict: Exclude<Verdict, 'untested'>;
  readonly because: RuleId;
  readonly reason: string;
}

export interface RunEnded {
  readonly event: 'run-ended';
  /** `complete`: all that was planned was played. */
  readonly how: 'complete' | 'bail' | 'interrupted' | 'unreachable' | 'bug';
  readonly signal: 'SIGINT' | 'SIGTERM' | null;
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
  | Blamed
  | RunEnded;
