import { createHash } from 'node:crypto';
import { conclude } from '../journal/conclusion.ts';
import type { RunStarted } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import { MAX_LABEL_LENGTH } from '../journal/label-values.ts';
import type { LoadResult } from '../journal/load/result.ts';
import { isJudged, type JudgedRule, summaryOfFold } from '../report/comparison/run-summary.ts';
import { compressedParts, compressedText } from './compression.ts';
import type { History } from './history.ts';
import { operatorOf } from './operator-name.ts';
import { applyRetention, type Retention } from './retention.ts';
import type { NewRuleResult, NewRun, RunVerdict } from './tables.ts';

/** A finished run or load test, ready to be added to a history. */
export interface FinishedRun {
  readonly run: Omit<NewRun, 'pinned' | 'evidence'>;
  readonly rules: readonly Omit<NewRuleResult, 'run'>[];
  /** The scenarios that were played; null for a load test. */
  readonly played: readonly string[] | null;
}

/** Maximum length of a reason, because the operator may have written a part of it. */
const MAX_REASON = 300;

/**
 * Describes a finished run for the history.
 *
 * @param journal the path of its journal
 * @param scrub removes the secret keys from a text. Some texts of the fold still contain them
 */
export function finishedRun(fold: Fold, journal: string, scrub: (text: string) => string): FinishedRun {
  const { run, ended } = fold;
  const { verdict, exitCode, firstLine } = conclude(fold);
  const summary = summaryOfFold(fold);
  const played = summary.tried.toSorted();
  const part = run.shard ? [`${run.shard.index}/${run.shard.count} ${run.shard.divisionHash}`] : [];
  return {
    run: {
      ...commonColumns(run, fold.labels, scrub),
      kind: 'run',
      duration_ms: ended?.durationMs ?? null,
      verdict,
      exit_code: exitCode,
      first_line: scrub(firstLine),
      ended: ended?.how ?? null,
      selection: JSON.stringify(run.selection),
      whole: Number(run.whole),
      rules_digest: run.digests?.rules ?? null,
      suite_digest: run.digests?.suite ?? null,
      config_digest: run.digests ? [run.digests.config, run.digests.baseline ?? ''].join(' ').trim() : null,
      played_digest: digest([...played, ...part]),
      journal,
      summary: compressedText(scrub(JSON.stringify(summary))),
    },
    rules: summary.judged.flatMap((judged) => {
      if (judged.verdict === 'untested' || judged.verdict === 'skip') return [];
      return [ruleRow(judged, fold, scrub)];
    }),
    played,
  };
}

function ruleRow(
  { id, verdict, reason, failing }: JudgedRule,
  fold: Fold,
  scrub: (text: string) => string,
): Omit<NewRuleResult, 'run'> {
  const flaky = fold.rules.some((result) => result.rule.id === id && result.flaky);
  const scenarios = id.includes(' in ') ? [id.slice(id.indexOf(' in ') + 4)] : failing.map(({ scenario }) => scenario);
  return {
    rule: id,
    verdict,
    flaky: Number(flaky),
    reason: isJudged(verdict) && verdict === 'pass' ? null : short(reason, scrub),
    failing: JSON.stringify([...new Set(scenarios)]),
  };
}

function short(reason: string | null, scrub: (text: string) => string): string | null {
  if (reason === null) return null;
  const text = scrub(reason);
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
}

const LOAD_VERDICTS: Readonly<Record<LoadResult['verdict'], RunVerdict>> = {
  RECONCILED: 'reconciled',
  'NOT RECONCILED': 'not-reconciled',
  UNDECIDED: 'undecided',
};

/** Describes a finished load test for the history. @param journal the path of its journal */
export function finishedLoad(
  run: RunStarted,
  result: LoadResult,
  journal: string,
  scrub: (text: string) => string,
): FinishedRun {
  const { verdict, exitCode, reasons, load, findings, money } = result;
  const wrong = money.problems.map(({ rule, player }) => ({
    rule,
    verdict: 'fail',
    reason: `wrong balance of player ${player}`,
  }));
  const found = findings.map(({ rule, verdict: own, actual }) => ({ rule, verdict: own, reason: actual }));
  const byRule = Map.groupBy([...wrong, ...found], ({ rule }) => rule);
  return {
    run: {
      ...commonColumns(run, run.labels ?? {}, scrub),
      kind: 'load',
      duration_ms: load.ranMs + load.reconcileMs,
      verdict: LOAD_VERDICTS[verdict],
      exit_code: exitCode,
      first_line: scrub([verdict, reasons.join('; ')].filter((text) => text !== '').join(': ')),
      ended: load.interrupted === null ? 'complete' : 'interrupted',
      selection: '[]',
      whole: 0,
      rules_digest: null,
      suite_digest: null,
      config_digest: null,
      played_digest: null,
      journal,
      summary: null,
    },
    rules: [...byRule].map(([rule, all]) => {
      const worst = ['fail', 'warn', 'note'].map((own) => all.find((one) => one.verdict === own)).find(Boolean);
      return {
        rule,
        verdict: worst?.verdict ?? 'note',
        flaky: 0,
        reason: short(worst?.reason ?? null, scrub),
        failing: '[]',
      };
    }),
    played: null,
  };
}

/** The columns that come from the first event of the journal. */
function commonColumns(run: RunStarted, labels: Fold['labels'], scrub: (text: string) => string) {
  return {
    run_id: run.runID,
    started_at: run.startedAt,
    ext_cid: run.client.extCID,
    operator: scrub(operatorOf(run)),
    croupier: run.croupier,
    contract: run.contract,
    build: buildOf(run, labels, scrub),
    labels: scrub(JSON.stringify(labels)),
  };
}

/**
 * Returns the build of the operator. Returns null if the operator deployed another build during the run, because the verdicts
 * are then about both builds.
 */
function buildOf(run: RunStarted, labels: Fold['labels'], scrub: (text: string) => string): string | null {
  const { build } = labels;
  if (build === undefined) return null;
  const isFromHeader = run.labelHeaders?.build !== undefined && run.labels?.build === undefined;
  return isFromHeader && build.includes(', ') ? null : scrub(build).slice(0, MAX_LABEL_LENGTH);
}

function digest(ids: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16);
}

/** The evidence of a run: its journal, or the result of a load test as JSON. */
export interface Evidence {
  readonly kind: 'journal' | 'load-result';
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Adds a run to a history, and removes the runs and journals that the retention does not keep. Does all of this or nothing. If
 * the history already has the run, it is not added again.
 *
 * @param evidence null stores none
 * @returns the number of the run
 * @throws the error of the database
 */
export async function addRun(
  history: History,
  finished: FinishedRun,
  evidence: Evidence | null,
  retention: Retention,
): Promise<number> {
  return history.transaction().execute((transaction) => addRunWithin(transaction, finished, evidence, retention));
}

/**
 * Does the same as `addRun` in a transaction of the caller. The evidence is compressed within the transaction, so that memory does
 * not grow with the length of the run. Other processes wait for it for less than a second.
 */
export async function addRunWithin(
  transaction: History,
  { run, rules, played }: FinishedRun,
  evidence: Evidence | null,
  retention: Retention,
): Promise<number> {
  const known = await transaction
    .selectFrom('run')
    .select('number')
    .where('run_id', '=', run.run_id)
    .executeTakeFirst();
  if (known) return known.number;
  const { number } = await transaction
    .insertInto('run')
    .values({ ...withoutNul(run), pinned: 0, evidence: evidence?.kind ?? null })
    .returning('number')
    .executeTakeFirstOrThrow();
  for (const one of rules)
    await transaction
      .insertInto('rule_result')
      .values({ ...withoutNul(one), run: number })
      .execute();
  if (run.played_digest != null && played !== null)
    await transaction
      .insertInto('played')
      .values({ digest: run.played_digest, scenarios: JSON.stringify(played) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (evidence !== null) await addEvidence(transaction, number, evidence);
  await applyRetention(transaction, retention, { extCID: run.ext_cid, operator: run.operator });
  return number;
}

async function addEvidence(transaction: History, run: number, { content: pieces }: Evidence): Promise<void> {
  let part = 0;
  for await (const content of compressedParts(pieces)) {
    await transaction.insertInto('evidence').values({ run, part, content }).execute();
    part += 1;
  }
}

/**
 * Replaces the character NUL in all texts of a row, because PostgreSQL can't store this character. The operator may have sent it.
 */
function withoutNul<Row extends object>(row: Row): Row {
  const replaced = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll('\u0000', '\uFFFD') : value,
  ]);
  return Object.fromEntries(replaced) as Row;
}
