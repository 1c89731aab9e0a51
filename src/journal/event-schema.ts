import { z } from 'zod';
import { CALL_NAMES, TRANSACTION_CALLS } from '../contract/call-name.ts';
import { RULES, type RuleId } from '../contract/catalogue.ts';
import { EARLY_BREAKS } from '../contract/deviation.ts';
import { AMOUNT_PATTERN } from '../contract/money.ts';
import { SESSION_STATES } from '../contract/session-state.ts';
import { SIGNATURE_STATES } from '../contract/signature.ts';
import { JOURNAL_FORMAT, type JournalEvent, OWED_BETS, PURPOSES, RUN_ENDINGS, STOP_SIGNALS } from './event.ts';
import { NO_REPLY_REASONS } from './exchange.ts';
import { EXPECTATION, VERDICTS } from './finding.ts';
import { DIRECTIONS } from './money-sums.ts';
import { CORE_CHECK_IDS } from './results/core-check.ts';

/**
 * Defines an object of the journal. Unknown keys are allowed, because a later version of croupier may add keys without a new
 * journal format.
 */
export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).readonly();
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
export const text = z.string();
export const stamp = z.number().describe('milliseconds of a monotonic clock, which is the same for the whole run');
const stampOrNone = stamp.nullable().describe('null: this phase did not happen, or its time is unknown');
export const count = z.int().min(0);

const body = object({
  encoding: z.enum(['utf8', 'base64']),
  data: text,
  length: count.describe('number of bytes of the whole body, even if data holds only the beginning'),
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
    reply: object({
      status: z.int(),
      headers,
      body: body.describe('after decompression'),
      excessBytes: count
        .exactOptional()
        .describe(
          'number of bytes that came after the end of the body, and belong to no reply; absent: there were no such bytes',
        ),
    }),
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
  pausedMs: z
    .number()
    .exactOptional()
    .describe(
      'milliseconds in which croupier itself could not run; the stamps do not include them; absent: there were none',
    ),
  delayedMs: z
    .number()
    .exactOptional()
    .describe(
      'milliseconds by which croupier itself was late, so the reply may have come earlier; absent: there were none',
    ),
  isInQueue: z
    .literal(true)
    .exactOptional()
    .describe('the reply is late, and the other calls that croupier had in flight explain it; absent: no'),
});

export const signature = z
  .enum(SIGNATURE_STATES)
  .describe('only in a capsule: the result of verifying the original signature, before croupier changed the bytes');

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

const wrongSum = object({
  amount: text.describe('a plain decimal in the main unit; below zero: the wallet had too little'),
  currency: text.nullable(),
  varies: z
    .literal(true)
    .exactOptional()
    .describe('true: the amounts of the scenario depend on the balance, so the sum differs from run to run'),
  moved: text
    .exactOptional()
    .describe('the amounts of the calls since the last read, added up without their signs, as a plain decimal'),
  movedOneWay: text
    .exactOptional()
    .describe(
      'the same, but only of the calls of the kind that the rule is about, for example the wins for win.credit; left out if this is the same amount',
    ),
  calls: list(object({ call: callName, amount: text }))
    .exactOptional()
    .describe(
      'for a rule that is not about the amount of one kind of call: the last calls that moved money, with their amounts',
    ),
});

const finding = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  verdict: decidedVerdict,
  endpoint: callName.nullable(),
  step: text.nullable().describe('key of the step'),
  place: place.nullable(),
  exchange: text.nullable().describe('id of the exchange that shows the finding'),
  expected: text,
  actual: text,
  causes: list(ruleId).describe('other rules that, if they are broken, explain this finding'),
  declined: z
    .literal(true)
    .exactOptional()
    .describe('the operator declined a call that the test needs, so the rule stays untested'),
  noMoney: z.literal(true).exactOptional().describe('the breach moved no money, although the rule is about money'),
  wrongSum: wrongSum
    .exactOptional()
    .describe('the sum by which the breach made a balance wrong; absent: no balance shows it'),
  wrongReply: z
    .literal(true)
    .exactOptional()
    .describe('true: the balance in the reply to a bet or win is not the balance of the next read'),
  repliedSum: wrongSum
    .exactOptional()
    .describe('the sum by which the balance in the reply is wrong; its field `moved` is the amount of the call'),
  shownByReplies: z
    .literal(true)
    .exactOptional()
    .describe('true: the replies to calls show the wrong sum, so reads of old balances do not explain it'),
  staleRead: z.literal(true).exactOptional().describe('true: a balance call showed an old balance'),
  unrepeated: z
    .literal(true)
    .exactOptional()
    .describe('true: croupier repeated the scenario, and the failure did not occur again in the same way'),
  awaitsRepetition: z
    .literal(true)
    .exactOptional()
    .describe('true: only a balance shows the failure, so croupier must repeat the scenario before the failure counts'),
  why: text.exactOptional().describe('for a warning about a MUST rule: the reason why it is not a failure'),
});

const moneySums = z
  .record(text, text)
  .readonly()
  .describe(
    'one amount for each currency: the key is the code of the currency, the value is a plain decimal without a sign, in the main unit',
  );

const knownFailure = object({
  rule: z.union([ruleId, z.literal(EXPECTATION)]),
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  reason: text,
  ticket: text,
  expires: text.describe('YYYY-MM-DD: the last day, in UTC, on which the entry is valid'),
  noMoney: z.literal(true).exactOptional().describe('true: the entry allows only breaches that move no money'),
  maxSums: moneySums
    .exactOptional()
    .describe('the highest sums by which each scenario may make balances wrong; absent: any sum'),
  maxSumsIn: z
    .record(scenarioID, moneySums)
    .readonly()
    .exactOptional()
    .describe('the highest sums in single scenarios: the key is the id of the scenario'),
  maxShare: text
    .exactOptional()
    .describe('the largest share of the amounts of some calls by which a balance may be wrong; 0.5 is half of them'),
  wrongReplies: z
    .literal(true)
    .exactOptional()
    .describe('true: the balances in the replies to these calls may be wrong, although the entry limits the sums'),
  maxReplySums: moneySums
    .exactOptional()
    .describe('the highest sum by which a single reply may be wrong; absent: any sum'),
  replyAmounts: z.literal(true).exactOptional().describe('true: a reply may also be wrong by the amount of its call'),
  failedChecks: object({ failed: count, checks: count })
    .exactOptional()
    .describe('how many checks failed in the run of which the entry was written; a much higher rate is not allowed'),
  balances: z
    .enum(DIRECTIONS)
    .exactOptional()
    .describe('the only direction in which balances may be wrong; absent: both'),
  players: list(text).exactOptional().describe('the failure occurs only with these players'),
  noOtherPlayers: z
    .literal(true)
    .exactOptional()
    .describe('true: the entry does not allow that the failure occurs with other players'),
  intermittent: z
    .literal(true)
    .exactOptional()
    .describe('true: the failure occurs only now and then; a run without the failure does not show that it is fixed'),
  undecided: z
    .literal(true)
    .exactOptional()
    .describe('true: the entry allows only that the rule stays undecided because of other known failures'),
  line: z.int().min(1).describe('line of the entry in the baseline file'),
  tried: z.boolean().describe('true: the run includes every scenario of the suite that tests the rule of this entry'),
});

const requiredResult = object({
  kind: z.enum(['rule', 'scenario']),
  id: text,
  by: z
    .enum(['selection', 'require'])
    .describe('selection: the user selected it by name; require: --require or the configuration names it'),
  maySkip: z
    .literal(true)
    .exactOptional()
    .describe('true: the scenario may be skipped because the configuration cannot test it; absent: it must be decided'),
});

const digests = object({
  rules: text.describe('the rules of the catalogue, with their levels and sentences'),
  suite: text.describe('the contents of all scenarios that were selected; the same in all parts of a divided run'),
  config: text.describe('the settings of the run and of the client, without keys, the address and ids of sessions'),
  baseline: text.exactOptional().describe('the known failures of the client'),
});

const suiteChanges = object({
  changed: list(text).describe('built-in scenarios whose contents differ, or that were added'),
  missing: list(text).describe('built-in scenarios that are missing'),
});

const labels = z.record(text, text).readonly();

const runStarted = object({
  event: z.literal('run-started'),
  format: z.literal(JOURNAL_FORMAT),
  croupier: text.describe('version of croupier'),
  contract: text.describe('version of the contract'),
  runID: text,
  startedAt: text.describe('ISO 8601, UTC'),
  seed: text,
  client: object({
    extCID: text,
    integratorBaseUrl: text,
    otherBaseUrls: list(text).exactOptional().describe('further base URLs that the parts of a divided run used'),
  }),
  selection: list(text).describe('arguments with which the user selected scenarios; empty: all scenarios'),
  flags: list(text).exactOptional().describe('command-line flags to call the same operator again in the same way'),
  whole: z
    .boolean()
    .describe(
      'true: the run has the whole built-in suite, as it was released with this version; it may also have own scenarios',
    ),
  ownScenarios: count
    .exactOptional()
    .describe('number of scenarios that are not from the built-in suite; absent: none'),
  suiteChanges: suiteChanges
    .exactOptional()
    .describe('how the built-in suite differs from the one that was released; left out: it does not differ'),
  digests: digests.exactOptional().describe('hashes of what decides the result, apart from the operator'),
  labels: labels.exactOptional().describe('texts that the user gave to the run, by name'),
  labelHeaders: labels
    .exactOptional()
    .describe("for each further label, the header of the operator's replies that gives its value"),
  quick: object({
    scenarios: count.describe('number of scenarios in the whole suite'),
    rules: list(ruleId).describe('rules that only scenarios outside a quick run test'),
  })
    .exactOptional()
    .describe('what a quick run leaves out of the whole suite'),
  planHash: text,
  shard: object({
    index: z.int().min(1),
    count: z.int().min(1),
    planHash: text.describe('hash of the plan of the whole run, with all parts'),
    divisionHash: text.describe('hash of the list that says which scenarios and players are in which part'),
    scenarios: count.describe('number of scenarios in all parts together'),
    players: count.describe('number of players in all parts together'),
    whole: z.boolean().describe('true: all parts together are the whole built-in suite'),
    seed: text.nullable().describe('the seed given to all parts; null: each part chose its own'),
  })
    .exactOptional()
    .describe('the part of a divided run that this journal holds'),
  settings: object({
    deadlineMs: ms,
    lingerMs: ms,
    strict: z.boolean(),
    workers: count,
    budgetMs: z
      .partialRecord(callName, ms)
      .readonly()
      .exactOptional()
      .describe('time limit for 95 % of the replies to each call'),
    budgetFails: list(callName).exactOptional().describe('calls whose slow replies fail the run'),
    retries: count.exactOptional().describe('maximum number of retries of a failed scenario'),
    allowFlaky: z
      .boolean()
      .exactOptional()
      .describe('true: a scenario that fails and then passes on retry gives only a warning'),
    trace: z.literal(true).exactOptional().describe('true: every call has a `traceparent` header'),
    noLock: z.literal(true).exactOptional().describe('true: no lock kept other commands from using the same players'),
    stakes: z
      .record(text, text)
      .readonly()
      .exactOptional()
      .describe('the stake in each currency of the sessions: the key is the code of the currency'),
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
    .describe('known failures, which do not fail the run'),
  required: list(requiredResult)
    .exactOptional()
    .describe('rules and scenarios that must be decided, or else the run is undecided'),
  scenarios: list(object({ id: scenarioID, title: text, place, rules: list(ruleId) })),
  source: z
    .enum(['proxy', 'load'])
    .exactOptional()
    .describe(
      'proxy: a real service made the calls, and they passed through croupier. load: the calls of a load test; each call is a short array instead of an event',
    ),
  process: object({ pid: z.int(), host: text }).exactOptional().describe('the process that writes the journal'),
}).describe('first event: the plan of the run and the operator under test');

const notice = object({ event: z.literal('notice'), text }).describe(
  'information for the reader that is not a finding',
);

const scenarioStarted = object({
  event: z.literal('scenario-started'),
  scenario: scenarioID,
  attempt: attempt.describe(
    '2 or more: the scenario is played again because the connection failed, and findings of earlier attempts do not count',
  ),
  retry: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'the scenario failed and is played again to see whether it fails every time; the earlier failure still counts',
    ),
  at: stamp,
  sessions: z.record(text, text).readonly().describe('the session that is used for each alias of the scenario'),
  checks: list(z.enum(CORE_CHECK_IDS))
    .exactOptional()
    .describe('the kinds of calls that the scenario tries with its only session'),
});

const trace = object({
  traceID: z.string().regex(/^[0-9a-f]{32}$/),
  spanID: z.string().regex(/^[0-9a-f]{16}$/),
}).describe('the trace and the span that the `traceparent` header of a call names (W3C Trace Context)');

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
      'amount of a bet, win or refund as it was sent: a plain decimal in the main unit; left out if the body has no such amount, or if croupier did not make the body (the amount is then read from the body)',
    ),
  signed: text.exactOptional().describe('the kind of wrong signature, if croupier signed the call wrongly on purpose'),
  mayBeDeclined: z
    .literal(true)
    .exactOptional()
    .describe('true: the operator may decline the call, so that nobody owes its amount'),
  brokenAt: z
    .enum(EARLY_BREAKS)
    .exactOptional()
    .describe('the point at which croupier breaks the connection on purpose, before the whole request is sent'),
  signature: signature.exactOptional(),
  source: z.enum(['service', 'proxy']).exactOptional().describe('who sent the call, if it passed through the proxy'),
  trace: trace.exactOptional(),
}).describe('a call that is about to be sent; written before its first byte is sent');

const received = object({
  event: z.literal('received'),
  id: text.describe('id of the exchange; the event `sending` with the same id contains the request'),
  scenario: scenarioID.nullable(),
  outcome,
  stamps,
  connection: object({ id: z.int(), reused: z.boolean() }).nullable(),
  model: object({ before: list(text), after: list(text) })
    .nullable()
    .describe('balances that croupier considered possible before and after the call, as decimal text'),
  aside: text
    .exactOptional()
    .describe('another event in the proxy that affected the call, for example a fault made on purpose'),
});

const raced = object({
  event: z.literal('race'),
  scenario: scenarioID,
  attempt,
  round: z
    .int()
    .min(1)
    .describe('number of the repetition; a scenario with a race is repeated, and 1 is the first time'),
  step: text.describe('key of the together step'),
  exchanges: list(text).describe('ids of the exchanges, in the order in which the calls were released'),
  barrier: stamp.describe(
    'time at which the first call was released; until then croupier kept the last byte of every call',
  ),
  staggerMs: ms.describe(
    'time between the first half of the calls and the second half; 0 if all calls are released at once',
  ),
  offsetsMs: list(ms)
    .exactOptional()
    .describe(
      'delay of each call after the first call, in the order of exchanges; absent: the scenario sets no delays',
    ),
  overlapped: count.describe('number of calls that overlapped with another call'),
}).describe('all calls of a race (calls that croupier sends at almost the same time) have ended');

const found = object({ event: z.literal('finding'), scenario: scenarioID, attempt, finding });

const owed = object({
  event: z.literal('owed'),
  scenario: scenarioID.nullable(),
  call: z.enum(TRANSACTION_CALLS),
  sessionID: text,
  txID: text,
  open: z.boolean().describe('true: the call must still be sent; false: it was answered and need not be sent any more'),
  fields: z.record(text, text).readonly(),
  bet: z
    .enum(OWED_BETS)
    .exactOptional()
    .describe(
      'for an owed refund: the state of its bet; left out if the call is not a refund, or if the state is not known',
    ),
  status: count
    .exactOptional()
    .describe('status of the latest reply to the transaction with this txID; left out if it is not known'),
});

const balanceOwed = object({
  event: z.literal('balance-owed'),
  sessionID: text.describe('the session in which croupier first read the balance'),
  open: z.boolean().describe('true: the balance must still be restored; false: it is the same as before the run again'),
  wanted: text.describe('the balance before the run, as decimal text'),
  missing: text
    .nullable()
    .describe(
      'the amount that is missing when every owed call is answered 200, as decimal text; negative: the balance is too high; null: only a new read can show it',
    ),
}).describe('a balance that differs from the balance before the run');

const owedKnown = object({ event: z.literal('owed-known') }).describe(
  '`croupier settle` has worked on a run that was cut off: the events `owed` and `balance-owed` up to here name everything that is still owed',
);

const scenarioEnded = object({
  event: z.literal('scenario-ended'),
  scenario: scenarioID,
  attempt,
  verdict,
  reason: text.nullable(),
  durationMs: ms,
  restored: z
    .boolean()
    .nullable()
    .describe(
      'true: every balance is the same as before the scenario; false: a balance could not be restored; null: not known, or restored only at the end of the run',
    ),
  passes: z
    .partialRecord(ruleId, z.partialRecord(z.enum([...CALL_NAMES, '*']), count).readonly())
    .readonly()
    .describe(
      'number of passes of each rule for each endpoint. The key `*` is for a rule that is not judged separately for each endpoint',
    ),
});

const attributed = object({
  event: z.literal('blamed'),
  rule: ruleId,
  endpoint: callName.nullable(),
  scenario: scenarioID.nullable(),
  verdict: decidedVerdict,
  because: ruleId,
  reason: text,
}).describe('a change of verdict: findings of this rule get this verdict because another rule was broken');

const movedAlone = object({
  event: z.literal('moved-alone'),
  sessionID: text,
  player: text.nullable().describe('null: the configuration names no player for the session'),
  values: z.array(text).readonly().describe('the balances in the order in which croupier read them'),
  onlyUnrepeated: z
    .literal(true)
    .exactOptional()
    .describe(
      'true: only failures that did not occur again are undecided, because a late call may have moved the balance too',
    ),
}).describe(
  'the balance of a player changed without a call of this run, so failures that depend on a balance are undecided',
);

const intermittent = object({
  event: z.literal('intermittent'),
  sessionID: text,
  player: text.nullable().describe('null: the configuration names no player for the session'),
  times: count.describe('how often something failed for this player'),
}).describe(
  'failures come from the operator, even if they occur only now and then. So failures that did not occur again count',
);

const sumFound = object({
  event: z.literal('wrong-sum'),
  scenario: scenarioID,
  attempt: attempt.nullable().describe('null if `step` is null'),
  rule: ruleId,
  endpoint: callName.nullable(),
  step: text
    .nullable()
    .describe(
      'key of the step; null for a win with which croupier itself raised the balance for the scenario, or after it, and for an attempt with fewer reads that croupier has repeated',
    ),
  wrongSum,
}).describe('the sum by which a breach made a balance wrong, if a balance showed it after the finding');

const lastReply = object({
  exchange: text.describe('id of the exchange'),
  call: callName,
  scenario: scenarioID.nullable(),
  afterMs: ms.describe('milliseconds from the start of the run to the reply'),
}).describe('the last reply of an operator that stopped answering during the run');

const runEnded = object({
  event: z.literal('run-ended'),
  how: z.enum(RUN_ENDINGS),
  signal: z.enum(STOP_SIGNALS).nullable(),
  detail: text.nullable(),
  lastReply: lastReply.exactOptional(),
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
  balanceOwed,
  owedKnown,
  scenarioEnded,
  attributed,
  movedAlone,
  intermittent,
  sumFound,
  runEnded,
]);

/**
 * True if the types A and B are the same: each value of A is also a value of B, and each value of B is also a value of A. Both then
 * have the same keys, and the same keys are optional.
 */
type Same<A, B> = [A, B] extends [B, A] ? true : false;

/**
 * The schema of one line of a journal. If the schema differs from the type JournalEvent, the type of this constant becomes `never`.
 * Then the compiler reports an error.
 */
const lineSchema: Same<z.infer<typeof journalEvent>, JournalEvent> extends true ? typeof journalEvent : never =
  journalEvent;

/** The parts of the schema that the JSON report also uses. */
export const shared = {
  request,
  trace,
  signature,
  outcome,
  stamps,
  finding,
  moneySums,
  knownFailure,
  lastReply,
  requiredResult,
  labels,
  place,
  verdict,
  ruleId,
  callName,
  runStarted: runStarted.unwrap().shape,
};

/** Returns the JSON Schema of one line of a journal. */
export function journalJsonSchema(): object {
  return {
    ...z.toJSONSchema(lineSchema, { io: 'input' }),
    title: 'One line of a journal of croupier (croupier-journal/1, NDJSON)',
  };
}

/** Describes the first problem of a value that should be one line of a journal. Returns null if the value is valid. */
export function eventProblem(value: unknown): string | null {
  const result = lineSchema.safeParse(value);
  if (result.success) return null;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  return where === '' ? (issue?.message ?? 'it is not an event') : `${where}: ${issue?.message}`;
}
