import { z } from 'zod';
import { INPUTS, RULE_STATES, type RuleInRun } from '../../../history/rule-trend.ts';
import type { ListedRun } from '../../../history/runs.ts';
import { RUN_VERDICTS } from '../../../history/tables.ts';
import { VERDICTS } from '../../../journal/finding.ts';
import type { ShownTrend } from './text.ts';

/** The name and version of the JSON output of `croupier history`. */
const HISTORY_JSON = 'croupier-history/1';

const text = z.string();
const number = z.int().min(1).describe('the number of the run in this history');
const digest = text.nullable().describe('a hash; null for a load test');
const build = text.nullable().describe('the label build; null if it is not known');
const ids = z.array(text);
const kind = z.enum(['run', 'load']);
const ended = text
  .nullable()
  .describe(
    'how the run ended, such as complete or interrupted; null if the journal has no end of the run, for example because the process was killed',
  );

const runsSchema = z.object({
  schema: z.literal(HISTORY_JSON),
  kind: z.literal('runs'),
  total: z.int().describe('number of runs in the history'),
  runs: z
    .array(
      z.object({
        number,
        runID: text,
        kind,
        startedAt: text.describe('the time of the start in UTC (ISO 8601)'),
        durationMs: z.number().nullable().describe('null if the journal has no end of the run'),
        extCID: text,
        operator: text.describe('the base URL of the operator'),
        verdict: z.enum(RUN_VERDICTS),
        exitCode: z.int(),
        firstLine: text,
        ended,
        croupier: text,
        contract: text,
        build,
        labels: z.record(text, text),
        selection: ids.describe('the words that selected the scenarios'),
        whole: z.boolean().describe('true if the run has the whole built-in suite'),
        digests: z.object({ rules: digest, suite: digest, config: digest, played: digest }),
        journal: text.describe('the path of the journal when the run ended'),
        isStored: z.boolean().describe('true if the history can make a report of the run'),
        isPinned: z.boolean(),
        before: z
          .object({
            number,
            changes: z
              .object({
                broken: ids,
                worse: ids,
                fixed: ids,
                mayBeHidden: ids.describe(
                  'the rules that failed before and pass now, but perhaps only because a new failure hides it',
                ),
                notTriedAgain: ids.describe(
                  'the rules that failed before and pass now, but no scenario about them was played with the player of the failures',
                ),
                warned: ids.describe('the rules that give a warning now, but passed before'),
                cleared: ids.describe('the rules that gave a warning before, but pass now'),
                added: ids,
                gone: ids,
                leftUndecided: ids.describe(
                  'the rules that were judged before, and that rules which still fail left undecided now',
                ),
                slower: ids.describe('the calls'),
                differences: ids.describe('why the runs are not fully comparable, as sentences'),
              })
              .nullable()
              .describe('null for a load test'),
          })
          .nullable()
          .describe('the previous run with the same client, operator and selection; null if there is none'),
      }),
    )
    .describe('the latest first'),
});

const named = z.object({ number, runID: text, startedAt: text, build });

const rulesSchema = z.object({
  schema: z.literal(HISTORY_JSON),
  kind: z.literal('rules'),
  rules: z.array(
    z.object({
      rule: text,
      extCID: text,
      operator: text,
      state: z
        .enum(RULE_STATES)
        .describe(
          'broken: the latest run that decided the rule shows a failure; flaky: the verdict changed although no input did; unclear: the verdict changed several times, and the runs name no build; warning: the latest run that decided the rule shows only warnings; passing: it shows neither; undecided: no run decided the rule',
        ),
      flakiness: z.number().min(0).max(1).nullable().describe('changed / compared; null if no runs can be compared'),
      compared: z.int().describe('runs that repeat an earlier run with the same inputs'),
      changed: z
        .int()
        .describe('those of the `compared` runs whose verdict differs from the verdict of the run before'),
      unexplained: z
        .int()
        .describe('changes of the verdict that no new build can explain, because the runs name no build'),
      firstChange: named
        .nullable()
        .describe(
          'for a flaky rule, the first run whose verdict changed although its inputs are those of the latest run; otherwise null',
        ),
      since: named.nullable().describe('the first run of the failures or warnings that last until now'),
      lastGood: named.nullable().describe('the last run before `since` that shows no such failure or warning'),
      differences: z.array(z.enum(INPUTS)).describe('the inputs that differ between `lastGood` and `since`'),
      runs: z
        .array(
          z.object({
            ...named.shape,
            kind,
            verdict: z.enum(VERDICTS),
            isFlaky: z.boolean().describe('true if the scenario failed and passed on retry in this run'),
            reason: text.nullable(),
            croupier: text,
            contract: text,
            ended,
          }),
        )
        .describe('the latest first'),
    }),
  ),
});

/** Returns the JSON Schema for the JSON output of `croupier history` and `croupier history rule`. */
export function historyJsonSchema(): object {
  return {
    ...z.toJSONSchema(z.discriminatedUnion('kind', [runsSchema, rulesSchema]), { io: 'input' }),
    title: `The result of croupier history (${HISTORY_JSON})`,
  };
}

/** Returns the JSON output of `croupier history list`. */
export function runsJson(runs: readonly ListedRun[], total: number): string {
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  const result: z.infer<typeof runsSchema> = {
    schema: HISTORY_JSON,
    kind: 'runs',
    total,
    runs: runs.map(({ run, before }) => ({
      number: run.number,
      runID: run.run_id,
      kind: run.kind,
      startedAt: run.started_at,
      durationMs: run.duration_ms,
      extCID: run.ext_cid,
      operator: run.operator,
      verdict: run.verdict,
      exitCode: run.exit_code,
      firstLine: run.first_line,
      ended: run.ended,
      croupier: run.croupier,
      contract: run.contract,
      build: run.build,
      labels: JSON.parse(run.labels) as Record<string, string>,
      selection: JSON.parse(run.selection) as string[],
      whole: run.whole === 1,
      digests: {
        rules: run.rules_digest,
        suite: run.suite_digest,
        config: run.config_digest,
        played: run.played_digest,
      },
      journal: run.journal,
      isStored: run.evidence !== null,
      isPinned: run.pinned === 1,
      before: before && {
        number: before.number,
        changes: before.comparison && {
          broken: idsOf(before.comparison.broken),
          worse: idsOf(before.comparison.worse),
          fixed: idsOf(before.comparison.fixed),
          mayBeHidden: idsOf(before.comparison.mayBeHidden),
          notTriedAgain: idsOf(before.comparison.notTriedAgain),
          warned: idsOf(before.comparison.warned),
          cleared: idsOf(before.comparison.cleared),
          added: idsOf(before.comparison.added),
          gone: idsOf(before.comparison.gone),
          leftUndecided: idsOf(before.comparison.leftUndecided),
          slower: before.comparison.slower.map(({ call }) => call),
          differences: [...before.comparison.differences],
        },
      },
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** Returns the JSON output of `croupier history rule`. @param limit maximum number of runs of each rule */
export function ruleJson(trends: readonly ShownTrend[], limit: number): string {
  const nameOf = ({ number: own, run_id, started_at, build: ownBuild }: RuleInRun) => ({
    number: own,
    runID: run_id,
    startedAt: started_at,
    build: ownBuild,
  });
  const result: z.infer<typeof rulesSchema> = {
    schema: HISTORY_JSON,
    kind: 'rules',
    rules: trends.map(({ rule, client, operator, trend }) => ({
      rule,
      extCID: client,
      operator,
      state: trend.state,
      flakiness: trend.flakiness,
      compared: trend.compared,
      changed: trend.changed,
      unexplained: trend.unexplained,
      firstChange: trend.firstChange && nameOf(trend.firstChange),
      since: trend.since && nameOf(trend.since),
      lastGood: trend.lastGood && nameOf(trend.lastGood),
      differences: [...trend.differences],
      runs: trend.runs.slice(0, limit).map((run) => ({
        ...nameOf(run),
        kind: run.kind,
        verdict: run.verdict,
        isFlaky: run.flaky,
        reason: run.reason,
        croupier: run.croupier,
        contract: run.contract,
        ended: run.ended,
      })),
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}
