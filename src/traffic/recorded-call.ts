import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Money } from '../contract/money.ts';
import { amountIn, bodyFields, readAmount } from '../journal/call-amount.ts';
import type { LoggedExchange } from './logged-exchange.ts';

/** The known fields of a call. A field that is null was not sent if `whole` is true; otherwise it is unknown. */
export interface RecordedCall {
  readonly exchange: LoggedExchange;
  readonly call: CallName;
  readonly sessionID: string | null;
  readonly txID: string | null;
  readonly origTxID: string | null;
  readonly roundID: string | null;
  /** The amount as it was sent or logged. */
  readonly amount: string | null;
  /** The amount as money. null: there is no amount, or its format breaks the contract. */
  readonly money: Money | null;
  /** True if the amount was sent as a JSON number instead of a string. */
  readonly isBareAmount: boolean;
  readonly type: string | null;
  readonly frID: string | null;
  readonly player: string | null;
  readonly currency: string | null;
  /** True if the whole request is known. */
  readonly whole: boolean;
}

/** The paths of an operator's endpoints that are not named after the calls. */
export type CallPaths = ReadonlyMap<string, CallName>;

/** Reads the call of an exchange. @returns null if it is none of the four calls */
export function recordedCall(exchange: LoggedExchange, paths: CallPaths = new Map()): RecordedCall | null {
  const { logged, request } = exchange;
  const url = request.url === null ? null : parts(request.url);
  const call = callName(logged.call) ?? (url === null ? undefined : nameOfPath(url.path, paths));
  if (call === undefined || !isItsMethod(call, request.method)) return null;
  const sent = call === 'balance' ? url?.query : sentBody(exchange);
  const field = (name: string): string | null => {
    const value = sent?.[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
  };
  const written = exchange.amount === undefined ? amountIn(sent) : { text: exchange.amount, isNumber: false };
  const amount = written?.text ?? logged.amount ?? null;
  return {
    exchange,
    call,
    sessionID: field('sessionID') ?? logged.session ?? null,
    txID: field('txID') ?? logged.tx ?? null,
    origTxID: field('origTxID') ?? logged.origTx ?? null,
    roundID: field('roundID') ?? logged.round ?? null,
    amount,
    money: (amount === null ? undefined : readAmount(amount)) ?? null,
    isBareAmount: written?.isNumber === true,
    type: field('type') ?? logged.type ?? null,
    frID: field('frID') ?? logged.frID ?? null,
    player: logged.player ?? null,
    currency: logged.currency ?? null,
    whole: sent !== undefined,
  };
}

function callName(text: string | undefined): CallName | undefined {
  const wanted = text?.toLowerCase().replace(/^.*\//, '');
  return CALL_NAMES.find((name) => name === wanted);
}

/** Finds the call of a request line. @returns undefined if it is none of the four calls */
export function callAt(method: string, target: string, paths: CallPaths): CallName | undefined {
  const call = nameOfPath(parts(target).path, paths);
  return call !== undefined && isItsMethod(call, method) ? call : undefined;
}

/** Splits a URL or a request target into path and query. */
function parts(url: string): { readonly path: string; readonly query: Readonly<Record<string, string>> | undefined } {
  if (/^\/[\w/.-]*$/.test(url)) return { path: url, query: undefined };
  const parsed = URL.parse(url, 'http://unknown.invalid');
  if (!parsed) return { path: url, query: undefined };
  const query = [...parsed.searchParams];
  // An access log may leave the query out. A balance call without a query was never sent, so no query means unknown.
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

/** Reads the fields of the request body without validating its JSON, because logs of gigabytes pass through here. */
function sentBody({ request }: LoggedExchange): JsonObject | undefined {
  return request.body === null || request.body === 'unknown' ? undefined : bodyFields(request.body);
}
