import { z } from 'zod';
import { LEVELS, RULE_GROUPS } from '../../contract/rule.ts';
import { KNOWN_STATES } from '../../journal/baseline.ts';
import { OWED_BETS, RUN_ENDINGS, STOP_STATUSES } from '../../journal/event.ts';
import { shared } from '../../journal/event-schema.ts';
import { VERDICTS } from '../../journal/finding.ts';
import { DIRECTIONS } from '../../journal/money-sums.ts';
import { CORE_CHECK_IDS } from '../../journal/results/core-check.ts';
import { JSON_REPORT } from './json.ts';

const {
  callName,
  finding,
  moneySums,
  labels,
  knownFailure,
  lastReply,
  outcome,
  request,
  requiredResult,
  ruleId,
  runStarted,
  signature,
  trace,
  stamps,
  verdict,
} = shared;
const count = z.int().min(0);
const reason = z.string().nullable().describe('why the verdict is not a pass');

const judgedFinding = z.object({
  ...finding.unwrap().shape,
  scenario: z.string(),
  because: ruleId.nullable().describe('the broken rule that explains this finding'),
  reason: z
    .string()
    .nullable()
    .describe('why the verdict differs from the verdict of the step; null: the two do not differ'),
  flaky: z.boolean().describe('true: the scenario passed on retry'),
});

const exchange = z.object({
  id: z.string(),
  step: z.string().nullable(),
  purpose: z.string(),
  call: callName,
  request,
  signature: signature.exactOptional(),
  trace: trace.exactOptional(),
  outcome: outcome.nullable().describe('null: the journal ends before the result'),
  stamps: stamps.nullable(),
  connection: z.object({ id: z.int(), reused: z.boolean() }).nullable(),
  model: z.object({ before: z.array(z.string()), after: z.array(z.string()) }).nullable(),
});

const level = z.enum(LEVELS);
const money = z
  .boolean()
  .describe('true: a breach loses or creates money; false also if no breach of this run moved money');
const means = z
  .string()
  .nullable()
  .describe('the effect of a breach on players, their money or the operator; null: the rule cannot be broken');

const cause = z.object({
  rule: ruleId,
  level,
  money,
  means,
  explains: z.array(ruleId).describe('other rules that failed or were undecided because of this rule'),
  findings: count.describe('number of findings of this rule, plus the number of findings that it explains'),
  wrongSums: moneySums.describe(
    'sums by which breaches of this rule made balances wrong, by currency; without sums that depend on the balance',
  ),
  scenarios: z.array(z.string()).describe('scenarios in which the rule was broken, the most informative first'),
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
    budgetMs: ms.nullable().describe('configured time limit for 95 of 100 replies; null: no limit'),
    isOverBudget: z.boolean().describe('true: more than 5 of 100 replies took longer than the limit'),
    delayedBodies: count.describe("replies whose body came about 40 ms after the head (Nagle's algorithm)"),
    drift: z
      .object({ earlyMs: ms, lateMs: ms, slower: z.boolean().describe('true: slower by at least half and by 10 ms') })
      .nullable()
      .describe('median times in the first and the last third of the run; null: too few calls'),
  })
  .describe('times from the last byte of the request to the last byte of the reply, without the calls of races');

const budget = z.object({
  call: callName,
  budgetMs: ms,
  p95Ms: ms.nullable().describe('time of 95 of 100 replies; null: no reply'),
  replies: count,
  fails: z.boolean().describe('true: slower replies fail the run; false: they give a warning'),
  state: z.enum(['kept', 'exceeded', 'unmeasured']).describe('unmeasured: too few replies to fail a run'),
});

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
  isKnown: z.boolean().describe('true: the rule fails, and all of its breaches are on the baseline'),
  isWorse: z
    .boolean()
    .describe('true: the baseline lists the rule, but the rule fails in a way that no entry of the baseline allows'),
  reason,
  because: ruleId.nullable(),
  flaky: z.boolean().describe('true: the verdict comes only from scenarios that failed and then passed on retry'),
  seenIn: z.string().nullable().describe('the id of the scenario that gave the reason'),
  checks: count.describe('number of checks that decided the verdict'),
  failedChecks: count.describe('number of these checks that failed'),
  wrongSums: moneySums.describe(
    'sums by which breaches of this rule made balances wrong, by currency; without sums that depend on the balance',
  ),
  endpoints: z.array(z.object({ endpoint: callName, verdict, reason, checks: count })),
  failingPlaces: z
    .array(
      z.object({
        endpoint: callName.nullable().describe('null: the rule has one verdict for all endpoints'),
        scenario: z.string(),
        noMoney: z.boolean().describe('true: the failure moved no money'),
        wrongSums: moneySums.describe(
          'sums by which the failure made balances wrong, by currency; also sums of other findings that the failure explains',
        ),
        wrongReply: z
          .boolean()
          .describe('true: a reply had a wrong balance, and had it again when croupier repeated the scenario'),
        mayReplyWrongly: z
          .boolean()
          .describe('true: the same failure may give wrong balances in the replies of another run'),
        unrepeated: z.boolean().describe('true: the failure did not occur again when croupier repeated the scenario'),
        directions: z
          .array(z.enum(DIRECTIONS))
          .describe(
            'for each wrong sum: whether it made a balance too low or too high; without sums whose calls are not known',
          ),
      }),
    )
    .describe('each scenario in which the rule fails'),
  scenarios: z.array(z.string()).describe('scenarios that tested the rule'),
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
    .describe('false: the balance could not be restored; null: no balance changed, or the result is unknown'),
  attempt: count.describe('number of the attempt that decided the result; 0: the scenario was not started'),
  retries: count.describe('number of retries after a failure'),
  flaky: z.boolean().describe('true: the scenario failed and then passed on retry'),
  sessions: z.record(z.string(), z.string()),
  checks: z.array(z.enum(CORE_CHECK_IDS)).exactOptional().describe('the kinds of calls that the scenario tries'),
  findings: z.array(judgedFinding).describe('examples of findings, the most severe first'),
  findingCount: count,
  exchanges: z
    .array(exchange)
    .exactOptional()
    .describe('exchanges of the last attempt; left out in reports that `notify` posts to a webhook'),
  exchangeCount: count,
});

const report = z.object({
  schema: z.literal(JSON_REPORT),
  verdict: z.enum(['conforming', 'nonconforming', 'undecided']),
  exitCode: z.union([0, 1, 3, 70, ...Object.values(STOP_STATUSES)].map((code) => z.literal(code))),
  firstLine: z.string(),
  croupier: z.string(),
  contract: z.string(),
  client: runStarted.client,
  runID: z.string(),
  seed: z.string(),
  selection: runStarted.selection,
  quick: z.literal(true).exactOptional().describe('true: the run played only the quick part of the suite'),
  flags: z
    .array(z.string())
    .describe('the flags of this run that a later run needs, to test the same operator with the same settings'),
  whole: z
    .boolean()
    .describe('true: the whole built-in suite, as it was released with this version; there may also be own scenarios'),
  ownScenarios: count
    .exactOptional()
    .describe('number of scenarios that are not from the built-in suite; absent: none'),
  suiteChanges: runStarted.suiteChanges,
  digests: runStarted.digests,
  labels: labels.describe('labels of the run, including labels from headers of replies'),
  strict: z.boolean().describe('true: the breach of a SHOULD is a failure too'),
  settings: runStarted.settings,
  startedAt: z.string(),
  durationMs: z.number().nullable().describe('null: the journal ends before the end of the run'),
  ended: z
    .enum(RUN_ENDINGS)
    .nullable()
    .describe('null: the journal ends before the end of the run, for example because the process was killed'),
  interrupted: z.boolean(),
  detail: z.string().nullable(),
  lastReply: lastReply.exactOptional(),
  counts: z.object(Object.fromEntries(VERDICTS.map((name) => [name, count]))).describe('rules by verdict'),
  exchangeCount: count,
  causes: z
    .array(cause)
    .describe('the few broken rules that explain all breaches, those about money first, then those that explain most'),
  baseline: z
    .array(
      z.object({
        ...knownFailure.unwrap().shape,
        state: z.enum(KNOWN_STATES),
        failed: count.describe('number of failed checks at the place that the entry names'),
        checks: count.describe('number of decided checks at the place that the entry names'),
        mayBeHidden: z
          .literal(true)
          .exactOptional()
          .describe('true: the failure did not occur, but a new failure in the same scenarios may hide it'),
      }),
    )
    .describe(
      'the entries of the baseline with their states; the run fails if an entry has expired, or if its failure no longer occurs',
    ),
  latency: z.array(latency).describe('response times by call; quantiles are accurate to 1 %'),
  budgets: z
    .array(budget)
    .describe('the result of each time limit; a limit with the state exceeded and `fails` true fails the run'),
  flaky: z.array(z.string()).describe('scenarios that failed and then passed on retry'),
  required: z
    .array(z.object({ ...requiredResult.unwrap().shape, verdict, reason }))
    .describe(
      'rules and scenarios that the user selected by name or requires; the run is undecided if one of them is skipped, inconclusive or untested',
    ),
  shard: runStarted.shard.describe('which part of a divided run this is; left out: the run is not divided'),
  notices: z.array(z.string()),
  untried: z
    .array(z.object({ player: z.string(), checks: z.array(z.enum(CORE_CHECK_IDS)) }))
    .describe('kinds of calls that were tried with other players, but not with this player'),
  owed: z.array(
    z.object({
      scenario: z.string().nullable(),
      call: callName,
      sessionID: z.string(),
      txID: z.string(),
      fields: z.record(z.string(), z.string()),
      bet: z
        .enum(OWED_BETS)
        .exactOptional()
        .describe(
          'for a refund: the state of its bet; left out if the call is not a refund, or if the state is not known',
        ),
      status: count
        .exactOptional()
        .describe('status of the latest reply to the call with this txID; left out if it is not known'),
    }),
  ),
  owedBalances: z
    .array(
      z.object({
        sessionID: z.string().describe('the session in which croupier first read the balance'),
        player: z.string().nullable(),
        currency: z.string().nullable(),
        wanted: z.string().describe('the balance before the run'),
        missing: z
          .string()
          .nullable()
          .describe(
            'the amount that is missing when every call in `owed` is answered 200; negative: the balance is too high; null: only a new read can show it',
          ),
      }),
    )
    .describe('balances that differ from the balance before the run'),
  owedUnknown: z
    .object({ scenarios: z.array(z.string()).describe('the scenarios that had begun and not ended') })
    .nullable()
    .describe(
      'not null: the run ended too early, so it may owe more calls, rounds and balances than `owed` and `owedBalances` list',
    ),
  settle: z
    .string()
    .nullable()
    .describe(
      'the command that sends what is owed and restores balances; null: nothing is owed, or no journal is known',
    ),
  rules: z.array(rule).describe('every rule of the catalogue, each once'),
  expectations: z.array(judgedFinding).describe('expectations of scenarios, in addition to the rules'),
  scenarios: z.array(scenario),
});

export type JsonReport = z.infer<typeof report>;
export type ReportedRule = z.infer<typeof rule>;
export type ReportedCause = z.infer<typeof cause>;
export type ReportedScenario = z.infer<typeof scenario>;
export type ReportedFinding = z.infer<typeof judgedFinding>;
export type ReportedExchange = z.infer<typeof exchange>;

/** Returns the JSON Schema of the JSON report. */
export function reportJsonSchema(): object {
  return { ...z.toJSONSchema(report, { io: 'input' }), title: `Report of croupier (${JSON_REPORT})` };
}
