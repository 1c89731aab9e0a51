import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { type Body, bodyText, header, type Outcome, replyMs, type Stamps } from '../../journal/exchange.ts';
import { formatAmount } from '../bet-lines.ts';
import type { LoggedExchange, ReplyFaultKind } from '../exchange-log.ts';
import type { GameSession } from '../game-sessions.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { ExchangeDetail, ExchangeRow, FindingView, MessageView } from './view.ts';

/** The number of characters at the start of each body that a search covers. */
const MAX_SEARCHED = 600;
/** The maximum number of characters of a body that are shown. */
const MAX_BODY = 20_000;

/** The facts about the game session of an exchange that its row shows. */
export type RowSession = Pick<GameSession, 'player' | 'currency'>;

/**
 * Returns an exchange as a row of the list.
 *
 * @param session the game session of the exchange; null if not known
 */
export function rowOf(exchange: LoggedExchange, session: RowSession | null): ExchangeRow {
  const { id, at, direction, name, extCID, gsID, roundID, request, outcome, stamps, replyFault } = exchange;
  const sent = textOf(request.body);
  const came = outcome?.kind === 'reply' ? textOf(outcome.reply.body) : '';
  const fields = fieldsOf(sent);
  return {
    id,
    at,
    direction,
    name,
    extCID,
    gsID,
    player: session?.player ?? null,
    roundID,
    notes: replyFault === null ? exchange.notes : [...exchange.notes, FAULT_NOTES[replyFault]],
    txID: stringIn(fields, 'txID'),
    amount: stringIn(fields, 'amount'),
    ...resultOf(outcome),
    code: outcome?.kind === 'reply' && outcome.reply.status !== 200 ? stringIn(fieldsOf(came), 'code') : null,
    ...balanceOf(exchange, session?.currency),
    findings: findingsOf(exchange),
    ms: stamps && rounded(replyMs(stamps)),
    searchText: [request.url, sent.slice(0, MAX_SEARCHED), came.slice(0, MAX_SEARCHED)].join('\n').toLowerCase(),
  };
}

/** The texts about an exchange that do not come from the log. */
export interface DetailTexts {
  readonly curl: string | null;
  readonly scenario: string | null;
}

/** Returns an exchange with all its details. */
export function detailOf(
  exchange: LoggedExchange,
  session: RowSession | null,
  { curl, scenario }: DetailTexts,
): ExchangeDetail {
  const { request, outcome, stamps, connection, direction } = exchange;
  const { method, url } = request;
  return {
    row: rowOf(exchange, session),
    request: { method, url, ...messageOf(request.headers, request.body) },
    reply:
      outcome?.kind === 'reply'
        ? { status: outcome.reply.status, ...messageOf(outcome.reply.headers, outcome.reply.body) }
        : null,
    trouble: outcome?.kind === 'none' ? outcome.detail : null,
    signature: header(request.headers, 'x-request-sign') ?? null,
    phases: stamps ? phasesOf(stamps) : [],
    connection:
      connection &&
      `connection ${connection.id}, ${connection.reused ? 'already used by an earlier call' : 'opened for this call'}`,
    passed: [...new Set(exchange.findings.flatMap(({ rule, verdict }) => (verdict === 'pass' && rule ? [rule] : [])))],
    isJudged: exchange.balance !== null || exchange.findings.length > 0,
    curl,
    scenario,
    repeatable: direction === 'reverse',
  };
}

/** The verdicts of findings, the most serious first. */
const VERDICTS = ['fail', 'warn', 'note'] as const;

function findingsOf({ findings, replyFault }: LoggedExchange): readonly FindingView[] {
  return VERDICTS.flatMap((wanted) =>
    findings.flatMap(({ rule, verdict, text }) => {
      if (verdict !== wanted) return [];
      const isInjected = replyFault !== null && explains(replyFault, rule);
      const texts = ruleTexts(rule, wanted);
      return [{ rule, verdict: wanted, text, ...texts, hint: isInjected ? null : texts.hint, isInjected }];
    }),
  );
}

/**
 * True if a fault in the reply explains why the rule is broken. An operator that answers late has carried out the call, so only the
 * time of the reply comes from the fault.
 */
function explains(fault: ReplyFaultKind, rule: RuleId | null): boolean {
  return fault !== 'late' || rule === 'reply.deadline';
}

const FAULT_NOTES: Readonly<Record<ReplyFaultKind, string>> = {
  'error-500': 'answered 500 on purpose',
  late: 'answered late on purpose',
  declined: 'declined on purpose',
};

function ruleTexts(
  rule: LoggedExchange['findings'][number]['rule'],
  verdict: FindingView['verdict'],
): Pick<FindingView, 'sentence' | 'hint'> {
  if (rule === null) return { sentence: null, hint: null };
  const { sentence, hint } = ruleById(rule);
  return { sentence, hint: verdict === 'note' ? null : hint };
}

/**
 * Returns the broken rules of each round, by the id of the round. A wrong balance that no call explains breaks no rule, and is
 * named in words.
 */
export function brokenByRound(exchanges: readonly LoggedExchange[]): ReadonlyMap<string, readonly string[]> {
  const broken = new Map<string, Set<string>>();
  for (const { roundID, findings } of exchanges) {
    if (roundID === null) continue;
    for (const { rule, verdict } of findings) {
      if (verdict !== 'fail') continue;
      const names = broken.get(roundID) ?? new Set();
      broken.set(roundID, names.add(rule ?? 'unexplained balance'));
    }
  }
  return new Map([...broken].map(([roundID, names]) => [roundID, [...names]]));
}

function balanceOf(
  { balance }: LoggedExchange,
  currency: string | undefined,
): Pick<ExchangeRow, 'balance' | 'expected' | 'balanceResult'> {
  if (balance === null) return { balance: null, expected: null, balanceResult: null };
  const write = (money: Money): string => (currency === undefined ? money.format(2) : formatAmount(money, currency));
  const { said, expected, result } = balance;
  return {
    balance: said && write(said),
    expected: expected && [...new Set(expected.map(write))].join(' or '),
    balanceResult: result,
  };
}

function resultOf(outcome: Outcome | null): Pick<ExchangeRow, 'state' | 'result'> {
  if (outcome === null) return { state: 'under-way', result: '' };
  switch (outcome.kind) {
    case 'reply': {
      const { status } = outcome.reply;
      return { state: status === 200 ? 'ok' : 'error', result: String(status) };
    }
    case 'none':
      return { state: 'no-reply', result: outcome.reason };
  }
}

function messageOf(headers: MessageView['headers'], body: Body | null): MessageView {
  if (body === null || body.length === 0) return { headers, body: null, bodyNote: null };
  const text = bodyText(body);
  const isCut = body.truncated || text.length > MAX_BODY;
  const notes = [
    ...(isCut ? [`only the beginning of the ${body.length} bytes is shown`] : []),
    ...(body.encoding === 'base64' ? ['the body is not UTF-8 and is shown as Latin-1'] : []),
  ];
  return { headers, body: text.slice(0, MAX_BODY), bodyNote: notes.length === 0 ? null : notes.join('; ') };
}

/**
 * Returns the duration of each phase. If the time stamp of a phase is missing, the phase is left out, and its time counts for
 * the next phase.
 */
function phasesOf({ start, resolved, connected, secured, sent, firstByte, end }: Stamps): ExchangeDetail['phases'] {
  const ends = [
    ['name looked up', resolved],
    ['connected', connected],
    ['TLS', secured],
    ['sent', sent],
    ['first byte', firstByte],
    ['last byte', end],
  ] as const;
  let before = start;
  return ends.flatMap(([name, at]) => {
    if (at === null) return [];
    const ms = rounded(at - before) ?? 0;
    before = at;
    return [{ name, ms }];
  });
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}

function textOf(body: Body | null): string {
  return body === null ? '' : bodyText(body);
}

function fieldsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a field of a JSON object if it is a string, at most 200 characters of it. Returns null for any other value. */
function stringIn(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null) return null;
  const value = Object.entries(fields).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value.slice(0, 200) : null;
}

/**
 * Returns the game session of an exchange; null if the exchange belongs to no session, or if the session is already deleted.
 */
export function sessionOf({ sessions }: Pick<ServiceParts, 'sessions'>, { gsID }: LoggedExchange): GameSession | null {
  return gsID === null ? null : (sessions.byId(gsID) ?? null);
}
