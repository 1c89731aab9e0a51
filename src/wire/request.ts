import type { CallName } from '../contract/call-name.ts';
import { canonicalJson } from '../contract/canonical.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import { queryPayload, SIGNATURE_HEADER } from '../contract/signature.ts';
import { type ContractVersion, compareVersions } from '../contract/versions.ts';
import type { ExchangeRequest, HeaderList } from '../journal/exchange.ts';
import { bodyOf } from './body.ts';
import { type BodyFormat, formatBody } from './body-format.ts';
import { type QueryEncoding, type QueryOrder, type QueryParam, queryText } from './query.ts';
import type { SignKind } from './sign-kind.ts';
import { signatureFor } from './signature-for.ts';

/** Where an operator takes reverse calls. */
interface Target {
  /** The path of a call is appended to its path. */
  readonly baseUrl: string;
  /** Where a call is not at its usual path: what is appended instead. */
  readonly paths?: { readonly [call in CallName]?: string };
  /** Sent with each call. One that croupier sends by itself is replaced; signature and framing can't be. */
  readonly headers?: { readonly [name: string]: string };
  /** The version of the contract that its calls are made by; left out: the latest. */
  readonly contract?: ContractVersion | undefined;
}

/** Refunds carry a `roundID` from this version on (contract, Versioning). */
const ROUND_OF_REFUNDS: ContractVersion = '1.5.0';

/** One call, and how it deviates. */
export interface CallSpec {
  readonly call: CallName;
  readonly target: Target;
  /** Query parameters of balance, body fields of the others. */
  readonly fields: JsonObject;
  readonly key: string;
  /** Another client's key, for `other-client`. */
  readonly otherKey?: string;
  readonly sign?: SignKind;
  /** The name of the signature header, in the letter case of the wire. */
  readonly headerName?: string;
  /** Changed after signing. */
  readonly tamper?: { readonly fields: JsonObject };
  /** Changed before signing. */
  readonly edit?: { readonly set?: JsonObject; readonly drop?: readonly string[] };
  /** The body as it is, signed as it is, instead of the fields. */
  readonly rawBody?: string | Uint8Array;
  readonly format?: BodyFormat;
  readonly query?: {
    readonly add?: { readonly [name: string]: string };
    readonly order?: QueryOrder;
    readonly encode?: QueryEncoding;
  };
}

/** The exact request of one call. */
export interface BuiltRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array | null;
  /** What was signed. */
  readonly payload: Uint8Array;
}

/** The address that was read last: nearly every call of a run goes to the same one. */
let latest: { readonly text: string; readonly url: URL } | undefined;

function baseOf(target: Target): URL {
  if (latest?.text === target.baseUrl) return latest.url;
  const url = readBase(target);
  latest = { text: target.baseUrl, url };
  return url;
}

function readBase(target: Target): URL {
  if (!URL.canParse(target.baseUrl)) throw new TypeError('the base URL is not a URL');
  const url = new URL(target.baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('the base URL is not http or https');
  if (url.search !== '' || url.hash !== '') throw new TypeError('the base URL has a query or fragment of its own');
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the base URL holds a user or password; send an Authorization header instead');
  }
  return url;
}

function pathOf(base: URL, call: CallName, target: Target): string {
  const own = target.paths?.[call] ?? call;
  if (/[?#\s]/.test(own)) throw new TypeError(`the path of ${call} has a query, a fragment or white space`);
  return `${base.pathname.replace(/\/+$/, '')}/${own.replace(/^\/+/, '')}`;
}

const UNCONFIGURABLE: readonly string[] = ['content-length', 'transfer-encoding', 'expect', 'upgrade'];

function headersOf(own: readonly (readonly [string, string])[], target: Target, signatureName: string): HeaderList {
  const headers = [...own];
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    const wanted = name.toLowerCase();
    if (wanted === signatureName.toLowerCase() || UNCONFIGURABLE.includes(wanted)) {
      throw new TypeError(`the header ${name} is croupier's own and can't be configured`);
    }
    const at = headers.findIndex(([known]) => known.toLowerCase() === wanted);
    headers.splice(at < 0 ? headers.length : at, at < 0 ? 0 : 1, [name, value]);
  }
  return headers;
}

function edited(fields: JsonObject, edit: CallSpec['edit']): JsonObject {
  if (edit === undefined) return fields;
  const kept = Object.entries({ ...fields, ...edit.set }).filter(([name]) => !edit.drop?.includes(name));
  return Object.fromEntries(kept);
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function params(fields: JsonObject): QueryParam[] {
  return Object.entries(fields).map(([name, value]) => [name, textOf(value)]);
}

interface Content {
  readonly payload: Uint8Array;
  readonly body: Uint8Array | null;
  readonly query: string;
}

function queryContent(spec: CallSpec): Content {
  if (spec.rawBody !== undefined || spec.format !== undefined) throw new TypeError('a balance call has no body');
  const fields = { ...edited(spec.fields, spec.edit), ...spec.query?.add };
  const sent = params({ ...fields, ...spec.tamper?.fields });
  const text = queryText(sent, spec.query?.order ?? 'as-given', spec.query?.encode ?? 'standard');
  return { payload: Buffer.from(queryPayload(params(fields))), body: null, query: text === '' ? '' : `?${text}` };
}

function bodyContent(spec: CallSpec): Content {
  const { rawBody, tamper } = spec;
  const query = spec.query?.add === undefined ? '' : `?${queryText(params(spec.query.add), 'as-given', 'standard')}`;
  if (rawBody !== undefined) {
    if (tamper !== undefined) throw new TypeError('a raw body has no fields to tamper with');
    const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody;
    return { payload: body, body, query };
  }
  const fields = edited(spec.fields, spec.edit);
  const format = spec.format ?? 'canonical';
  const payload = Buffer.from(formatBody(fields, format));
  const body = tamper === undefined ? payload : Buffer.from(formatBody({ ...fields, ...tamper.fields }, format));
  return { payload, body, query };
}

/**
 * The exact bytes of a call, signed (contract, Integration Adapter and Authentication). Pure: the same call gives the
 * same bytes.
 *
 * @throws TypeError when target or deviations make no sense together, or a needed key is missing
 * @throws NotCanonicalError when the fields hold what JSON can't
 */
export function buildRequest(given: CallSpec): BuiltRequest {
  const spec = asOfVersion(given);
  const base = baseOf(spec.target);
  const isQuery = spec.call === 'balance';
  const { payload, body, query } = isQuery ? queryContent(spec) : bodyContent(spec);
  const headerName = spec.headerName ?? SIGNATURE_HEADER;
  const signature = signatureFor(spec.sign ?? 'valid', payload, spec.key, spec.otherKey);
  const own: [string, string][] = [['Host', base.host]];
  if (body !== null) own.push(['Content-Type', 'application/json'], ['Content-Length', String(body.length)]);
  if (signature !== undefined) own.push([headerName, signature]);
  own.push(['Accept', 'application/json']);
  return {
    method: isQuery ? 'GET' : 'POST',
    url: `${base.origin}${pathOf(base, spec.call, spec.target)}${query}`,
    headers: headersOf(own, spec.target, headerName),
    body,
    payload,
  };
}

function asOfVersion(spec: CallSpec): CallSpec {
  const { call, fields, target } = spec;
  if (call !== 'refund' || !target.contract || compareVersions(target.contract, ROUND_OF_REFUNDS) >= 0) return spec;
  const { roundID: _, ...rest } = fields;
  return { ...spec, fields: rest };
}

/** A request as an exchange records it. */
export function requestOf(request: BuiltRequest): ExchangeRequest {
  const { method, url, headers, body } = request;
  return { method, url, headers, body: body === null ? null : bodyOf(body) };
}
