import { z } from 'zod';
import { CALL_NAMES, TRANSACTION_CALLS } from '../contract/call-name.ts';
import { AMOUNT_PATTERN } from '../contract/calls.ts';
import { RULES, type RuleId } from '../contract/catalogue.ts';
import { EARLY_BREAKS } from '../contract/deviation.ts';
import { SESSION_STATES } from '../contract/session-state.ts';
import { SIGNATURE_STATES } from '../contract/signature.ts';
import { JOURNAL_FORMAT, type JournalEvent, PURPOSES, RUN_ENDINGS, STOP_SIGNALS } from './event.ts';
import { NO_REPLY_REASONS } from './exchange.ts';
import { EXPECTATION, VERDICTS } from './finding.ts';

/** An object of the journal. Unknown keys are allowed, because a later croupier may add keys within the same format. */
export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).readonly();
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
export const text = z.string();
export const stamp = z.number().describe('milliseconds of one monotonic clock that the whole run shares');
const stampOrNone = stamp.nullable().describe('null: it did not happen, or the time is unknown');
export const count = z.int().min(0);

const body = object({
  encoding: z.enum(['utf8', 'base64']),
  data: text,
  length: count.describe('number of bytes, including those that were not kept'),
  truncated: z.boolean().describe('true: data holds only the beginning of the body'),
});
const headers = list(z.tuple([text, text]).readonly()).describe(
  'name and value, in the order and letter case in which they were sent',
);
export const request = object({
  method: text,
  url: text.describe('the whole address, query included'),
  headers,
  body: body.nullable(),
});
export const outcome = z.discriminatedUnion('kind', [
  object({
    kind: z.literal('reply'),
    reply: object({ status: z.int(), headers, body: body.describe('after decompression') }),
  }),
  object({
    kind: z.literal('none'),
    reason: z.enum(NO_REPLY_REASONS),
    detail: text,
    head: object({ status: z.int(), headers }).exactOptional(),
  }),
]);
export const stamps = object({
  start: stamp,
  resolved: stampOrNone,
  connected: stampOrNone,
  secured: stampOrNone,
  sent: stampOrNone,
  firstByte: stampOrNone,
  end: stamp,
});

export const signature = z
  .enum(SIGNATURE_STATES)
  .describe('in a capsule, whose bytes are not the signed ones: the result of verifying the signature before');

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
}).describe('position in a scenario file, counted from 1');

const finding = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  verdict: decidedVerdict,
  endpoint: callName.nullable(),
  step: text.nullable().describe('key of the step'),
  place: place.nullable(),
  exchange: text.nullable().describe('id of the exchange that shows it'),
  expected: text,
  actual: text,
  causes: list(ruleId).describe('other rules whose breach would explain this finding'),
});

const knownFailure = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  reason: text,
  ticket: text,
  expires: text.describe('YYYY-MM-DD: the last day, in UTC, on which the entry is valid'),
  line: z.int().min(1).describe('its line in the file'),
  tried: z.boolean().describe('true: the run has every scenario of the suite that tests it'),
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
  selection: list(text).describe('the selection of the user, one word each; empty: everything'),
  flags: list(text).exactOptional().describe('command-line flags that reach the same operator in the same way'),
  whole: z.boolean().describe('true: the run was of the whole built-in suite'),
  planHash: text,
  shard: object({
    index: z.int().min(1),
    count: z.int().min(1),
    planHash: text.describe('of the whole plan'),
    divisionHash: text.describe('hash of which scenario and which player is in which part'),
    scenarios: count.describe('of the whole'),
    players: count.describe('of the whole'),
    whole: z.boolean().describe('true: all parts together are the whole built-in suite'),
    seed: text.nullable().describe('the seed given to all parts; null: each part chose its own'),
  })
    .exactOptional()
    .describe('which part of a divided run this is'),
  settings: object({
    deadlineMs: ms,
    lingerMs: ms,
    strict: z.boolean(),
    workers: count,
    budgetMs: z
      .partialRecord(callName, ms)
      .readonly()
      .exactOptional()
      .describe('time limit for 95 of 100 replies, by call'),
    retries: count.exactOptional().describe('maximum number of retries of a failed scenario'),
    allowFlaky: z.boolean().exactOptional().describe('true: a scenario that fails and then passes is a warning'),
    sessions: list(
      object({
        sessionID: text,
        player: text.nullable(),
        currency: text.nullable(),
        gameID: text.nullable(),
        state: z.enum(SESSION_STATES),
      }),
    ),
  }),
  baseline: object({ file: text, known: list(knownFailure) })
    .exactOptional()
    .describe('rules that may fail'),
  scenarios: list(object({ id: scenarioID, title: text, place, rules: list(ruleId) })),
  source: z.literal('proxy').exactOptional().describe('proxy: calls of a real service that passed through croupier'),
  process: object({ pid: z.int(), host: text }).exactOptional().describe('the process that writes the journal'),
}).describe('first event: the plan of the run and the operator under test');

const notice = object({ event: z.literal('notice'), text }).describe(
  'information for the reader that is not a finding',
);

const scenarioStarted = object({
  event: z.literal('scenario-started'),
  scenario: scenarioID,
  attempt: attempt.describe(
    '2 or more: played again because the connection failed; findings of earlier attempts are void',
  ),
  retry: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'it failed before and is played again to see whether it fails every time; the earlier failure is not void',
    ),
  at: stamp,
  sessions: z.record(text, text).readonly().describe('which session is used for which alias'),
});

const sending = object({
  event: z.literal('sending'),
  id: text.describe('id of the exchange'),
  scenario: scenarioID.nullable(),
  step: text.nullable(),
  purpose: z.enum(PURPOSES),
  call: callName,
  request,
  amount: z
    .string()
    .regex(AMOUNT_PATTERN)
    .exactOptional()
    .describe(
      'of a bet, win or refund: the amount that was sent, a plain decimal in the main unit; left out: no amount, or only the body has it',
    ),
  signed: text.exactOptional().describe('how it is signed, if it is signed wrongly on purpose'),
  brokenAt: z
    .enum(EARLY_BREAKS)
    .exactOptional()
    .describe('the connection is broken on purpose before the whole request is out'),
  signature: signature.exactOptional(),
  source: z.enum(['service', 'proxy']).exactOptional().describe('who sent the call, if it passed through the proxy'),
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
    .describe('balances that croupier considered possible, as decimal text'),
  aside: text.exactOptional().describe('what else happened to the call in the proxy, on purpose or not'),
});

const raced = object({
  event: z.literal('race'),
  scenario: scenarioID,
  attempt,
  round: z.int().min(1).describe('a scenario with a race is repeated; 1 is the first time'),
  step: text.describe('key of the together step'),
  exchanges: list(text).describe('ids, in the order in which they were released'),
  barrier: stamp.describe('when the first was released; until then the last byte of each was held back'),
  staggerMs: ms.describe('delay of the second half after the first half; 0: all at once'),
  offsetsMs: list(ms)
    .exactOptional()
    .describe('delay of each after the first, in that order; absent: the scenario sets no delays'),
  overlapped: count.describe('number of calls that were in flight together with another one'),
}).describe('all calls of a race have ended');

const found = object({ event: z.literal('finding'), scenario: scenarioID, attempt, finding });

const owed = object({
  event: z.literal('owed'),
  scenario: scenarioID.nullable(),
  call: z.enum(TRANSACTION_CALLS),
  sessionID: text,
  txID: text,
  open: z.boolean().describe('true: owed from now on; false: no longer owed'),
  fields: z.record(text, text).readonly(),
});

const scenarioEnded = object({
  event: z.literal('scenario-ended'),
  scenario: scenarioID,
  attempt,
  verdict,
  reason: text.nullable(),
  durationMs: ms,
  restored: z.boolean().nullable().describe('false: the balance could not be restored; null: no balance changed'),
  passes: z
    .partialRecord(ruleId, z.partialRecord(z.enum([...CALL_NAMES, '*']), count).readonly())
    .readonly()
    .describe('number of passes of each rule, by endpoint; *: the rule is not judged by endpoint'),
});

const attributed = object({
  event: z.literal('blamed'),
  rule: ruleId,
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  verdict: decidedVerdict,
  because: ruleId,
  reason: text,
}).describe('findings of this rule get the verdict of this event, because another rule was broken');

const runEnded = object({
  event: z.literal('run-ended'),
  how: z.enum(RUN_ENDINGS),
  signal: z.enum(STOP_SIGNALS).nullable(),
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
  attributed,
  runEnded,
]);

/** True if both types accept each other: the same keys, and the same of them optional. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** One line of a journal. The compiler keeps schema and types equal: if they differ, the type is `never`. */
const lineSchema: Same<z.infer<typeof journalEvent>, JournalEvent> extends true ? typeof journalEvent : never =
  journalEvent;

/** The parts of the schema that the JSON report has in common with the journal. */
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

/** Describes the first problem of a value that should be one line of a journal; null if it is valid. */
export function eventProblem(value: unknown): string | null {
  const result = lineSchema.safeParse(value);
  if (result.success) return null;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  return where === '' ? (issue?.message ?? 'it is not an event') : `${where}: ${issue?.message}`;
}
