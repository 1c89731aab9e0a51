import type { CallName } from '../contract/call-name.ts';
import { canonicalJson } from '../contract/canonical.ts';
import type { BodyFormat, QueryEncoding, QueryOrder, SignKind } from '../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import { queryPayload, SIGNATURE_HEADER } from '../contract/signature.ts';
import { type ContractVersion, compareVersions } from '../contract/versions.ts';
import type { ExchangeRequest, HeaderList } from '../journal/exchange.ts';
import { bodyOf } from './body.ts';
import { formatBody, type QueryParam, queryText, signatureFor } from './deviations.ts';

/** The address of an operator's endpoints. */
interface Target {
  /** The base URL. The path of a call is appended to its path. */
  readonly baseUrl: string;
  /** The paths to append for calls that are not at the usual path. */
  readonly paths?: { readonly [call in CallName]?: string };
  /** Headers that are sent with each call. They replace croupier's own headers, except the signature and the framing headers. */
  readonly headers?: { readonly [name: string]: string };
  /** The version of the contract that the calls follow. Left out means the latest. */
  readonly contract?: ContractVersion | undefined;
}

/** The first version in which refunds have a `roundID` (contract, Versioning). */
const ROUND_OF_REFUNDS: ContractVersion = '1.5.0';

/** One call with its deviations. */
export interface CallSpec {
  readonly call: CallName;
  readonly target: Target;
  /** The query parameters of a balance call, or the body fields of any other call. */
  readonly fields: JsonObject;
  readonly key: string;
  /** The key of another client, for `other-client`. */
  readonly otherKey?: string;
  readonly sign?: SignKind;
  /** The name of the signature header, in the letter case in which it is sent. */
  readonly headerName?: string;
  /** Fields that are changed after signing. */
  readonly tamper?: { readonly fields: JsonObject };
  /** Fields that are changed or left out before signing. */
  readonly edit?: { readonly set?: JsonObject; readonly drop?: readonly string[] };
  /** An exact body that is signed and sent instead of the fields. */
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
  /** The bytes that were signed. */
  readonly payload: Uint8Array;
}

interface Base {
  readonly origin: string;
  readonly host: string;
  /** The path without the slashes at its end. */
  readonly path: string;
}

/** The base URL that was parsed last. Nearly all calls of a run have the same base URL, so it is cached. */
let latest: { readonly text: string; readonly base: Base } | undefined;

function baseOf(target: Target): Base {
  if (latest?.text === target.baseUrl) return latest.base;
  const { origin, host, pathname } = readBase(target);
  const base = { origin, host, path: pathname.replace(/(?<!\/)\/+$/, '') };
  latest = { text: target.baseUrl, base };
  return base;
}

function readBase(target: Target): URL {
  if (!URL.canParse(target.baseUrl)) throw new TypeError('the base URL is not a URL');
  const url = new URL(target.baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('the base URL is not http or https');
  if (url.search !== '' || url.hash !== '') throw new TypeError('the base URL has a query or a fragment');
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the base URL contains a user or password. Send an Authorization header instead');
  }
  return url;
}

function pathOf(base: Base, call: CallName, target: Target): string {
  const own = target.paths?.[call] ?? call;
  if (/[?#\s]/.test(own)) throw new TypeError(`the path of ${call} has a query, a fragment or white space`);
  return `${base.path}/${own.replace(/^\/+/, '')}`;
}

const UNCONFIGURABLE: readonly string[] = ['content-length', 'transfer-encoding', 'expect', 'upgrade'];

function headersOf(own: readonly (readonly [string, string])[], target: Target, signatureName: string): HeaderList {
  const headers = [...own];
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    const wanted = name.toLowerCase();
    if (wanted === signatureName.toLowerCase() || UNCONFIGURABLE.includes(wanted)) {
      throw new TypeError(`the header ${name} is set by croupier and cannot be configured`);
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
 * Builds and signs the exact bytes of a call (contract, Integration Adapter and Authentication). The same call always gives the
 * same bytes.
 *
 * @throws TypeError if the target or the combination of deviations is not valid, or a key is missing
 * @throws NotCanonicalError for fields that JSON cannot represent
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

/** Converts a request to its form in an exchange. */
export function requestOf(request: BuiltRequest): ExchangeRequest {
  const { method, url, headers, body } = request;
  return { method, url, headers, body: body === null ? null : bodyOf(body) };
}
