import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import type { Money } from '../../contract/money.ts';
import { SIGNATURE_STATES } from '../../contract/signature.ts';
import { shared } from '../../journal/event-schema.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { SIDES } from '../logged-exchange.ts';
import type { GatheredCalls } from '../read/gather.ts';
import type { Debt } from './debt.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { answerText, callText, debtClause, roundClause, walletSentence } from './sentence.ts';
import type { IncidentTimeline } from './timeline.ts';
import type { WalletVerdict } from './verdict.ts';
import { stateOfWallet, WALLET_STATES, type WalletState } from './wallet-state.ts';

/** The version of the JSON format of an incident. */
const INCIDENT_JSON = 'croupier-incident/1';

const amount = z
  .string()
  .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/)
  .nullable()
  .describe('an amount as a decimal in the main unit of the currency; null if it is unknown');
const text = z.string();
const maybe = z.string().nullable();
const count = z.int().min(0);
const number = z.int().min(1).describe('the number of a call in the timeline');
const rule = shared.ruleId;
const place = z.object({ file: text, line: z.int().min(1) });

const debt = z.object({
  kind: z.enum(['missing-refund', 'refund-pending', 'win-pending', 'declined-bet', 'misbooked']),
  call: z.enum(CALL_NAMES).nullable(),
  txID: maybe,
  roundID: maybe,
  amount,
  owedBy: z
    .enum(['operator', 'player', 'nobody', 'unknown'])
    .describe(
      'who must give the amount to the other side; nobody: no money has to move; unknown: the logs do not show it',
    ),
  toAct: z.enum(SIDES),
  rules: z.array(rule).describe('the rules whose breach explains exactly this amount; empty if there is none'),
  text,
});

const round = z.object({
  roundID: maybe,
  state: z.enum(['settled', 'refunded', 'open', 'owing', 'nothing', 'unknown']),
  bets: amount,
  wins: amount,
  should: amount.describe('the correct result of the round for the player; null if it is unknown'),
  booked: amount.describe('the result that the operator has booked for the round; null if it is unknown'),
  difference: amount,
  text,
});

const wallet = z.object({
  player: maybe,
  sessions: z.array(text),
  currency: maybe,
  firstSaid: amount.describe('the first balance in a reply; null if there is none'),
  lastSaid: amount.describe('the last balance in a reply; null if there is none'),
  should: amount.describe(
    'the correct balance, after all debts are settled; null if it is unknown, for example because the operator carried out a call that the service must not send',
  ),
  booked: amount.describe("the balance in the operator's books after the last call; null if it is unknown"),
  difference: amount.describe(
    '`booked` minus `should`; negative if the player has too little, and null if it is unknown',
  ),
  state: z
    .enum(WALLET_STATES)
    .describe(
      'owed: money or a call is owed; broken: a reply breaks a rule; service-fault: the service made a call that it must not make; unknown: the logs do not contain enough to decide',
    ),
  sentence: text,
  unknowns: z.array(text),
  debts: z.array(debt),
  possibleDebts: z
    .array(debt)
    .describe(
      'debts that are not certain, because calls seem to be missing in the logs; `unknowns` says which calls. If there are such debts, `debts` is empty',
    ),
  rounds: z.array(round),
});

const call = z.object({
  number,
  at: maybe.describe("the time in ISO 8601 and UTC, by the service's clock; null if it is unknown"),
  call: z.enum(CALL_NAMES),
  sessionID: maybe,
  player: maybe,
  roundID: maybe,
  txID: maybe,
  origTxID: maybe,
  amount,
  ending: z.enum(['accepted', 'error-200', 'declined', 'refused', 'failed', 'late', 'lost', 'not-sent', 'unknown']),
  done: z.enum(['yes', 'no', 'maybe']).describe('whether the operator carried out the call, according to its reply'),
  status: z.int().nullable(),
  tookMs: z.number().nullable(),
  balance: amount,
  operatorTxID: maybe,
  code: maybe,
  signature: z
    .enum(SIGNATURE_STATES)
    .describe(
      'the result of verifying the signature with the given keys; unknown: there is no key, or the log lacks a part of the request',
    ),
  seenAt: z.array(z.object({ side: z.enum(SIDES), ...place.shape })),
  text,
});

/** The output of `croupier incident --json`. */
const incidentSchema = z.object({
  schema: z.literal(INCIDENT_JSON),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  read: z.object({
    files: z.array(text),
    calls: count.describe('the number of calls in all files'),
    others: count.describe('the number of entries that are not calls of the service'),
    nameless: count.describe('the number of calls that name no session, no player and no transaction'),
    unreadable: count,
    firstUnreadable: z.array(z.object({ ...place.shape, why: text })),
    cut: z.boolean().describe('true if there were too many calls, and the last ones were left out'),
  }),
  clocks: z
    .object({ operatorAheadMs: z.number(), pairs: count })
    .nullable()
    .describe('the difference between the clocks of the two sides; null if no call is in the logs of both sides'),
  calls: z.array(call),
  notes: z
    .array(text)
    .describe('sentences about assumptions of croupier, such as the time zone, or an hour that occurs twice in autumn'),
  breaches: z.array(z.object({ call: number, rule, verdict: z.enum(['fail', 'warn']), text })),
  oddities: z.array(
    z.object({
      kind: z.enum([
        'duplicate',
        'resent',
        'out-of-order',
        'late',
        'retried-bet',
        'needless-refund',
        'overdraft',
        'sides-differ',
        'service-fault',
        'corrected',
      ]),
      calls: z.array(number),
      text,
    }),
  ),
  wallets: z.array(wallet).describe('the wallets, the worst first'),
});

/** Returns the JSON Schema of the output of `croupier incident --json`. */
export function incidentJsonSchema(): object {
  return {
    ...z.toJSONSchema(incidentSchema, { io: 'input' }),
    title: `The result of croupier incident (${INCIDENT_JSON})`,
  };
}

type IncidentJson = z.infer<typeof incidentSchema>;

/**
 * Converts a timeline to JSON.
 *
 * @param notes sentences about assumptions that were made before the timeline was built
 */
export function incidentJson(
  timeline: IncidentTimeline,
  gathered: GatheredCalls,
  files: readonly string[],
  notes: readonly string[],
): IncidentJson {
  const { total: seen, others, nameless, unreadableCount, unreadable, isCut } = gathered;
  const currencies = new Map(timeline.wallets.map((one) => [one.wallet, one.currency]));
  return {
    schema: INCIDENT_JSON,
    exitCode: timeline.status,
    read: {
      files: [...files],
      calls: seen,
      others,
      nameless,
      unreadable: unreadableCount,
      firstUnreadable: unreadable.map(({ place: { file, line }, why }) => ({ file, line, why })),
      cut: isCut,
    },
    notes: [...notes, ...timeline.notes],
    clocks: timeline.clocks && { operatorAheadMs: timeline.clocks.aheadMs, pairs: timeline.clocks.pairs },
    calls: timeline.calls.map((one) => callJson(one, currencies.get(one.wallet) ?? null)),
    breaches: timeline.breaches.map(({ call, rule: id, verdict, text }) => ({ call, rule: id, verdict, text })),
    oddities: timeline.oddities.map((one) => ({ ...one, calls: [...one.calls] })),
    wallets: timeline.wallets.map((one) => walletJson(one, stateOfWallet(one, timeline.breakers))),
  };
}

function plain(money: Money | null | undefined): string | null {
  return money?.toString() ?? null;
}

function callJson(logged: LoggedCall, currency: string | null): IncidentJson['calls'][number] {
  const { seen, alsoSeen } = logged;
  const views = alsoSeen ? [seen, alsoSeen] : [seen];
  return {
    number: logged.number,
    at: logged.atMs === null ? null : new Date(logged.atMs).toISOString(),
    call: seen.call,
    sessionID: seen.sessionID ?? alsoSeen?.sessionID ?? null,
    player: seen.player ?? alsoSeen?.player ?? null,
    roundID: seen.roundID ?? alsoSeen?.roundID ?? null,
    txID: seen.txID,
    origTxID: seen.origTxID ?? alsoSeen?.origTxID ?? null,
    amount: plain(logged.amount),
    ending: logged.ending,
    done: logged.done,
    status: logged.status,
    tookMs: seen.exchange.tookMs,
    balance: plain(logged.balance),
    operatorTxID: logged.replyTxID,
    code: logged.code,
    signature: logged.signature,
    seenAt: views.map(({ exchange }) => ({ side: exchange.side, ...exchange.place })),
    text: `${callText(logged, currency)}: ${answerText(logged, currency)}`,
  };
}

function walletJson(verdict: WalletVerdict, state: WalletState): IncidentJson['wallets'][number] {
  return {
    player: verdict.player,
    sessions: [...verdict.sessions],
    currency: verdict.currency,
    firstSaid: plain(verdict.books.firstSaid?.balance),
    lastSaid: plain(verdict.books.lastSaid?.balance),
    should: plain(verdict.should),
    booked: plain(verdict.booked),
    difference: plain(verdict.difference),
    state,
    sentence: walletSentence(verdict),
    unknowns: [...verdict.unknowns],
    debts: verdict.debts.map((one) => debtJson(one, verdict.currency)),
    possibleDebts: verdict.possibleDebts.map((one) => debtJson(one, verdict.currency)),
    rounds: verdict.rounds.map((one) => roundJson(one, verdict.currency)),
  };
}

function debtJson(one: Debt, currency: string | null): IncidentJson['wallets'][number]['debts'][number] {
  return {
    kind: one.kind,
    call: one.transaction?.call ?? null,
    txID: one.transaction?.txID ?? null,
    roundID: one.roundID,
    // A bet is owed even if its amount was not logged. Then the amount must be written as null and not as zero.
    amount: one.deviation === null && one.transaction?.amount === null ? null : plain(one.amount),
    owedBy: one.owedBy,
    toAct: one.toAct,
    rules: [...(one.runRules ?? rulesOf(one.deviation))],
    text: debtClause(one, currency),
  };
}

function roundJson(one: RoundVerdict, currency: string | null): IncidentJson['wallets'][number]['rounds'][number] {
  return {
    roundID: one.roundID,
    state: one.state,
    bets: plain(one.bets),
    wins: plain(one.wins),
    should: plain(one.should),
    booked: plain(one.booked),
    difference: plain(one.difference),
    text: roundClause(one, currency),
  };
}

/** Returns the rules of all errors that explain a wrong balance. */
function rulesOf(deviation: Debt['deviation']): IncidentJson['wallets'][number]['debts'][number]['rules'] {
  const causes = [...(deviation?.causes ?? []), ...(deviation?.otherCauses.flat() ?? [])];
  return [...new Set(causes.flatMap(({ rule: broken }) => broken ?? []))];
}
