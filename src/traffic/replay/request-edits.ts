import {
  BODY_FORMATS,
  type HeaderCase,
  QUERY_ENCODINGS,
  QUERY_ORDERS,
  type SignKind,
} from '../../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { SIGNATURE_HEADER } from '../../contract/signature.ts';
import { bodyFields } from '../../journal/call-amount.ts';
import { bodyText, header } from '../../journal/exchange.ts';
import { literalText } from '../../scenario/write.ts';
import { formatBody, type QueryParam, queryText } from '../../wire/deviations.ts';
import { isContractField, type RecordedCall } from '../recorded-call.ts';

/** The differences between a recorded request and the usual requests of the service, written as keys of a step. */
export interface RequestEdits {
  readonly query?: JsonObject;
  readonly tamper?: JsonObject;
  readonly headerCase?: HeaderCase;
  /** Fields of the body that the contract does not define. */
  readonly set?: JsonObject;
  /** Fields of the contract that the body does not have. */
  readonly drop?: readonly string[];
  readonly format?: string;
}

/**
 * Finds how a recorded request differs from the usual requests of the service. A log may change the form of a body and of header
 * names. So these two are read only from the journal of a run, which has the bytes that were sent.
 *
 * @param signer the earlier call with the same signature, if there is one
 */
export function requestEdits(seen: RecordedCall, sign: SignKind, signer?: RecordedCall): RequestEdits {
  const { isOfRun } = seen.exchange;
  if (seen.call === 'balance') return { ...queryEdits(seen, sign, signer), ...(isOfRun === true && headerCase(seen)) };
  return isOfRun === true ? { ...headerCase(seen), ...bodyEdits(seen) } : {};
}

function queryEdits(
  seen: RecordedCall,
  sign: SignKind,
  signer: RecordedCall | undefined,
): Pick<RequestEdits, 'query' | 'tamper'> {
  const { exchange } = seen;
  const raw = rawQuery(seen);
  const params = paramsOf(raw);
  const further = params.filter(([name]) => name !== 'sessionID');
  if (further.length === 0) return {};
  const add = Object.fromEntries(further.map(([name, value]) => [name, literalText(value)]));
  // The query was changed after it was signed. If the record has an earlier call with the same signature, the scenario signs the
  // values of that earlier call. Otherwise it can sign any values.
  if (sign === 'of-other-body' && exchange.isOfRun === true) {
    const known = new Map(signer ? paramsOf(rawQuery(signer)) : []);
    const signed = further.map(([name]) => [name, literalText(known.get(name) ?? 'signed')]);
    return { query: { add: Object.fromEntries(signed) as JsonObject }, tamper: { query: add } };
  }
  return { query: { add, ...writing(raw, params, further) } };
}

function rawQuery({ exchange }: RecordedCall): string {
  return exchange.request.url?.split('?')[1] ?? '';
}

function paramsOf(raw: string): readonly QueryParam[] {
  return [...new URLSearchParams(raw)];
}

/**
 * Finds the order and the encoding that give exactly this query. Returns the ones that differ from the usual order and encoding.
 * Returns an empty object if no known order and encoding give this query.
 */
function writing(raw: string, params: readonly QueryParam[], further: readonly QueryParam[]): JsonObject {
  const own = params.filter(([name]) => name === 'sessionID');
  for (const order of QUERY_ORDERS) {
    for (const encode of QUERY_ENCODINGS) {
      if (queryText([...own, ...further], order, encode) !== raw) continue;
      return { ...(order !== 'sorted' && { order }), ...(encode !== 'standard' && { encode }) };
    }
  }
  return {};
}

function headerCase({ exchange }: RecordedCall): Pick<RequestEdits, 'headerCase'> {
  const name = exchange.request.headers?.find(([key]) => key.toUpperCase() === SIGNATURE_HEADER)?.[0];
  if (name === undefined || name === SIGNATURE_HEADER) return {};
  return { headerCase: name === name.toLowerCase() ? 'lower' : 'mixed' };
}

function bodyEdits({ call, exchange }: RecordedCall): Pick<RequestEdits, 'set' | 'drop' | 'format'> {
  const { body } = exchange.request;
  if (body === null || body === 'unknown' || body.truncated) return {};
  const fields = bodyFields(body);
  if (!fields) return {};
  const further = Object.entries(fields).filter(([name]) => !isContractField(name));
  const required = ['txID', 'sessionID', ...(call === 'refund' ? ['origTxID'] : ['type'])];
  const drop = required.filter((name) => !Object.hasOwn(fields, name));
  const text = bodyText(body);
  const format = BODY_FORMATS.find((one) => formatBody(fields, one) === text);
  return {
    ...(further.length > 0 && { set: Object.fromEntries(further.map(([name, value]) => [name, literal(value)])) }),
    ...(drop.length > 0 && { drop }),
    ...(format !== undefined && format !== 'canonical' && { format }),
  };
}

/**
 * Returns the signature that was sent with a call, if the call comes from the journal of a run. Undefined for calls of other logs,
 * because those may change a signature.
 */
export function signatureSent({ exchange }: RecordedCall): string | undefined {
  if (exchange.isOfRun !== true || exchange.request.headers === null) return undefined;
  return header(exchange.request.headers, SIGNATURE_HEADER);
}

/** The fields whose values are the same in each replay. The other fields contain ids, which differ. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(['amount', 'type']);

/**
 * Returns the fields of a body that have other values than in the signed body. Undefined if there are none. Also undefined if an id
 * differs, or if the two bodies do not have the same fields.
 */
export function changedAfterSigning(signed: RecordedCall, sent: RecordedCall): JsonObject | undefined {
  const [before, after] = [signed, sent].map(({ exchange: { request } }) =>
    request.body === null || request.body === 'unknown' ? undefined : bodyFields(request.body),
  );
  if (!before || !after || Object.keys(before).length !== Object.keys(after).length) return undefined;
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  if (changed.length === 0 || changed.some(([name]) => !PLAIN_FIELDS.has(name))) return undefined;
  return Object.fromEntries(changed.map(([name, value]) => [name, literal(value)]));
}

/** Escapes `${` in all texts of a value. */
function literal(value: JsonValue): JsonValue {
  if (typeof value === 'string') return literalText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => literal(item));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, literal(item)]));
}
