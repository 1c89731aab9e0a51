import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Money } from '../contract/money.ts';
import { amountIn, bodyFields, readAmount } from '../journal/call-amount.ts';
import { isClientError } from '../reply/status.ts';
import { completePart } from './cut-body.ts';
import type { LoggedExchange, LogPlace, LogTime } from './logged-exchange.ts';
import { isMasked } from './masked.ts';

/**
 * The known fields of a call. A null field was not sent if `whole` is true. If `whole` is false, the value of a null field is
 * unknown.
 */
export interface RecordedCall {
  readonly exchange: LoggedExchange;
  readonly call: CallName;
  readonly sessionID: string | null;
  readonly txID: string | null;
  readonly origTxID: string | null;
  readonly roundID: string | null;
  /** The amount as it was sent or logged. */
  readonly amount: string | null;
  /** The amount as money. Null if there is no amount, or if its format breaks the contract. */
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

/** The operator's paths that have a different name than their call, with the call of each path. */
export type CallPaths = ReadonlyMap<string, CallName>;

/** Reads the call of an exchange. Returns null if the exchange is not one of the four calls. */
export function recordedCall(exchange: LoggedExchange, paths: CallPaths = new Map()): RecordedCall | null {
  const read = namedCall(exchange, paths);
  if (read === null) return null;
  const { call, sent } = read;
  if (sent !== undefined && isOfOther(sent, exchange)) return null;
  const { logged } = exchange;
  const field = (name: string): string | null => {
    const value = sent?.[name];
    return unmasked(typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null);
  };
  const written = exchange.amount === undefined ? amountIn(sent) : { text: exchange.amount, isNumber: false };
  const amount = unmasked(written?.text ?? logged.amount);
  return {
    exchange,
    call,
    sessionID: field('sessionID') ?? unmasked(logged.session),
    txID: field('txID') ?? unmasked(logged.tx),
    origTxID: field('origTxID') ?? unmasked(logged.origTx),
    roundID: field('roundID') ?? unmasked(logged.round),
    amount,
    money: (amount === null ? undefined : readAmount(amount)) ?? null,
    isBareAmount: written?.isNumber === true,
    type: field('type') ?? logged.type ?? null,
    frID: field('frID') ?? logged.frID ?? null,
    player: unmasked(logged.player),
    currency: logged.currency ?? null,
    whole: sent !== undefined && !isCutRequest(exchange),
  };
}

/** A call of another provider that may have moved the money of a wallet. */
export interface OtherCall {
  readonly place: LogPlace;
  readonly time: LogTime | null;
  readonly tookMs: number | null;
  readonly call: Exclude<CallName, 'balance'>;
  /** The change of the balance: negative for a bet. */
  readonly by: Money;
  /** The fields that the contract does not define, each as `name=value`. One of them may be the player. */
  readonly fields: readonly string[];
}

/** Maximum number of fields of a call of another provider that are kept, and the maximum length of each. */
const MAX_OTHER_FIELDS = 8;
const MAX_OTHER_FIELD_LENGTH = 64;

/**
 * Reads a call of another provider. Returns null for any other exchange, and for a call that moves no money: its amount is missing
 * or zero, or the operator declined it.
 */
export function otherCall(exchange: LoggedExchange, paths: CallPaths = new Map()): OtherCall | null {
  const { call, sent } = namedCall(exchange, paths) ?? {};
  if (call === undefined || call === 'balance' || sent === undefined || !isOfOther(sent, exchange)) return null;
  const { answer, place, time, tookMs } = exchange;
  if (answer.kind === 'reply' && isClientError(answer.status)) return null;
  const amount = readAmount(amountIn(sent)?.text ?? '');
  if (amount === undefined || amount.isZero()) return null;
  return { place, time, tookMs, call, by: call === 'bet' ? amount.negated() : amount, fields: otherFields(sent) };
}

/** True for a call of another provider, whether or not it moved money. */
export function isOtherProviders(exchange: LoggedExchange): boolean {
  const { sent } = namedCall(exchange, new Map()) ?? {};
  return sent !== undefined && isOfOther(sent, exchange);
}

function otherFields(sent: JsonObject): readonly string[] {
  return Object.entries(sent)
    .flatMap(([name, value]) =>
      !isContractField(name) && (typeof value === 'string' || typeof value === 'number') ? [`${name}=${value}`] : [],
    )
    .filter((field) => field.length <= MAX_OTHER_FIELD_LENGTH)
    .slice(0, MAX_OTHER_FIELDS);
}

/** Returns the name of a call and the fields that were sent with it. Null if the exchange has the name of none of the calls. */
function namedCall(
  exchange: LoggedExchange,
  paths: CallPaths,
): { readonly call: CallName; readonly sent: JsonObject | undefined } | null {
  const { logged, request } = exchange;
  const url = request.url === null ? null : parts(request.url);
  const call = callName(logged.call) ?? (url === null ? undefined : nameOfPath(url.path, paths));
  if (call === undefined || !isItsMethod(call, request.method)) return null;
  // Some programs log the query of a balance call as an object.
  return { call, sent: call === 'balance' ? (url?.query ?? sentBody(exchange)) : sentBody(exchange) };
}

/**
 * The fields that only the contract's calls have. They distinguish these calls from the calls of other providers with the same
 * path.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(['sessionID', 'txID', 'origTxID', 'roundID']);
/** The other fields of the contract. Calls of other providers can have them too. */
const SHARED_FIELDS: ReadonlySet<string> = new Set(['amount', 'type', 'frID']);

/** True for a field that the contract defines in the body of a call. */
export function isContractField(name: string): boolean {
  return OWN_FIELDS.has(name) || SHARED_FIELDS.has(name);
}

/**
 * True for a call of another provider: it has a field that the contract does not define, and none of the {@link OWN_FIELDS}. Always
 * false for a call of a croupier run, because a run may leave out fields on purpose to test the operator.
 */
function isOfOther(sent: JsonObject, exchange: LoggedExchange): boolean {
  const { isOfRun, logged } = exchange;
  if (isOfRun === true || logged.session !== undefined || logged.tx !== undefined) return false;
  // The log has only the beginning of the body. The missing part may contain a field of the contract, so this may be a call of the
  // contract.
  if (isCutRequest(exchange)) return false;
  const names = Object.keys(sent);
  return !names.some((name) => OWN_FIELDS.has(name)) && names.some((name) => !SHARED_FIELDS.has(name));
}

/**
 * Returns the text, or null if the writer of the log has masked it, wholly or in part. Equal masked texts may stand for different
 * values, so they must not be compared.
 */
export function unmasked(text: string | null | undefined): string | null {
  return text === undefined || text === null || isMasked(text) ? null : text;
}

function callName(text: string | undefined): CallName | undefined {
  if (text === undefined) return undefined;
  const exact = CALL_NAMES.find((name) => name === text);
  if (exact) return exact;
  const wanted = text.toLowerCase().replace(/^.*\//, '');
  return CALL_NAMES.find((name) => name === wanted);
}

/** Finds the call of a request line. Returns undefined if it is not one of the four calls. */
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
  // Every balance call has a query, but an access log may leave it out. So if the query is missing, its content is unknown.
  return { path: parsed.pathname, query: query.length === 0 ? undefined : Object.fromEntries(query) };
}

function nameOfPath(path: string, paths: CallPaths): CallName | undefined {
  const clean = path.endsWith('/') ? path.replace(/(?<!\/)\/+$/, '') : path;
  for (const [ending, call] of paths) if (clean.endsWith(ending)) return call;
  return callName(clean.slice(clean.lastIndexOf('/') + 1));
}

function isItsMethod(call: CallName, method: string | null): boolean {
  const own = call === 'balance' ? 'GET' : 'POST';
  return method === null || method === own || method.toUpperCase() === own;
}

/**
 * Reads the fields of the request body. Does not validate the JSON, which would take too long for logs of gigabytes. If the body
 * was cut, reads only the complete fields.
 */
function sentBody({ request: { body } }: LoggedExchange): JsonObject | undefined {
  if (body === null || body === 'unknown') return undefined;
  const known = body.truncated ? completePart(body) : body;
  return known === null ? undefined : bodyFields(known);
}

/** True if the log has only the beginning of the request body. */
function isCutRequest({ request: { body } }: LoggedExchange): boolean {
  return body !== null && body !== 'unknown' && body.truncated;
}
