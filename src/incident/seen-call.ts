import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import { bodyText } from '../journal/exchange.ts';
import type { SeenExchange } from './seen.ts';

/** A call as far as it is known. A field that is null was not sent when `whole`, else it is unknown. */
export interface SeenCall {
  readonly exchange: SeenExchange;
  readonly call: CallName;
  readonly sessionID: string | null;
  readonly txID: string | null;
  readonly origTxID: string | null;
  readonly roundID: string | null;
  readonly amount: string | null;
  readonly type: string | null;
  readonly frID: string | null;
  readonly player: string | null;
  readonly currency: string | null;
  /** The whole request is known. */
  readonly whole: boolean;
}

/** Paths at which an operator's endpoints lie, where they are not named after the calls. */
export type CallPaths = ReadonlyMap<string, CallName>;

/** The call that an exchange is; null when it is none of the four. */
export function seenCall(exchange: SeenExchange, paths: CallPaths = new Map()): SeenCall | null {
  const { told, request } = exchange;
  const url = request.url === null ? null : parts(request.url);
  const call = callName(told.call) ?? (url === null ? undefined : nameOfPath(url.path, paths));
  if (call === undefined || !isItsMethod(call, request.method)) return null;
  const sent = call === 'balance' ? url?.query : sentBody(exchange);
  const field = (name: string): string | null => {
    const value = sent?.[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
  };
  return {
    exchange,
    call,
    sessionID: field('sessionID') ?? told.session ?? null,
    txID: field('txID') ?? told.tx ?? null,
    origTxID: field('origTxID') ?? told.origTx ?? null,
    roundID: field('roundID') ?? told.round ?? null,
    amount: field('amount') ?? told.amount ?? null,
    type: field('type') ?? told.type ?? null,
    frID: field('frID') ?? told.frID ?? null,
    player: told.player ?? null,
    currency: told.currency ?? null,
    whole: sent !== undefined,
  };
}

function callName(text: string | undefined): CallName | undefined {
  const wanted = text?.toLowerCase().replace(/^.*\//, '');
  return CALL_NAMES.find((name) => name === wanted);
}

/** The call that a request line is; undefined when it is none of the four. */
export function callAt(method: string, target: string, paths: CallPaths): CallName | undefined {
  const call = nameOfPath(parts(target).path, paths);
  return call !== undefined && isItsMethod(call, method) ? call : undefined;
}

/** The path of an address or of a request target, and its query. */
function parts(url: string): { readonly path: string; readonly query: Readonly<Record<string, string>> | undefined } {
  if (/^\/[\w/.-]*$/.test(url)) return { path: url, query: undefined };
  const parsed = URL.parse(url, 'http://unknown.invalid');
  if (!parsed) return { path: url, query: undefined };
  const query = [...parsed.searchParams];
  // An access log may leave the query out; a balance without one was never sent.
  return { path: parsed.pathname, query: query.length === 0 ? undefined : Object.fromEntries(query) };
}

function nameOfPath(path: string, paths: CallPaths): CallName | undefined {
  const clean = path.replace(/\/+$/, '');
  for (const [ending, call] of paths) if (clean.endsWith(ending)) return call;
  return callName(clean.slice(clean.lastIndexOf('/') + 1));
}

function isItsMethod(call: CallName, method: string | null): boolean {
  return method === null || method.toUpperCase() === (call === 'balance' ? 'GET' : 'POST');
}

/** What a log of a gigabyte has of each call is only read: whether its JSON is well made is not asked here. */
function sentBody({ request }: SeenExchange): JsonObject | undefined {
  if (request.body === null || request.body === 'untold') return undefined;
  try {
    const value = JSON.parse(bodyText(request.body)) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
