import { z } from 'zod';
import { conclude } from '../journal/conclusion.ts';
import { EXPECTATION, VERDICTS, type Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import { JSON_REPORT } from './json.ts';

/** What one run says about a rule, or about what a scenario expects. */
export interface Judged {
  /** The id of the rule, or `expectation in SCENARIO`. */
  readonly id: string;
  readonly level: string;
  readonly money: boolean;
  readonly verdict: Verdict;
  readonly isKnown: boolean;
  readonly reason: string | null;
}

interface Quickness {
  readonly call: string;
  readonly count: number;
  readonly p95Ms: number;
}

/** As much of a run as is needed to compare it with another. */
export interface RunSummary {
  readonly extCID: string;
  readonly contract: string;
  readonly startedAt: string;
  readonly firstLine: string;
  /** What was asked for; empty: everything. */
  readonly selection: readonly string[];
  readonly strict: boolean;
  readonly judged: readonly Judged[];
  readonly scenarios: readonly string[];
  readonly latency: readonly Quickness[];
}

export function summaryOfFold(fold: Fold): RunSummary {
  const { run, rules, expectations, latency } = fold;
  return {
    extCID: run.client.extCID,
    contract: run.contract,
    startedAt: run.startedAt,
    firstLine: conclude(fold).firstLine,
    selection: run.selection,
    strict: run.settings.strict,
    judged: [
      ...rules.map(({ rule: { id, level, money }, verdict, isKnown, reason }) => ({
        id,
        level,
        money,
        verdict,
        isKnown,
        reason,
      })),
      ...expectationsOf(expectations),
    ],
    scenarios: run.scenarios.map(({ id }) => id),
    latency,
  };
}

function expectationsOf(
  findings: readonly { readonly scenario: string; readonly verdict: Verdict; readonly actual: string }[],
): readonly Judged[] {
  const failing = findings.filter(({ verdict }) => verdict === 'fail');
  return [...Map.groupBy(failing, ({ scenario }) => scenario)].map(([scenario, [first]]) => ({
    id: `${EXPECTATION} in ${scenario}`,
    level: 'MUST',
    money: false,
    verdict: 'fail',
    isKnown: false,
    reason: first?.actual ?? null,
  }));
}

const verdict = z.enum(VERDICTS);

/** Of a JSON report what is compared; older ones lack a part of it. */
const report = z.object({
  schema: z.literal(JSON_REPORT),
  firstLine: z.string(),
  contract: z.string(),
  client: z.object({ extCID: z.string() }),
  startedAt: z.string(),
  selection: z.array(z.string()),
  strict: z.boolean(),
  rules: z.array(
    z.object({
      id: z.string(),
      level: z.string(),
      money: z.boolean(),
      verdict,
      isKnown: z.boolean().default(false),
      reason: z.string().nullable(),
    }),
  ),
  expectations: z.array(z.object({ scenario: z.string(), verdict, actual: z.string() })),
  scenarios: z.array(z.object({ id: z.string() })),
  latency: z.array(z.object({ call: z.string(), count: z.number(), p95Ms: z.number() })).default([]),
});

/** Reads a JSON report. What is wrong with it, in one sentence, where it is none. */
export function summaryOfReport(value: unknown): RunSummary | { readonly complaint: string } {
  const parsed = report.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { complaint: `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it is no report'}` };
  }
  const { client, rules, expectations, scenarios, ...rest } = parsed.data;
  return {
    ...rest,
    extCID: client.extCID,
    judged: [...rules, ...expectationsOf(expectations)],
    scenarios: scenarios.map(({ id }) => id),
  };
}
