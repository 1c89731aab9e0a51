import { z } from 'zod';
import { RULE_GROUPS } from '../contract/rule.ts';
import { shared } from '../journal/event-schema.ts';
import { VERDICTS } from '../journal/finding.ts';
import { JSON_REPORT } from './json.ts';

const { callName, finding, knownFailure, outcome, request, ruleId, runStarted, signature, stamps, verdict } = shared;
const count = z.int().min(0);
const reason = z.string().nullable().describe('why it is not a pass');

const judgedFinding = z.object({
  ...finding.unwrap().shape,
  scenario: z.string(),
  because: ruleId.nullable().describe('the rule whose breach explains it'),
  reason: z.string().nullable().describe('why the verdict is not the one that the step gave; null when it is'),
  flaky: z.boolean().describe('true: when the scenario was played again, it passed'),
});

const exchange = z.object({
  id: z.string(),
  step: z.string().nullable(),
  purpose: z.string(),
  call: callName,
  request,
  signature: signature.exactOptional(),
  outcome: outcome.nullable().describe('null: the journal ends before it'),
  stamps: stamps.nullable(),
  connection: z.object({ id: z.int(), reused: z.boolean() }).nullable(),
  model: z.object({ before: z.array(z.string()), after: z.array(z.string()) }).nullable(),
});

const level = z.enum(['MUST', 'SHOULD', 'NOTE']);
const money = z.boolean().describe('true: a breach loses or invents money');
const means = z
  .string()
  .nullable()
  .describe('what a breach can do to players, their money or the operator; null: there is none to break');

const cause = z.object({
  rule: ruleId,
  level,
  money,
  means,
  explains: z.array(ruleId).describe('other rules that failed, or could not be decided, because of this one'),
  findings: count.describe('how many findings it accounts for, those of the rules that it explains with them'),
  scenarios: z.array(z.string()).describe('scenarios in which it was seen broken, the most telling first'),
  seenIn: z.string().nullable().describe('the scenario to look at first'),
  exchange: z.string().nullable().describe('the exchange to look at first'),
});

const ms = z.number().describe('milliseconds');

const latency = z
  .object({
    call: callName,
    count,
    p50Ms: ms,
    p95Ms: ms,
    p99Ms: ms,
    maxMs: ms,
    budgetMs: ms.nullable().describe('what 95 of 100 replies may take by the configuration; null: nothing is said'),
    isOverBudget: z.boolean().describe('a warning, never a failure'),
    drift: z
      .object({ earlyMs: ms, lateMs: ms, slower: z.boolean().describe('true: by half at least, and by 10 ms') })
      .nullable()
      .describe('medians of the first and the last third of the run; null: too little to tell'),
  })
  .describe('from the last byte of the request to the last byte of the reply, calls that were sent at once left out');

const rule = z.object({
  id: ruleId,
  group: z.enum(RULE_GROUPS),
  level,
  money,
  clause: z.string(),
  sentence: z.string(),
  means,
  hint: z.string(),
  since: z.string(),
  verdict,
  isKnown: z.boolean().describe('true: it fails, and all of that is on the baseline'),
  reason,
  because: ruleId.nullable(),
  flaky: z
    .boolean()
    .describe('true: nothing speaks for the verdict but what failed and then passed when it was played again'),
  seenIn: z.string().nullable().describe('the scenario that the reason comes from'),
  checks: count.describe('how often it was decided, one way or the other'),
  endpoints: z.array(z.object({ endpoint: callName, verdict, reason, checks: count })),
  scenarios: z.array(z.string()).describe('scenarios that tried it'),
});

const scenario = z.object({
  id: z.string(),
  title: z.string(),
  file: z.string(),
  line: z.int().min(1),
  rules: z.array(ruleId),
  state: z.enum(['ended', 'cut-off', 'not-started']),
  verdict,
  reason,
  durationMs: z.number().nullable(),
  restored: z
    .boolean()
    .nullable()
    .describe('false: the balance could not be brought back; null: nothing moved, or not known'),
  attempt: count.describe('the attempt that counts; 0: it was never begun'),
  retries: count.describe('how often it was played again because it had failed'),
  flaky: z.boolean().describe('true: it failed, and passed when it was played again'),
  sessions: z.record(z.string(), z.string()),
  findings: z.array(judgedFinding).describe('examples, gravest first'),
  findingCount: count,
  exchanges: z.array(exchange).exactOptional().describe('left out on request; of the last attempt'),
  exchangeCount: count,
});

const report = z.object({
  schema: z.literal(JSON_REPORT),
  verdict: z.enum(['conforming', 'nonconforming', 'undecided']),
  exitCode: z.union([0, 1, 3, 70, 130, 143].map((code) => z.literal(code))),
  firstLine: z.string(),
  croupier: z.string(),
  contract: z.string(),
  client: runStarted.client,
  runID: z.string(),
  seed: z.string(),
  selection: runStarted.selection,
  flags: z.array(z.string()).describe('command-line flags that meet the same operator in the same way'),
  whole: z.boolean(),
  strict: z.boolean().describe('true: the breach of a SHOULD fails too'),
  settings: runStarted.settings,
  startedAt: z.string(),
  durationMs: z.number().nullable().describe('null: the run was cut off'),
  ended: z
    .enum(['complete', 'bail', 'interrupted', 'unreachable', 'bug'])
    .nullable()
    .describe('null: the run was cut off'),
  interrupted: z.boolean(),
  detail: z.string().nullable(),
  counts: z.object(Object.fromEntries(VERDICTS.map((name) => [name, count]))).describe('rules by verdict'),
  exchangeCount: count,
  causes: z
    .array(cause)
    .describe('the few broken rules that explain all that is broken, those about money first, then what explains most'),
  baseline: z
    .array(z.object({ ...knownFailure.unwrap().shape, state: z.enum(['failing', 'mended', 'expired', 'undecided']) }))
    .describe('the known failures of the run, and what became of them; mended and expired ones fail it'),
  latency: z.array(latency).describe('how quick the replies were, by call; quantiles are right to 1 %'),
  flaky: z.array(z.string()).describe('scenarios that failed, and passed when they were played again'),
  shard: runStarted.shard.describe('which part of a divided run it is; left out: none'),
  notices: z.array(z.string()),
  owed: z.array(
    z.object({
      scenario: z.string().nullable(),
      call: callName,
      sessionID: z.string(),
      txID: z.string(),
      fields: z.record(z.string(), z.string()),
    }),
  ),
  rules: z.array(rule).describe('every rule of the catalogue, each once'),
  expectations: z.array(judgedFinding).describe('what scenarios demand beyond the rules'),
  scenarios: z.array(scenario),
});

export type JsonReport = z.infer<typeof report>;
export type ReportedRule = z.infer<typeof rule>;
export type ReportedCause = z.infer<typeof cause>;
export type ReportedScenario = z.infer<typeof scenario>;
export type ReportedFinding = z.infer<typeof judgedFinding>;
export type ReportedExchange = z.infer<typeof exchange>;

/** The JSON Schema of the JSON report. */
export function reportJsonSchema(): object {
  return { ...z.toJSONSchema(report, { io: 'input' }), title: `Report of croupier (${JSON_REPORT})` };
}
