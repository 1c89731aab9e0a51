import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { RULES, type RuleId } from '../contract/catalogue.ts';
import { JOURNAL_FORMAT, type JournalEvent } from './event.ts';
import { count, list, object, outcome, request, signature, stamp, stamps, text } from './exchange-schema.ts';
import { EXPECTATION, VERDICTS } from './finding.ts';

const ms = z.number().describe('milliseconds');

const callName = z.enum(CALL_NAMES);
const ruleIds: readonly RuleId[] = RULES.map((rule) => rule.id);
const ruleId = z.enum(ruleIds).describe('a rule of the catalogue');
const scenarioID = text.describe('id of the scenario');
const attempt = z.int().min(1);
const verdict = z.enum(VERDICTS);
const decidedVerdict = verdict.exclude(['untested']);
const place = object({
  file: text,
  line: z.int().min(1),
  column: z.int().min(1),
}).describe('where it stands in a scenario file, counted from 1');

const finding = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  verdict: decidedVerdict,
  endpoint: callName.nullable(),
  step: text.nullable().describe('key of the step'),
  place: place.nullable(),
  exchange: text.nullable().describe('id of the exchange that shows it'),
  expected: text,
  actual: text,
  causes: list(ruleId).describe('rules whose breach would explain exactly this too'),
});

const knownFailure = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  reason: text,
  ticket: text,
  expires: text.describe('YYYY-MM-DD: the last day, in UTC, on which it counts'),
  line: z.int().min(1).describe('where it stands in the file'),
  tried: z.boolean().describe('true: every scenario of the suite that tries it is part of the run'),
});

const runStarted = object({
  event: z.literal('run-started'),
  format: z.literal(JOURNAL_FORMAT),
  croupier: text.describe('version of croupier'),
  contract: text.describe('version of the contract'),
  runID: text,
  startedAt: text.describe('ISO 8601, UTC'),
  seed: text,
  client: object({ extCID: text, integratorBaseUrl: text }),
  selection: list(text).describe('what was asked for, word by word; empty: everything'),
  flags: list(text).exactOptional().describe('command-line flags that meet the same operator in the same way'),
  whole: z.boolean().describe('true: the whole built-in suite was to be run'),
  planHash: text,
  shard: object({
    index: z.int().min(1),
    count: z.int().min(1),
    planHash: text.describe('of the whole plan'),
    divisionHash: text.describe('which scenario, and which player, is in which part'),
    scenarios: count.describe('of the whole'),
    players: count.describe('of the whole'),
    whole: z.boolean().describe('true: the parts are the whole built-in suite'),
    seed: text.nullable().describe('that all parts were given; null: each has drawn its own'),
  })
    .exactOptional()
    .describe('which part of a divided run it is'),
  settings: object({
    deadlineMs: ms,
    lingerMs: ms,
    strict: z.boolean(),
    workers: count,
    budgetMs: z
      .partialRecord(callName, ms)
      .readonly()
      .exactOptional()
      .describe('what 95 of 100 replies may take, by call'),
    retries: count.exactOptional().describe('how often a failed scenario is played again'),
    allowFlaky: z.boolean().exactOptional().describe('true: what fails and then passes is a warning'),
    sessions: list(
      object({
        sessionID: text,
        player: text.nullable(),
        currency: text.nullable(),
        gameID: text.nullable(),
        state: z.enum(['active', 'expired']),
      }),
    ),
  }),
  baseline: object({ file: text, known: list(knownFailure) })
    .exactOptional()
    .describe('rules that may fail'),
  scenarios: list(object({ id: scenarioID, title: text, place, rules: list(ruleId) })),
  source: z.literal('proxy').exactOptional().describe('proxy: what somebody else sent, as it passed through croupier'),
  process: object({ pid: z.int(), host: text }).exactOptional().describe('who writes it'),
}).describe('first event: what is about to be done, and to whom');

const notice = object({ event: z.literal('notice'), text }).describe('worth knowing, and no finding');

const scenarioStarted = object({
  event: z.literal('scenario-started'),
  scenario: scenarioID,
  attempt: attempt.describe(
    '2 or more: played again because the connection failed; what earlier attempts found is void',
  ),
  retry: z
    .int()
    .min(1)
    .exactOptional()
    .describe('it had failed, and is played again to see whether it always does; that failure is not void'),
  at: stamp,
  sessions: z.record(text, text).readonly().describe('which session plays which alias'),
});

const sending = object({
  event: z.literal('sending'),
  id: text.describe('id of the exchange'),
  scenario: scenarioID.nullable(),
  step: text.nullable(),
  purpose: z.enum(['step', 'read', 'prepare', 'restore', 'probe', 'settle']),
  call: callName,
  request,
  signed: text.exactOptional().describe('in which manner it is signed, where that is not the right one on purpose'),
  brokenAt: z
    .enum(['head', 'half-body'])
    .exactOptional()
    .describe('the connection is broken on purpose before the whole request is out'),
  signature: signature.exactOptional(),
  source: z.enum(['service', 'proxy']).exactOptional().describe('of what passed through the proxy: who sent it'),
}).describe('written before the bytes leave');

const received = object({
  event: z.literal('received'),
  id: text.describe('id of the exchange; its request is in the sending event of the same id'),
  scenario: scenarioID.nullable(),
  outcome,
  stamps,
  connection: object({ id: z.int(), reused: z.boolean() }).nullable(),
  model: object({ before: list(text), after: list(text) })
    .nullable()
    .describe('balances that croupier held possible, as decimal text'),
  aside: text.exactOptional().describe('what else became of it in the proxy, on purpose or not'),
});

const raced = object({
  event: z.literal('race'),
  scenario: scenarioID,
  attempt,
  round: z.int().min(1).describe('a story with a race is told several times'),
  step: text.describe('key of the together step'),
  exchanges: list(text).describe('ids, in the order in which they were let go'),
  barrier: stamp.describe('when the first was let go; until then the last byte of each was held back'),
  staggerMs: ms.describe('so much later the second half was let go; 0: all at once'),
  offsetsMs: list(ms)
    .exactOptional()
    .describe(
      'so much after the first each was let go, in that order; absent: the story gives them no times of their own',
    ),
  overlapped: count.describe('how many of them were in flight together with another'),
}).describe('calls that were let go together have all landed');

const found = object({ event: z.literal('finding'), scenario: scenarioID, attempt, finding });

const owed = object({
  event: z.literal('owed'),
  scenario: scenarioID.nullable(),
  call: z.enum(['win', 'refund', 'bet']),
  sessionID: text,
  txID: text,
  open: z.boolean().describe('true: owed from now on; false: no longer'),
  fields: z.record(text, text).readonly(),
});

const scenarioEnded = object({
  event: z.literal('scenario-ended'),
  scenario: scenarioID,
  attempt,
  verdict,
  reason: text.nullable(),
  durationMs: ms,
  restored: z.boolean().nullable().describe('false: the balance could not be brought back; null: nothing moved'),
  passes: z
    .partialRecord(ruleId, z.partialRecord(z.enum([...CALL_NAMES, '*']), count).readonly())
    .readonly()
    .describe('how often a rule held, by endpoint; * where it is not judged by endpoint'),
});

const blamed = object({
  event: z.literal('blamed'),
  rule: ruleId,
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  verdict: decidedVerdict,
  because: ruleId,
  reason: text,
}).describe('findings of this rule count as what is said here, because another rule was broken');

const runEnded = object({
  event: z.literal('run-ended'),
  how: z.enum(['complete', 'bail', 'interrupted', 'unreachable', 'bug']),
  signal: z.enum(['SIGINT', 'SIGTERM']).nullable(),
  detail: text.nullable(),
  durationMs: ms,
});

const journalEvent = z.discriminatedUnion('event', [
  runStarted,
  notice,
  scenarioStarted,
  sending,
  received,
  raced,
  found,
  owed,
  scenarioEnded,
  blamed,
  runEnded,
]);

/** True where each type fits the other: same keys, the same of them optional. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** One line of a journal. The compiler holds schema and types together: where they differ, this is a `never`. */
const lineSchema: Same<z.infer<typeof journalEvent>, JournalEvent> extends true ? typeof journalEvent : never =
  journalEvent;

/** The parts that the schema of a report has in common with the journal's. */
export const shared = {
  request,
  signature,
  outcome,
  stamps,
  finding,
  knownFailure,
  place,
  verdict,
  ruleId,
  callName,
  runStarted: runStarted.unwrap().shape,
};

/** The JSON Schema of one line of a journal. */
export function journalJsonSchema(): object {
  return {
    ...z.toJSONSchema(lineSchema, { io: 'input' }),
    title: 'One line of a journal of croupier (croupier-journal/1, NDJSON)',
  };
}

/** What is wrong with a value that should be one line of a journal, in one sentence; null when nothing is. */
export function complaintAboutEvent(value: unknown): string | null {
  const result = lineSchema.safeParse(value);
  if (result.success) return null;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  return where === '' ? (issue?.message ?? 'it is no event') : `${where}: ${issue?.message}`;
}
