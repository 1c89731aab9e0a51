import type { LineWriter } from '../journal/load/line-writer.ts';
import type { Crashes } from './cause/crashes.ts';
import type { NetworkCall } from './connections.ts';
import type { Findings } from './findings.ts';
import type { Measures } from './measures.ts';
import type { Mix } from './mix.ts';
import type { MoneyProblem } from './money-problem.ts';
import type { OperatorTxIDs } from './operator-tx-ids.ts';
import type { RecentTransactions } from './recent-transactions.ts';
import type { Requests } from './requests.ts';
import type { Schedule } from './schedule.ts';
import type { UnusualReplies } from './unusual-replies.ts';

/**
 * A remark about something that is no problem:
 *
 * - `healed`: a balance was wrong at first, and correct when croupier read it again after the linger
 * - `declined-round`, `declined-free-bet`: the operator declined a bet
 * - `free-bet`: the operator accepted a free bet
 */
export type Remark = 'healed' | 'declined-round' | 'declined-free-bet' | 'free-bet';

/** The objects and settings that all players of a load test share. */
export interface LoadContext {
  readonly requests: Requests;
  readonly schedule: Schedule;
  readonly measures: Measures;
  readonly findings: Findings;
  readonly recent: RecentTransactions;
  readonly crashes: Crashes;
  readonly operatorTxIDs: OperatorTxIDs;
  readonly unusualReplies: UnusualReplies;
  /** The next lines of the journal. They are in the journal before the next call is sent, or earlier. */
  readonly lines: LineWriter;
  readonly mix: Mix;
  /** The campaign of free rounds. Null if no campaign is configured. */
  readonly campaign: string | null;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. */
  readonly credit: boolean;
  readonly deadlineMs: number;
  /** Time to wait for a late debit, in milliseconds. */
  readonly lingerMs: number;
  /** The clock, in milliseconds. */
  now(): number;
  /** Returns a time as whole milliseconds from the start of the test. */
  stamp(time: number): number;
  nextNumber(): number;
  /** Sends the bytes of a call, after the lines so far are in the journal. */
  deliver(call: NetworkCall): void;
  /** Removes the secrets from a text of the operator. */
  scrub(text: string): string;
  sessionEnded(sessionID: string): void;
  moneyProblem(problem: MoneyProblem): void;
  /** Counts a remark. */
  remark(kind: Remark): void;
  /** True if no time is left to complete the open rounds. */
  isOver(): boolean;
  /** Waits, but not longer than until the end of the test. */
  wait(ms: number): Promise<void>;
}
