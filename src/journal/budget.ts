import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { Fold } from './fold.ts';

/** Minimum number of replies for a 95th percentile that can fail a run. With fewer, one slow reply would decide. */
export const MIN_BUDGET_REPLIES = 20;

/** The result of a run for the budget of one call. */
export interface BudgetResult {
  readonly call: CallName;
  /** The time in milliseconds in which 95 % of the replies must come. */
  readonly budgetMs: number;
  /** The time in milliseconds in which 95 % of the replies came; null if there was no reply. */
  readonly p95Ms: number | null;
  readonly replies: number;
  /** True if slow replies fail the run, false if they give only a warning. */
  readonly fails: boolean;
  /** `unmeasured` if there were too few replies to fail a run. */
  readonly state: 'kept' | 'exceeded' | 'unmeasured';
}

/** Returns the result of each budget of the run, in the order of the contract. */
export function budgetResults({ run, latency }: Pick<Fold, 'run' | 'latency'>): readonly BudgetResult[] {
  const { budgetMs: budgets = {}, budgetFails = [] } = run.settings;
  return CALL_NAMES.flatMap((call) => {
    const budgetMs = budgets[call];
    if (budgetMs === undefined) return [];
    const measured = latency.find((one) => one.call === call);
    const replies = measured?.count ?? 0;
    const p95Ms = measured?.p95Ms ?? null;
    const state = replies < MIN_BUDGET_REPLIES ? 'unmeasured' : (p95Ms ?? 0) > budgetMs ? 'exceeded' : 'kept';
    return { call, budgetMs, p95Ms, replies, fails: budgetFails.includes(call), state };
  });
}

/** Returns the budgets that fail the run. */
export function exceededBudgets(fold: Pick<Fold, 'run' | 'latency'>): readonly BudgetResult[] {
  return budgetResults(fold).filter(({ fails, state }) => fails && state === 'exceeded');
}
