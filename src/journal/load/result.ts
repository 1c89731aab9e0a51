import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import { STOP_STATUSES } from '../event.ts';

/** The version of the JSON report of `croupier load`. */
export const LOAD_FORMAT = 'croupier-load/1';

const text = z.string();
const count = z.int().min(0);
const money = z.string().regex(/^-?(0|[1-9]\d*)(\.\d+)?$/);
const ms = z.number();
const percentiles = z.strictObject({
  p50: ms,
  p90: ms,
  p99: ms,
  p999: ms.describe('99.9 %'),
  p9999: ms.describe('99.99 %'),
  max: ms,
});

const curve = z
  .array(z.strictObject({ percentile: z.number(), ms }))
  .describe('the time for each percentile; the percentiles are closer together towards 100');

const transaction = z.strictObject({
  call: z.enum(['bet', 'win', 'refund']),
  txID: text,
  roundID: text,
  sessionID: text,
  amount: money,
  what: text.describe('what happened to the transaction'),
  atMs: count.describe('when the call was first sent, in milliseconds from the start'),
  traceID: text.exactOptional().describe('the trace of the call, with --trace'),
});

const moneyProblem = z.strictObject({
  player: text,
  sessionID: text,
  currency: text.nullable(),
  rule: text,
  expected: money.describe("the balance that follows from the operator's replies"),
  shown: money.describe('the balance that the wallet shows'),
  difference: money.describe('shown minus expected: negative if money of the player is missing'),
  transactions: z
    .array(transaction)
    .describe('the transactions that explain the difference; empty if no transaction explains it for certain'),
  possibleTransactions: z
    .array(transaction)
    .exactOptional()
    .describe(
      'transactions that fit the difference, each alone or with another one, but perhaps by chance; only if `transactions` is empty',
    ),
  isOneOfSeveral: z.boolean().describe('true if other transactions explain the difference as well'),
  windowSize: count.describe('number of transactions since the balance was last right'),
  atMs: count,
  isDrift: z
    .boolean()
    .describe(
      'true if no transaction explains the difference for certain, so that somebody else may have moved the balance',
    ),
  hasMovedInSilence: z.boolean().describe('true if the balance moved while croupier sent nothing'),
  otherPlayer: text
    .optional()
    .describe(
      'the other player, if a transaction was booked for the wrong player. If isDrift is true, the balance of this player changed by the opposite amount, so somebody else may have moved money between the two',
    ),
  replay: text.describe(
    "the command that writes the player's calls of the last minute before the wrong balance as a scenario",
  ),
});

const finding = z.strictObject({
  rule: text,
  verdict: z.enum(['fail', 'warn', 'note']),
  call: z.enum(CALL_NAMES),
  count,
  expected: text,
  actual: text,
  player: text,
  sessionID: text,
  txID: text.nullable(),
  traceID: text.exactOptional().describe('the trace of the call, with --trace'),
  atMs: count,
});

/** The schema of the JSON report of a load test. */
export const loadResultSchema = z
  .strictObject({
    format: z.literal(LOAD_FORMAT),
    croupier: text,
    runID: text,
    startedAt: text.describe('the time of the start in UTC (ISO 8601)'),
    client: z.strictObject({ extCID: text, integratorBaseUrl: text }),
    journal: text,
    seed: text,
    verdict: z.enum(['RECONCILED', 'NOT RECONCILED', 'UNDECIDED']),
    exitCode: z.int(),
    reasons: z.array(text).describe('the reasons for the verdict, the most important one first'),
    load: z.strictObject({
      arrivals: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('rate'), from: z.number(), to: z.number() }),
        z.strictObject({ kind: z.literal('closed'), players: count }),
        z.strictObject({ kind: z.literal('recorded'), calls: count }),
      ]),
      durationMs: ms.describe('the duration that was asked for'),
      ranMs: ms.describe('the time in which calls were due'),
      reconcileMs: ms.describe('the time after the load until every balance was compared'),
      disturbances: z
        .array(z.strictObject({ atMs: count, status: z.int().nullable() }))
        .describe('the commands of --disturb, with the time from the start of the load and the exit status'),
      workers: z
        .strictObject({
          count: count.describe('number of workers, each with its own players'),
          lost: z
            .array(
              z.strictObject({
                players: z.array(text),
                reason: text,
                isSettled: z.boolean().describe('true if croupier has settled everything that these players were owed'),
              }),
            )
            .describe(
              'the workers that ended before their result. All other numbers except `seconds` leave out the calls of these workers',
            ),
        })
        .describe('the workers of --workers'),
      interrupted: z.enum(['SIGINT', 'SIGTERM', 'SIGHUP']).nullable().describe('the signal that ended the load early'),
      isStopping: z
        .literal(true)
        .exactOptional()
        .describe(
          'true in a report that croupier wrote at the moment of the signal: open rounds were not completed yet, and balances not compared',
        ),
    }),
    search: z
      .strictObject({
        highest: z
          .number()
          .nullable()
          .describe('the highest rate at which all limits were kept; null if there was no such rate'),
        limitedBy: z
          .enum(['operator', 'players', 'croupier', 'fault', 'interrupted'])
          .describe('why the search ended. players: all players together can make no more calls'),
        steps: z.array(z.strictObject({ rate: z.number(), isHeld: z.boolean(), why: text.nullable() })),
      })
      .nullable()
      .describe('the search of --find-limit; null without a search'),
    money: z.strictObject({
      players: count,
      verified: count.describe('number of wallets whose balance was compared at the end'),
      transactions: count,
      byCurrency: z.array(
        z.strictObject({
          currency: text.nullable(),
          opening: money,
          staked: money.describe('accepted bets that were not refunded'),
          won: money,
          refunded: money.describe('bets with an unknown outcome that were refunded'),
          expected: money,
          shown: money.nullable().describe('null if a balance could not be compared at the end'),
          difference: money.describe(
            'the sum of the differences of all wrong balances. If `shown` is null, only the differences that were found until then',
          ),
        }),
      ),
      problems: z.array(moneyProblem),
      problemCount: count.describe('number of problems, including those that `problems` leaves out'),
      owed: z
        .array(z.strictObject({ player: text, call: z.enum(['bet', 'win', 'refund']), txID: text, amount: money }))
        .describe('calls that were not answered 200'),
      unread: z.array(text).describe('players whose balance could not be read at the end'),
      unreadReason: text
        .nullable()
        .describe('why an opening balance could not be read; null if all opening balances were read'),
      healed: count.describe(
        'balances that were wrong at first, and correct when croupier read them again after the time of --linger',
      ),
    }),
    rate: z.strictObject({
      asked: z.number().nullable().describe('calls per second on average; null for a load with --closed'),
      got: z.number(),
      calls: count.describe('all calls, also those that complete rounds and read balances at the end'),
      scheduled: count.describe('calls that were sent during the load'),
      lateForPlayers: count.describe('calls that were sent late because every player was waiting for a reply'),
      lateForCroupier: count.describe('calls that were sent late because croupier was too slow'),
      neverSent: count.describe('calls that were due, but were not sent before the end'),
    }),
    times: z.array(
      z.strictObject({
        call: z.enum([...CALL_NAMES, 'all']),
        count: count.describe('number of replies in `service`'),
        responses: count.describe(
          'number of times in `response`: one for each call that was due, even if it was never sent',
        ),
        service: percentiles
          .nullable()
          .describe('times in milliseconds, from the last byte of the request to the last byte of the reply'),
        response: percentiles
          .nullable()
          .describe('times in milliseconds, from the moment at which the call was due to the last byte of the reply'),
        serviceCurve: curve,
        responseCurve: curve,
      }),
    ),
    errors: z.array(z.strictObject({ kind: text, count })),
    brokenOnPurpose: count,
    declinedBets: count,
    freeRounds: z
      .strictObject({
        campaign: text,
        bets: count.describe('free bets that were accepted'),
        declined: count.describe('free bets that were declined'),
      })
      .nullable()
      .describe('the free rounds of the configured campaign; null if no campaign is configured'),
    limits: z.array(
      z.strictObject({ limit: text, actual: z.number().nullable(), unit: text, isHeld: z.boolean().nullable() }),
    ),
    findings: z.array(finding),
    croupierItself: z.strictObject({
      eventLoopP99Ms: ms,
      stalledMs: ms.describe(
        'the time during the load in which croupier stood still, for example because the machine slept',
      ),
      cpu: z.number().describe('share of one core'),
      isBottleneck: z.boolean(),
    }),
    sessionsEnded: z.array(text),
    seconds: z.array(
      z.strictObject({
        second: count,
        asked: z.number().nullable(),
        sent: count,
        errors: count,
        p50: ms.nullable(),
        p99: ms.nullable(),
        p999: ms.nullable(),
      }),
    ),
  })
  .meta({ title: 'Report of croupier load', description: 'The result of one load test.' });

export type LoadResult = z.infer<typeof loadResultSchema>;

export type LoadVerdict = Pick<LoadResult, 'verdict' | 'exitCode' | 'reasons'>;

/** The part of a result that decides its verdict. */
export type LoadFacts = Omit<LoadResult, 'verdict' | 'exitCode' | 'reasons'>;

/** The sentence for a report that croupier wrote before it had completed the rounds of an interrupted test. */
const STOPPING =
  'When this report was written, croupier had not yet completed the open rounds and compared the balances';

/**
 * Decides the verdict and the exit status of a load test, and gives the reasons. If a fault is proven, the test fails, even if
 * croupier was too slow or the test was interrupted. If all balances are right, the verdict of an interrupted test is RECONCILED
 * too, but its exit status is that of the signal, because the test was not played to its end.
 */
export function concludeLoad(given: LoadFacts): LoadVerdict {
  const decided = decide(given);
  const { interrupted, isStopping } = given.load;
  if (interrupted === null) return decided;
  const exitCode = STOP_STATUSES[interrupted];
  const reason = `${interrupted} interrupted the test`;
  if (isStopping) {
    const stopping = `${reason}. ${STOPPING}. If croupier was killed, use croupier settle`;
    return decided.verdict === 'NOT RECONCILED'
      ? { ...decided, exitCode, reasons: [...decided.reasons, stopping] }
      : { verdict: 'UNDECIDED', exitCode, reasons: [stopping] };
  }
  return { ...decided, exitCode, reasons: decided.verdict === 'RECONCILED' ? [reason] : decided.reasons };
}

function decide({ money, findings, limits, croupierItself, ...facts }: LoadFacts): LoadVerdict {
  const [unexplained, explained] = [
    money.problems.filter(({ isDrift }) => isDrift),
    money.problems.filter(({ isDrift }) => !isDrift),
  ];
  // If somebody else uses the wallets, the amounts of some changes are equal to the amount of a transaction by chance.
  const isByChance = unexplained.length >= explained.length;
  const faults = [
    ...(isByChance ? [] : wrongBalances(explained)),
    ...brokenRules(findings),
    ...(croupierItself.isBottleneck ? [] : missed(limits)),
  ];
  if (faults.length > 0) return { verdict: 'NOT RECONCILED', exitCode: 1, reasons: faults };
  const doubts = [
    ...facts.load.workers.lost.map(
      ({ players, reason, isSettled }) =>
        `a worker ended before its result (${reason}), so the balances of ${plural(players.length, 'player')} were not compared, and the sums leave out its calls. ${isSettled ? 'croupier has settled what they were owed' : 'Something is still owed: use croupier settle'}`,
    ),
    ...(money.players === 0 ? [`no balance could be read, so no money moved: ${reasonOf(money)}`] : []),
    ...(facts.sessionsEnded.length > 0
      ? [`${plural(facts.sessionsEnded.length, 'session')} ended during the test`]
      : []),
    ...(unexplained.length > 0
      ? [
          `the balance of ${plural(new Set(unexplained.map(({ player }) => player)).size, 'player')} changed, and no transaction explains this${unexplained.some(({ possibleTransactions }) => possibleTransactions) ? ' for certain' : ''}. Either somebody else used the wallet, or the operator breaks money.conservation`,
        ]
      : []),
    ...(isByChance && explained.length > 0
      ? [
          `${plural(explained.length, 'further wrong balance')} may have the same reason, although ${explained.length === 1 ? 'its difference fits' : 'their differences fit'} a transaction`,
        ]
      : []),
    ...(money.owed.length > 0
      ? [`${plural(money.owed.length, 'call')} ${money.owed.length === 1 ? 'was' : 'were'} never answered 200`]
      : []),
    ...(money.players > 0 && money.unread.length > 0
      ? [`${plural(money.unread.length, 'balance')} could not be read at the end`]
      : []),
    ...(croupierItself.isBottleneck ? ['croupier could not keep its schedule on this machine'] : []),
    ...limits
      .filter(({ isHeld }) => isHeld === null)
      .map(({ limit, actual, unit }) =>
        actual === null
          ? `no call was measured for the limit ${limit}, so croupier cannot say whether it is kept`
          : `it is unknown whether the limit ${limit} is kept: the test measured ${actual}${unit}, but croupier itself ${croupierItself.stalledMs > 0 ? `stood still for ${Math.round(croupierItself.stalledMs)} ms` : `was late by ${Math.round(croupierItself.eventLoopP99Ms)} ms`}`,
      ),
    ...(money.players > 0 && !hasMoved(money)
      ? [`no bet was accepted, so no money moved${declined(facts.declinedBets)}`]
      : []),
  ];
  if (doubts.length > 0) return { verdict: 'UNDECIDED', exitCode: 3, reasons: doubts };
  return { verdict: 'RECONCILED', exitCode: 0, reasons: [] };
}

/** True if the operator has taken a bet and kept it. A bet that was refunded moves no money in the end. */
function hasMoved({ byCurrency }: LoadFacts['money']): boolean {
  return byCurrency.some(({ staked }) => !Money.of(staked).isZero());
}

function declined(bets: number): string {
  return bets === 0 ? '' : ` (${plural(bets, 'bet')} ${bets === 1 ? 'was' : 'were'} declined)`;
}

function reasonOf({ unreadReason }: LoadResult['money']): string {
  return unreadReason?.replace(/\.$/, '') ?? 'there are no sessions';
}

function wrongBalances(problems: LoadResult['money']['problems']): readonly string[] {
  if (problems.length === 0) return [];
  const players = new Set(problems.map(({ player }) => player)).size;
  return [`${plural(problems.length, 'wrong balance')} of ${plural(players, 'player')}`];
}

function brokenRules(findings: LoadResult['findings']): readonly string[] {
  const failed = Map.groupBy(
    findings.filter(({ verdict }) => verdict === 'fail'),
    ({ rule }) => rule,
  );
  return [...failed].map(
    ([rule, all]) =>
      `${rule} is broken (${plural(
        all.reduce((sum, one) => sum + one.count, 0),
        'call',
      )})`,
  );
}

function missed(limits: LoadResult['limits']): readonly string[] {
  return limits
    .filter(({ isHeld }) => isHeld === false)
    .map(({ limit, actual, unit }) => `the limit is not kept: ${limit}, but the test measured ${actual}${unit}`);
}
