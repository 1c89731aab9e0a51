import { createHash } from 'node:crypto';
import { queryOf } from '../contract/query.ts';
import { type Made, rarely } from './construction.ts';
import { readTree } from './json-tree.ts';
import { canonical, decodeQuery, params } from './query-payloads.ts';
import { pathOf, type SignedRequest } from './request.ts';

/** The texts that programming languages print for a missing or wrong value. */
const NOTHING_TEXTS = ['None', 'nil', '<nil>', 'NULL', 'true', 'false', '0', '1', 'NaN', ' ', '\n'] as const;
/** The texts that languages print for an object of a type, if it has no text of its own. */
const TYPE_TEXTS = [
  '[object Promise]',
  '[object ReadableStream]',
  '[object ArrayBuffer]',
  '[object Uint8Array]',
  '[object Blob]',
  'Array',
  '<QueryDict: {}>',
  'ImmutableMultiDict([])',
  'System.Byte[]',
  'System.IO.MemoryStream',
  'System.Collections.Generic.Dictionary`2[System.String,System.String]',
  'System.Collections.Generic.Dictionary`2[System.String,System.Object]',
  'Newtonsoft.Json.Linq.JObject',
] as const;

/** The texts that programs put between the parts that they sign. */
const SEPARATORS = ['', '\n', '.', ':', '|', '&', ',', '-', ' '] as const;

/** The names of headers whose values are secret, or are not known before the request is signed. */
const NOT_SIGNED = /^(?:proxy-)?authorization$|^cookie$|sign|token|secret|api-?key|password|^content-length$/i;
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 200;

/** One part of a request, with its name in a sentence. */
interface Part {
  readonly id: string;
  readonly what: string;
  readonly text: string;
}

/**
 * Returns payloads that programs rarely sign by mistake: a text that stands for nothing, or parts of the request with or without
 * the body.
 */
export function rareOfRequest(request: SignedRequest, fix: 'raw-body' | 'query', body: Buffer | null): readonly Made[] {
  const { method, url } = request;
  const nothing = NOTHING_TEXTS.map((text) =>
    rarely(
      'text-of-nothing',
      `The text ${JSON.stringify(text)} was signed instead of the payload, because a variable had no value, or a wrong one.`,
      text,
      fix,
    ),
  );
  const types = TYPE_TEXTS.map((type) =>
    rarely('text-of-type', `The name of a type (${type}) was signed, because an object was used as a text.`, type, fix),
  );
  const text = body?.toString('utf8') ?? '';
  const fields = body === null ? (params(() => decodeQuery(queryOf(url), 'form')) ?? []) : fieldsOf(text);
  return [
    ...nothing,
    ...types,
    ...fields.flatMap(([name, value]) => [
      rarely(`only-${name}`, `Only the value of ${name} was signed. Sign the whole payload.`, value, fix),
      rarely(`only-${name}`, `Only ${name}=… was signed. Sign the whole payload.`, `${name}=${value}`, fix),
    ]),
    ...someValues(fields, fix),
    ...(text === '' ? [] : aroundBody(request, text, fields)),
    ...SEPARATORS.map((mark) =>
      rarely('method-url', 'The method and the URL were signed instead of the payload.', `${method}${mark}${url}`, fix),
    ),
    ...withHeaders(request, body === null ? (canonical(fields) ?? '') : text, fix),
  ];
}

/** The largest number of values of which every order is tried. */
const MAX_ORDERED = 5;

/** Returns the values of two or more fields in every order. */
function someValues(
  fields: readonly (readonly [name: string, value: string])[],
  fix: 'raw-body' | 'query',
): readonly Made[] {
  const selections = orderedSelections(fields.slice(0, MAX_ORDERED)).filter(({ length }) => length > 1);
  return selections.flatMap((chosen) =>
    SEPARATORS.map((mark) => {
      const names = chosen.map(([name]) => name).join(', ');
      const mistake = `Only the values of ${names} were signed, in this order. Sign the whole payload.`;
      return rarely('some-values', mistake, chosen.map(([, value]) => value).join(mark), fix);
    }),
  );
}

function orderedSelections<T>(items: readonly T[]): readonly (readonly T[])[] {
  return [
    [],
    ...items.flatMap((item) => orderedSelections(items.filter((one) => one !== item)).map((rest) => [item, ...rest])),
  ];
}

function aroundBody(
  { method, url }: SignedRequest,
  text: string,
  fields: readonly (readonly [string, string])[],
): readonly Made[] {
  const path = pathOf(url).split('?', 1)[0] ?? '';
  const query = queryOf(url);
  const host = URL.parse(url)?.host ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parts: readonly Part[] = [
    { id: 'path', what: 'The path', text: path },
    { id: 'name', what: 'The name of the call', text: name },
    { id: 'name', what: 'The name of the call with a slash', text: `/${name}` },
    { id: 'method', what: 'The method', text: method },
    { id: 'url', what: 'The URL', text: url },
    { id: 'length', what: 'The length of the body', text: String(Buffer.byteLength(text)) },
    { id: 'content-type', what: 'The content type', text: 'application/json' },
    ...fields.map(([field, value]) => ({ id: field, what: `The value of ${field}`, text: value })),
  ];
  const hash = createHash('sha256').update(text).digest('hex');
  return SEPARATORS.flatMap((mark) => [
    ...parts
      .filter((part) => part.text !== '' && part.text !== '/')
      .flatMap(({ id, what, text: part }) => [
        rarely(
          `${id}-body`,
          `${what} was signed together with the body, before it. Sign only the body.`,
          `${part}${mark}${text}`,
          'raw-body',
        ),
        rarely(
          `body-${id}`,
          `${what} was signed together with the body, after it. Sign only the body.`,
          `${text}${mark}${part}`,
          'raw-body',
        ),
      ]),
    rarely(
      'method-path-body',
      'The method and the path were signed together with the body. Sign only the body.',
      [method, path, text].join(mark),
      'raw-body',
    ),
    rarely(
      'method-url-body',
      'The method and the URL were signed together with the body. Sign only the body.',
      [method, url, text].join(mark),
      'raw-body',
    ),
    rarely(
      'method-path-hash',
      'The method, the path and the SHA-256 of the body were signed. Sign only the body.',
      [method, path, hash].join(mark),
      'raw-body',
    ),
    // The canonical request of AWS has a line for the query, also if there is no query.
    rarely(
      'method-path-query-hash',
      'The method, the path, the query and the SHA-256 of the body were signed. Sign only the body.',
      [method, path, query, hash].join(mark),
      'raw-body',
    ),
    rarely(
      'method-path-query-body',
      'The method, the path and the query were signed together with the body. Sign only the body.',
      [method, path, query, text].join(mark),
      'raw-body',
    ),
    rarely(
      'method-host-path-body',
      'The method, the host and the path were signed together with the body. Sign only the body.',
      [method, host, path, text].join(mark),
      'raw-body',
    ),
  ]);
}

/** Names of headers with a time, a nonce or an id of the request. Programs also sign two of them together. */
const OF_REQUEST = /time|date|nonce|request-?id|(?:^|-)ts$/i;
const MAX_PAIRED = 4;

/**
 * Returns the payload together with one other header, such as a time stamp, and perhaps with the method and the path. Also returns it
 * together with two headers.
 */
function withHeaders(request: SignedRequest, payload: string, fix: Made['fix']): readonly Made[] {
  const { method, url, headers = [], signature = '' } = request;
  const path = pathOf(url);
  const bare = path.split('?', 1)[0] ?? '';
  const signed = headers
    .filter(([name, value]) => !NOT_SIGNED.test(name) && value !== '' && value.length <= MAX_HEADER_LENGTH)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => ({ what: `header ${name}`, name, value }));
  // The header of Stripe is t=TIME,v1=SIGNATURE.
  const time = /^ts?=(\d{10,13})[,;]/.exec(signature)?.[1];
  const parts = [
    ...signed,
    ...(time === undefined ? [] : [{ what: 'time in the header of the signature', name: 't', value: time }]),
  ];
  const alone = parts.flatMap(({ what, name, value }) => {
    const mistake = (others: string): string =>
      `The ${what} was signed together with ${others}. Sign only the payload.`;
    return headerTexts(name, value).flatMap((text) =>
      SEPARATORS.flatMap((mark) => [
        ...[`${text}${mark}${payload}`, `${payload}${mark}${text}`, `v0${mark}${text}${mark}${payload}`].map(
          (content) => rarely('header-and-payload', mistake('the payload'), content, fix),
        ),
        ...distinctTexts(bare, path).flatMap((place) =>
          [
            [text, method, place, payload],
            [method, place, text, payload],
            [method, place, payload, text],
            [text, place, payload],
            [place, text, payload],
          ].map((joined) => rarely('header-path-payload', mistake('the path and the payload'), joined.join(mark), fix)),
        ),
      ]),
    );
  });
  const paired = signed.filter(({ name }) => OF_REQUEST.test(name)).slice(0, MAX_PAIRED);
  const pairs = paired.flatMap((one) => paired.flatMap((other) => (one === other ? [] : [[one, other] as const])));
  const together = pairs.flatMap(([one, other]) => {
    const mistake = `The ${one.what} and the ${other.what} were signed together with the payload. Sign only the payload.`;
    return SEPARATORS.flatMap((mark) => [
      rarely('headers-and-payload', mistake, [one.value, other.value, payload].join(mark), fix),
      rarely('headers-and-payload', mistake, [payload, one.value, other.value].join(mark), fix),
    ]);
  });
  return [...alone, ...together];
}

/** Returns the value of a header as programs sign it. A time may be signed in seconds although it is sent in milliseconds. */
function headerTexts(name: string, value: string): readonly string[] {
  const inSeconds = /^\d{13}$/.test(value) ? [value.slice(0, -3)] : [];
  return [value, ...inSeconds, `${name}:${value}`, `${name.toLowerCase()}:${value}`];
}

function distinctTexts(...texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** Returns the ids and the amount in a body. */
function fieldsOf(text: string): readonly (readonly [field: string, value: string])[] {
  const tree = readTree(text);
  if (tree?.kind !== 'object') return [];
  return tree.members.flatMap(([name, value]) =>
    value.kind === 'text' && value.text !== '' && /ID$|^amount$/.test(name) ? [[name, value.text] as const] : [],
  );
}
