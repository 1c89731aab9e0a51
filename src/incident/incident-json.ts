import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import type { Money } from '../contract/money.ts';
import { SIGNATURE_STATES } from '../journal/event.ts';
import { shared } from '../journal/event-schema.ts';
import type { Gathering } from './gather.ts';
import type { Debt } from './story/debt.ts';
import { answerText, callText, debtClause, roundClause, walletSentence } from './story/sentence.ts';
import type { Story } from './story/story.ts';
import type { ToldCall } from './story/told-call.ts';
import type { RoundVerdict, WalletVerdict } from './story/verdict.ts';

/** Version of the JSON of an incident. */
const INCIDENT_JSON = 'croupier-incident/1';

const amount = z
  .string()
  .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/)
  .nullable()
  .describe('a decimal in the main unit; null: unknown');
const text = z.string();
const maybe = z.string().nullable();
const count = z.int().min(0);
const number = z.int().min(1).describe('the place of a call in the story');
const rule = shared.ruleId;
const place = z.object({ file: text, line: z.int().min(1) });

const debt = z.object({
  kind: z.enum(['missing-refund', 'refund-pending', 'win-pending', 'misbooked', 'unexplained']),
  call: z.enum(CALL_NAMES).nullable(),
  txID: maybe,
  roundID: maybe,
  amount,
  owedBy: z.enum(['operator', 'player', 'nobody', 'unknown']).describe('who has money that is not theirs'),
  toAct: z.enum(['service', 'operator']),
  rules: z.array(rule).describe('the rules whose breach explains exactly this'),
  text,
});

const round = z.object({
  roundID: maybe,
  state: z.enum(['settled', 'refunded', 'open', 'owing', 'nothing', 'unknown']),
  bets: amount,
  wins: amount,
  should: amount.describe('what the round must come to for the player; null: unknown'),
  booked: amount.describe('what the operator has booked of it'),
  difference: amount,
  text,
});

const wallet = z.object({
  player: maybe,
  sessions: z.array(text),
  currency: maybe,
  firstSaid: amount.describe('the first balance that was answered'),
  lastSaid: amount.describe('the last balance that was answered'),
  should: amount.describe('what the player must have once everything owed is done; null: unknown'),
  booked: amount.describe("what the operator's books say by now"),
  difference: amount.describe('booked less should; negative: the player has too little'),
  sentence: text,
  unknowns: z.array(text),
  debts: z.array(debt),
  rounds: z.array(round),
});

const call = z.object({
  number,
  at: maybe.describe("ISO 8601, UTC, by the service's clock"),
  call: z.enum(CALL_NAMES),
  sessionID: maybe,
  player: maybe,
  roundID: maybe,
  txID: maybe,
  origTxID: maybe,
  amount,
  ending: z.enum(['accepted', 'error-200', 'declined', 'refused', 'failed', 'late', 'lost', 'not-sent', 'unknown']),
  done: z.enum(['yes', 'no', 'maybe']).describe('whether the operator carried it out, by its own words'),
  status: z.int().nullable(),
  tookMs: z.number().nullable(),
  balance: amount,
  operatorTxID: maybe,
  code: maybe,
  signature: z
    .enum(SIGNATURE_STATES)
    .describe('by the keys at hand; unknown: there is no key, or not all was written down that is needed'),
  seenAt: z.array(z.object({ side: z.enum(['service', 'operator']), ...place.shape })),
  text,
});

/** What `croupier incident --json` prints. */
const incidentSchema = z.object({
  schema: z.literal(INCIDENT_JSON),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  read: z.object({
    files: z.array(text),
    calls: count.describe('how many calls were read in all'),
    others: count.describe('entries that are no call of the service'),
    nameless: count.describe('calls that say neither whose they are nor which transaction'),
    unreadable: count,
    firstUnreadable: z.array(z.object({ ...place.shape, why: text })),
    cut: z.boolean().describe('true: there were too many, and the last were left out'),
  }),
  clocks: z
    .object({ operatorAheadMs: z.number(), pairs: count })
    .nullable()
    .describe('null: only one side was read, or no call was written down by both'),
  calls: z.array(call),
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
        'sides-differ',
        'mended',
      ]),
      calls: z.array(number),
      text,
    }),
  ),
  wallets: z.array(wallet),
});

/** The JSON Schema of it. */
export function incidentJsonSchema(): object {
  return {
    ...z.toJSONSchema(incidentSchema, { io: 'input' }),
    title: `An incident, as croupier tells it (${INCIDENT_JSON})`,
  };
}

type IncidentJson = z.infer<typeof incidentSchema>;

/** The whole story for a machine. */
export function incidentJson(story: Story, gathering: Gathering, files: readonly string[]): IncidentJson {
  const { seen, others, nameless, unreadableCount, unreadable, isCut } = gathering;
  const currencies = new Map(story.wallets.map((one) => [one.wallet, one.currency]));
  return {
    schema: INCIDENT_JSON,
    exitCode: story.status,
    read: {
      files: [...files],
      calls: seen,
      others,
      nameless,
      unreadable: unreadableCount,
      firstUnreadable: unreadable.map(({ place: { file, line }, why }) => ({ file, line, why })),
      cut: isCut,
    },
    clocks: story.clocks && { operatorAheadMs: story.clocks.aheadMs, pairs: story.clocks.pairs },
    calls: story.calls.map((one) => callJson(one, currencies.get(one.wallet) ?? null)),
    breaches: story.breaches.map((one) => ({ ...one })),
    oddities: story.oddities.map((one) => ({ ...one, calls: [...one.calls] })),
    wallets: story.wallets.map(walletJson),
  };
}

function plain(money: Money | null | undefined): string | null {
  return money?.toString() ?? null;
}

function callJson(told: ToldCall, currency: string | null): IncidentJson['calls'][number] {
  const { seen, alsoSeen } = told;
  const views = alsoSeen ? [seen, alsoSeen] : [seen];
  return {
    number: told.number,
    at: told.atMs === null ? null : new Date(told.atMs).toISOString(),
    call: seen.call,
    sessionID: seen.sessionID ?? alsoSeen?.sessionID ?? null,
    player: seen.player ?? alsoSeen?.player ?? null,
    roundID: seen.roundID ?? alsoSeen?.roundID ?? null,
    txID: seen.txID,
    origTxID: seen.origTxID ?? alsoSeen?.origTxID ?? null,
    amount: plain(told.amount),
    ending: told.ending,
    done: told.done,
    status: told.status,
    tookMs: seen.exchange.tookMs,
    balance: plain(told.balance),
    operatorTxID: told.replyTxID,
    code: told.code,
    signature: told.signature,
    seenAt: views.map(({ exchange }) => ({ side: exchange.side, ...exchange.place })),
    text: `${callText(told, currency)}: ${answerText(told, currency)}`,
  };
}

function walletJson(verdict: WalletVerdict): IncidentJson['wallets'][number] {
  return {
    player: verdict.player,
    sessions: [...verdict.sessions],
    currency: verdict.currency,
    firstSaid: plain(verdict.books.firstSaid?.balance),
    lastSaid: plain(verdict.books.lastSaid?.balance),
    should: plain(verdict.should),
    booked: plain(verdict.booked),
    difference: plain(verdict.difference),
    sentence: walletSentence(verdict),
    unknowns: [...verdict.unknowns],
    debts: verdict.debts.map((one) => debtJson(one, verdict.currency)),
    rounds: verdict.rounds.map((one) => roundJson(one, verdict.currency)),
  };
}

function debtJson(one: Debt, currency: string | null): IncidentJson['wallets'][number]['debts'][number] {
  return {
    kind: one.kind,
    call: one.transaction?.call ?? null,
    txID: one.transaction?.txID ?? null,
    roundID: one.roundID,
    // A bet whose amount nobody wrote down is owed all the same.
    amount: one.deviation === null && one.transaction?.amount === null ? null : plain(one.amount),
    owedBy: one.owedBy,
    toAct: one.toAct,
    rules: one.deviation?.causes.flatMap((cause) => cause.rule ?? []) ?? [],
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
