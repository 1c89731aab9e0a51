import { type Body, bodyText, header, type Outcome, replyMs, type Stamps } from '../../journal/exchange.ts';
import type { LoggedExchange } from '../exchange-log.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { ExchangeDetail, ExchangeRow, MessageView } from './view.ts';

/** The number of characters of each body that are searched. */
const MAX_SEARCHED = 600;
/** The number of characters of each body that are shown. */
const MAX_BODY = 20_000;

/** An exchange as a row of the list. @param player of its session; null where it is not known */
export function rowOf(exchange: LoggedExchange, player: string | null): ExchangeRow {
  const { id, at, direction, name, extCID, gsID, roundID, notes, request, outcome, stamps } = exchange;
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
    player,
    roundID,
    notes,
    txID: stringIn(fields, 'txID'),
    amount: stringIn(fields, 'amount'),
    ...resultOf(outcome),
    code: outcome?.kind === 'reply' && outcome.reply.status !== 200 ? stringIn(fieldsOf(came), 'code') : null,
    ms: stamps && rounded(replyMs(stamps)),
    searchText: [request.url, sent.slice(0, MAX_SEARCHED), came.slice(0, MAX_SEARCHED)].join('\n').toLowerCase(),
  };
}

/** The parts of a detail that the log does not have. */
export interface DetailTexts {
  readonly player: string | null;
  readonly curl: string | null;
  readonly scenario: string | null;
}

/** An exchange with all its details. */
export function detailOf(exchange: LoggedExchange, { player, curl, scenario }: DetailTexts): ExchangeDetail {
  const { request, outcome, stamps, connection, direction } = exchange;
  const { method, url } = request;
  return {
    row: rowOf(exchange, player),
    request: { method, url, ...messageOf(request.headers, request.body) },
    reply:
      outcome?.kind === 'reply'
        ? { status: outcome.reply.status, ...messageOf(outcome.reply.headers, outcome.reply.body) }
        : null,
    trouble: outcome?.kind === 'none' ? outcome.detail : null,
    signature: header(request.headers, 'x-request-sign') ?? null,
    phases: stamps ? phasesOf(stamps) : [],
    connection: connection && `connection ${connection.id}, ${connection.reused ? 'used before' : 'opened for this'}`,
    curl,
    scenario,
    repeatable: direction === 'reverse',
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
    ...(isCut ? [`the beginning of ${body.length} bytes`] : []),
    ...(body.encoding === 'base64' ? ['not UTF-8, shown as Latin-1'] : []),
  ];
  return { headers, body: text.slice(0, MAX_BODY), bodyNote: notes.length === 0 ? null : notes.join('; ') };
}

/** The duration of each phase, from the end of the last phase that is known. */
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

/** A member of a value that may not be an object. */
function stringIn(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null) return null;
  const value = Object.entries(fields).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value.slice(0, 200) : null;
}

/** The player of an exchange's game session; null where it has none, or the session is not kept any more. */
export function playerOf({ sessions }: Pick<ServiceParts, 'sessions'>, { gsID }: LoggedExchange): string | null {
  return gsID === null ? null : (sessions.byId(gsID)?.player ?? null);
}
