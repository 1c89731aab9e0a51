import { z } from 'zod';
import { type Conclusion, conclude } from '../../journal/conclusion.ts';
import type { Digests, Labels } from '../../journal/event.ts';
import { EXPECTATION, VERDICTS, type Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import {
  addUp,
  DIRECTIONS,
  type Direction,
  inAlikeCurrencies,
  type MoneySums,
  type WrongSum,
} from '../../journal/money-sums.ts';
import { CORE_CHECK_IDS, type CoreCheck } from '../../journal/results/core-check.ts';
import type { CheckCounts } from '../../journal/results/failure-rate.ts';
import { type PlayedCurrencies, playedCurrencies } from '../../journal/results/played-currencies.ts';
import { type ChecksOfPlayer, triedChecks, triedScenarios } from '../../journal/results/tried-checks.ts';
import { JSON_REPORT, type ReportedPlace, reportedPlaces } from '../json/json.ts';

/** The result of one run for a rule or for the expectation of a scenario. */
export interface JudgedRule {
  /** The id of the rule, or `expectation in SCENARIO`. */
  readonly id: string;
  readonly level: string;
  readonly money: boolean;
  readonly verdict: Verdict;
  readonly isKnown: boolean;
  readonly reason: string | null;
  /** The broken rule that explains the verdict. Null or undefined if none does, or if the report of an older version does not say it. */
  readonly because?: string | null | undefined;
  /** The endpoints at which the rule was judged, if it is judged separately for each endpoint. */
  readonly endpoints: readonly string[];
  /** The checks of the rule, and how many of them failed. Undefined for expectations, and for reports of older versions. */
  readonly counts?: CheckCounts | undefined;
  /** The places where the rule fails. */
  readonly failing: readonly FailingPlace[];
}

/** The place of a failure. */
export interface FailingPlace {
  readonly endpoint: string | null;
  readonly scenario: string;
  /** True if all breaches at this place moved no money, although the rule is about money. */
  readonly noMoney: boolean;
  /** The sums by which the failure made balances wrong. */
  readonly wrongSums: MoneySums;
  /** The same sums, in each currency in which the same failure would give an alike sum. */
  readonly alikeSums: MoneySums;
  /** These four are as in {@link ReportedPlace}. */
  readonly wrongReply?: boolean | undefined;
  readonly mayReplyWrongly?: boolean | undefined;
  readonly unrepeated?: boolean | undefined;
  readonly directions?: readonly Direction[] | undefined;
  /** The rules that the scenario tests. Empty for reports of older versions. */
  readonly rules: readonly string[];
}

/** A session of a run, without its id, because the id may differ in each run. */
export interface SummarySession {
  readonly player: string | null;
  readonly currency: string | null;
  readonly gameID: string | null;
  readonly state: string;
}

/** The kinds of calls that a run tried. */
interface TriedChecks {
  /** The kinds that were tried with each player. */
  readonly players: readonly ChecksOfPlayer[];
  /** For each kind, the number of scenarios that tried it. */
  readonly scenarios: Readonly<Partial<Record<CoreCheck, number>>>;
}

/** A scenario that was tried. */
interface TriedScenario {
  readonly id: string;
  readonly rules: readonly string[];
  readonly players: readonly string[];
}

interface LatencySummary {
  readonly call: string;
  readonly count: number;
  readonly p95Ms: number;
}

/** The data of a run that is needed to compare it with another run. */
export interface RunSummary {
  readonly extCID: string;
  readonly contract: string;
  readonly startedAt: string;
  readonly firstLine: string;
  /** Undefined for reports of older versions. */
  readonly verdict?: Conclusion['verdict'] | undefined;
  /** The settings that the journal names, without the sessions. Undefined for reports of older versions. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** The selection of the user. Empty if the run played everything. */
  readonly selection: readonly string[];
  /** True for a quick run. Undefined for a whole run, and for reports of older versions. */
  readonly quick?: true | undefined;
  readonly strict: boolean;
  readonly judged: readonly JudgedRule[];
  readonly scenarios: readonly string[];
  /** The scenarios that gave a decision. */
  readonly decided: readonly string[];
  /** The scenarios that were played. Scenarios that were skipped or cut off are left out. */
  readonly tried: readonly string[];
  /** The sessions of the run. Null if the report does not name them. */
  readonly sessions: readonly SummarySession[] | null;
  /**
   * For each scenario that was played, the currencies of its sessions, in the order of the alphabet. Left out if all sessions have
   * the same currency, and for reports of older versions.
   */
  readonly currencies?: PlayedCurrencies | undefined;
  /** The scenarios that were tried, with the rules that each tests, and its players. Undefined if the report does not name the players. */
  readonly played?: readonly TriedScenario[] | undefined;
  /** The kinds of calls that were tried. Undefined if the journal or the report does not say it. */
  readonly triedChecks?: TriedChecks | undefined;
  readonly croupier: string;
  readonly labels: Labels;
  /** Undefined for reports of older versions. */
  readonly digests?: Digests | undefined;
  readonly latency: readonly LatencySummary[];
}

export function summaryOfFold(fold: Fold): RunSummary {
  const { run, rules, expectations, scenarios, labels, latency } = fold;
  const { verdict, firstLine } = conclude(fold);
  const { sessions, ...settings } = run.settings;
  return {
    verdict,
    settings,
    croupier: run.croupier,
    labels,
    digests: run.digests,
    sessions,
    currencies: playedCurrencies(
      scenarios.map(({ planned, sessions: of }) => ({ id: planned.id, sessions: of })),
      sessions,
    ),
    triedChecks: triedInRun({ scenarios, sessions }),
    ...playedScenarios(
      scenarios.map((result) => ({ ...result, id: result.planned.id, rules: result.planned.rules })),
      sessions,
    ),
    extCID: run.client.extCID,
    contract: run.contract,
    startedAt: run.startedAt,
    firstLine,
    selection: run.selection,
    ...(run.quick && { quick: true as const }),
    strict: run.settings.strict,
    judged: [
      ...rules.map((result) => {
        const { rule, verdict, isKnown, reason, because, endpoints } = result;
        const { id, level, money } = rule;
        const failing = withRules(
          reportedPlaces(result),
          scenarios.map(({ planned }) => planned),
          settings.stakes,
        );
        const counts = { failed: result.failedChecks, checks: result.checks };
        return {
          id,
          level,
          money,
          verdict,
          isKnown,
          reason,
          because,
          endpoints: judgedEndpoints(endpoints),
          counts,
          failing,
        };
      }),
      ...expectationsOf(expectations),
    ],
    scenarios: run.scenarios.map(({ id }) => id),
    latency,
  };
}

function judgedEndpoints(
  endpoints: readonly { readonly endpoint: string; readonly verdict: Verdict }[],
): readonly string[] {
  return endpoints.filter((one) => isJudged(one.verdict)).map(({ endpoint }) => endpoint);
}

/** Returns the kinds of calls that were tried; undefined for journals and reports of older versions. */
function triedInRun(played: Parameters<typeof triedChecks>[0]): TriedChecks | undefined {
  if (played.scenarios.every(({ checks }) => checks === undefined)) return undefined;
  return { players: triedChecks(played), scenarios: triedScenarios(played) };
}

interface PlayedScenario {
  readonly id: string;
  readonly rules: readonly string[];
  readonly sessions: Readonly<Record<string, string>>;
  readonly state: string;
  readonly verdict: Verdict;
  readonly findings: readonly {
    readonly rule: string;
    readonly verdict: Verdict;
    readonly endpoint: string | null;
    readonly noMoney?: true | undefined;
    readonly wrongSum?: WrongSum | undefined;
  }[];
}

function playedScenarios(
  scenarios: readonly PlayedScenario[],
  sessions: readonly { readonly sessionID?: string | undefined; readonly player: string | null }[] | undefined,
): Pick<RunSummary, 'decided' | 'tried' | 'played'> {
  const ended = scenarios.filter(({ state }) => state === 'ended');
  const tried = ended.filter(({ verdict }) => isJudged(verdict) || verdict === 'inconclusive');
  const players = new Map(sessions?.map(({ sessionID, player }) => [sessionID, player]));
  return {
    decided: ended.filter(({ verdict }) => isJudged(verdict)).map(({ id }) => id),
    tried: tried.map(({ id }) => id),
    played:
      sessions &&
      tried.map(({ id, rules, sessions: own }) => ({
        id,
        rules,
        players: [...new Set(Object.values(own).flatMap((sessionID) => players.get(sessionID) ?? []))],
      })),
  };
}

/** Adds to the places of a report what a comparison needs to know about them. */
function withRules(
  places: readonly ReportedPlace[],
  scenarios: readonly { readonly id: string; readonly rules?: readonly string[] }[],
  stakes: Readonly<Record<string, string>> = {},
): readonly FailingPlace[] {
  return places.map((place) => ({
    ...place,
    alikeSums: inAlikeCurrencies(place.wrongSums, stakes),
    rules: scenarios.find(({ id }) => id === place.scenario)?.rules ?? [],
  }));
}

/** Returns the places of a report of an older version, which has only the findings of each scenario. */
function placesOfFindings(rule: string, scenarios: readonly PlayedScenario[]): readonly ReportedPlace[] {
  return scenarios.flatMap(({ id, findings }) => {
    const own = findings.filter((finding) => finding.rule === rule && finding.verdict === 'fail');
    return [...Map.groupBy(own, ({ endpoint }) => endpoint)].map(([endpoint, here]) => ({
      endpoint,
      scenario: id,
      noMoney: here.every(({ noMoney }) => noMoney === true),
      wrongSums: addUp(here.flatMap(({ wrongSum }) => wrongSum ?? [])),
    }));
  });
}

function expectationsOf(
  findings: readonly { readonly scenario: string; readonly verdict: Verdict; readonly actual: string }[],
): readonly JudgedRule[] {
  const failing = findings.filter(({ verdict }) => verdict === 'fail');
  return [...Map.groupBy(failing, ({ scenario }) => scenario)].map(([scenario, [first]]) => ({
    id: `${EXPECTATION} in ${scenario}`,
    level: 'MUST',
    money: false,
    verdict: 'fail',
    isKnown: false,
    reason: first?.actual ?? null,
    endpoints: [],
    failing: [],
  }));
}

const verdict = z.enum(VERDICTS);

/** The parts of a JSON report that are compared. In reports of older versions, the parts that have a default may be missing. */
const report = z.object({
  schema: z.literal(JSON_REPORT),
  firstLine: z.string(),
  verdict: z.enum(['conforming', 'nonconforming', 'undecided']).optional(),
  contract: z.string(),
  client: z.object({ extCID: z.string() }),
  startedAt: z.string(),
  selection: z.array(z.string()),
  quick: z.literal(true).optional(),
  strict: z.boolean(),
  rules: z.array(
    z.object({
      id: z.string(),
      level: z.string(),
      money: z.boolean(),
      verdict,
      isKnown: z.boolean().default(false),
      reason: z.string().nullable(),
      because: z.string().nullable().optional(),
      checks: z.number().optional(),
      failedChecks: z.number().optional(),
      endpoints: z.array(z.object({ endpoint: z.string(), verdict })).default([]),
      failingPlaces: z
        .array(
          z.object({
            endpoint: z.string().nullable(),
            scenario: z.string(),
            noMoney: z.boolean(),
            wrongSums: z.record(z.string(), z.string()),
            wrongReply: z.boolean().optional(),
            mayReplyWrongly: z.boolean().optional(),
            unrepeated: z.boolean().optional(),
            directions: z.array(z.enum(DIRECTIONS)).optional(),
          }),
        )
        .optional(),
    }),
  ),
  expectations: z.array(z.object({ scenario: z.string(), verdict, actual: z.string() })),
  scenarios: z.array(
    z.object({
      id: z.string(),
      rules: z.array(z.string()).default([]),
      state: z.string().default('ended'),
      verdict: verdict.default('pass'),
      sessions: z.record(z.string(), z.string()).default({}),
      checks: z.array(z.enum(CORE_CHECK_IDS)).optional(),
      findings: z
        .array(
          z.object({
            rule: z.string(),
            verdict,
            endpoint: z.string().nullable().default(null),
            noMoney: z.literal(true).optional(),
            wrongSum: z
              .object({
                amount: z.string(),
                currency: z.string().nullable(),
                varies: z.literal(true).exactOptional(),
              })
              .optional(),
          }),
        )
        .default([]),
    }),
  ),
  croupier: z.string().default('unknown'),
  labels: z.record(z.string(), z.string()).default({}),
  digests: z
    .object({ rules: z.string(), suite: z.string(), config: z.string(), baseline: z.string().exactOptional() })
    .optional(),
  settings: z
    .looseObject({
      stakes: z.record(z.string(), z.string()).optional(),
      sessions: z.array(
        z.object({
          sessionID: z.string().optional(),
          player: z.string().nullable(),
          currency: z.string().nullable(),
          gameID: z.string().nullable(),
          state: z.string(),
        }),
      ),
    })
    .optional(),
  latency: z.array(z.object({ call: z.string(), count: z.number(), p95Ms: z.number() })).default([]),
});

/** Reads a JSON report. Returns the first problem as a sentence if the report is invalid. */
export function summaryOfReport(value: unknown): RunSummary | { readonly problem: string } {
  const parsed = report.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it is not a report'}` };
  }
  const { client, rules, expectations, scenarios, settings: all, ...rest } = parsed.data;
  const { sessions, ...settings } = all ?? {};
  const stakes = all?.stakes;
  return {
    ...rest,
    settings: all && settings,
    extCID: client.extCID,
    judged: [
      ...rules.map(({ endpoints, failingPlaces, checks, failedChecks: failed, ...rule }) => ({
        ...rule,
        endpoints: judgedEndpoints(endpoints),
        counts: checks === undefined || failed === undefined ? undefined : { failed, checks },
        failing: withRules(failingPlaces ?? placesOfFindings(rule.id, scenarios), scenarios, stakes),
      })),
      ...expectationsOf(expectations),
    ],
    sessions: sessions ?? null,
    currencies: playedCurrencies(scenarios, sessions ?? []),
    triedChecks: triedInRun({ scenarios, sessions: sessions ?? [] }),
    ...playedScenarios(scenarios, sessions),
    scenarios: scenarios.map(({ id }) => id),
  };
}

/** True if the run could not be decided, for example because its operator was down. */
export function isUndecided({ verdict }: RunSummary): boolean {
  return verdict === 'undecided';
}

/** True if the run decided no rule and no expectation. */
export function isNothingJudged({ judged }: RunSummary): boolean {
  return !judged.some(({ verdict }) => isJudged(verdict));
}

/** True if a verdict is a decision about the rule. */
export function isJudged(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'warn' || verdict === 'note';
}
