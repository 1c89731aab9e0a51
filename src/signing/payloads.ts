import { queryOf, readQuery } from '../contract/query.ts';
import { canonicalBody, signedPayload } from '../contract/signature.ts';
import { type Made, made, rarely, wrong } from './construction.ts';
import { placeInContract } from './contract-order.ts';
import { type JsonTree, readTree, writeTree } from './json-tree.ts';
import { rareOfRequest } from './parts-of-request.ts';
import {
  canonical,
  decodeQuery,
  decodings,
  formText,
  formTree,
  params,
  plainForm,
  queryTexts,
  shapes,
} from './query-payloads.ts';
import { anyRequest, isToCoreApi, type SignedRequest } from './request.ts';
import { REWRITINGS } from './rewritings.ts';
import { mistakeIn, TEXT_CHANGES } from './texts.ts';
import { NAME_CHANGES, VALUE_CHANGES } from './values.ts';

/**
 * Returns the payloads that may have been signed for a request. The correct payload comes first. The wrong payloads
 * follow, the likelier ones first.
 */
export function payloadsOf(request: SignedRequest): readonly Made[] {
  return distinct(allOf(request));
}

/**
 * Returns the payload that must be signed for a request, or undefined if its query is not UTF-8. If a name occurs twice
 * in the query, its last value is used, as in most programs.
 */
export function rightPayload(request: SignedRequest): Made | undefined {
  const { body, url } = request;
  if (body !== null) {
    const asSent = made({ id: 'raw-body', mistake: null, fix: 'raw-body' }, body);
    return (isToCoreApi(url) ? coreApiPayload(body) : undefined) ?? asSent;
  }
  const query = queryOf(url);
  const form = params(() => readQuery(query));
  const payload = signedPayload({ method: 'GET', query, body: null }) ?? (form && canonical(form));
  return payload === undefined ? undefined : made({ id: 'canonical-query', mistake: null, fix: 'query' }, payload);
}

/** Matches JSON that a logger or an editor has written on several lines. */
const FORMATTED = /^\s*[{[]\s*\n/;

/** The id of the payload without the line break that an editor or a shell adds at the end of a file. */
export const WITHOUT_LAST_BREAK = 'without-last-break';

/**
 * Returns the body without the line break at its end, if the body was given by itself and is otherwise on one line.
 */
export function withoutLastBreak({ body, isBodyAlone }: SignedRequest): readonly Made[] {
  if (isBodyAlone !== true || body === null || body.length > MAX_BODY) return [];
  const text = Buffer.from(body).toString('utf8');
  const line = text.replace(/\r?\n$/, '');
  if (line === text || line.includes('\n')) return [];
  return [made({ id: WITHOUT_LAST_BREAK, mistake: null, fix: 'raw-body' }, line)];
}

/**
 * Returns the body without line breaks and indentation; returns nothing for a body on one line. The service sends bodies on one
 * line. So if a body has line breaks, somebody has formatted it for people. A program that formats a body may also change the order
 * of the fields. So the second result has sorted fields, as the service writes them.
 */
export function compactPayloads({ body, url }: SignedRequest): readonly Made[] {
  const text = body === null || body.length > MAX_BODY ? '' : Buffer.from(body).toString('utf8');
  const tree = FORMATTED.test(text) && !isToCoreApi(url) ? readTree(text) : undefined;
  if (!tree) return [];
  const construction = { id: COMPACT_BODY, mistake: null, fix: 'raw-body' } as const;
  return [made(construction, writeTree(tree)), made(construction, writeTree(tree, { order: 'sorted' }))];
}

/** The id of the payload that `compactPayloads` makes from a formatted body. */
export const COMPACT_BODY = 'compact-body';

function allOf(request: SignedRequest): readonly Made[] {
  const right = rightPayload(request);
  if (request.body === null) return ofQuery(request, right);
  const all = ofBody(request, Buffer.from(request.body));
  if (right?.id !== 'canonical-body') return all;
  return [right, ...all.map((each): Made => ({ ...each, mistake: each.mistake ?? AS_SENT, fix: 'core-api' }))];
}

const AS_SENT = 'The body was signed as it was sent. For the Core API, sign the canonical JSON of the body.';

/**
 * Returns the canonical JSON of a body. The Core API requires the signature of this JSON, although the body itself may
 * be sent in any JSON form.
 */
function coreApiPayload(body: Uint8Array): Made | undefined {
  const text = canonicalBody(body);
  return text === undefined ? undefined : made({ id: 'canonical-body', mistake: null, fix: 'core-api' }, text);
}

/** Removes every construction that has the same bytes as an earlier construction. */
export function distinct(all: readonly Made[]): readonly Made[] {
  const seen = new Set<string>();
  return all.filter(({ bytes }) => {
    const text = Buffer.from(bytes).toString('latin1');
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** Returns the other constructions that give the same bytes for this request. */
export function sameBytes(request: SignedRequest, { id, bytes }: Made): readonly Made[] {
  const wanted = Buffer.from(bytes);
  const same = new Map(
    allOf(request)
      .filter((other) => wanted.equals(other.bytes))
      .map((other) => [other.id, other]),
  );
  same.delete(id);
  return [...same.values()];
}

/**
 * Maximum length in bytes of a body that is parsed. Real calls are shorter. For a longer body, only changes of its
 * bytes are tried, because hundreds of copies would take too much memory.
 */
const MAX_BODY = 64 * 1024;

function ofBody(request: SignedRequest, body: Buffer): readonly Made[] {
  const right = made({ id: 'raw-body', mistake: null, fix: 'raw-body' }, body);
  if (body.length > MAX_BODY) return [right, ...changed([right], 'raw-body')];
  const tree = readTree(body.toString('utf8').replace(/^\uFEFF/, ''));
  const rewritten = tree ? rewritings(tree, 'raw-body', 'The body was parsed and written') : [];
  const textual = changed([right], 'raw-body');
  return [
    right,
    ...textual.slice(0, 2),
    ...rewritten,
    ...textual.slice(2),
    ...(tree ? ofValues(tree, 'raw-body') : []),
    ...(tree ? ofFields(tree) : []),
    ...anyRequest(request, 'raw-body', body),
    ...rareOfRequest(request, 'raw-body', body),
    ...changed(rewritten.slice(0, 12), 'raw-body').filter(({ id }) =>
      /-(?:trailing-lf|trailing-crlf|latin1|bom)$/.test(id),
    ),
    ...(tree ? permuted(tree, 'raw-body') : []),
  ];
}

function ofQuery(request: SignedRequest, right: Made | undefined): readonly Made[] {
  const query = queryOf(request.url);
  const form = params(() => decodeQuery(query, 'form'));
  const tree = form && formTree(form);
  const rightMade = right === undefined ? [] : [right];
  const sorted = form && formTree(form.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const rewritten =
    tree && sorted
      ? [
          ...rewritings(sorted, 'query', 'The parameters were sorted, and written as JSON').filter(
            ({ id }) => !ORDERS.has(id),
          ),
          ...rewritings(tree, 'query', 'The parameters were written as JSON in the order of the query'),
        ]
      : [];
  return [
    ...rightMade,
    ...decodings(query),
    ...queryTexts(query),
    ...changed(rightMade, 'query'),
    ...rewritten,
    ...(tree ? ofValues(tree, 'query') : []),
    ...(form ? [...shapes(form), ...joined(form, 'query')] : []),
    ...anyRequest(request, 'query', null),
    ...rareOfRequest(request, 'query', null),
    ...(tree ? permuted(tree, 'query') : []),
  ];
}

/**
 * The rewritings that change the order of names. They are not tried with sorted parameters: after such a rewriting, it makes no
 * difference whether the parameters were sorted before.
 */
const ORDERS: ReadonlySet<string> = new Set(['contract-order', 'reversed', 'go-marshal-struct']);

function rewritings(tree: JsonTree, fix: 'raw-body' | 'query', what: string): readonly Made[] {
  return REWRITINGS.map(({ id, how, language, isRare, write }) =>
    made(
      { id, mistake: `${what} ${how}.`, fix, ...(language && { language }), ...(isRare && { isRare }) },
      write(tree),
    ),
  );
}

/**
 * Returns the payload with each change of its values, written in the original order, in sorted order, and as common
 * libraries write JSON.
 */
function ofValues(tree: JsonTree, fix: 'raw-body' | 'query'): readonly Made[] {
  return [...VALUE_CHANGES, ...NAME_CHANGES].flatMap(({ id, mistake, change, isRare }) => {
    const other = change(tree);
    if (writeTree(other) === writeTree(tree)) return [];
    const sorted = writeTree(other, { order: 'sorted' });
    const construction = { id, mistake, fix, ...(isRare && { isRare }) };
    const styles = REWRITINGS.slice(0, 16).map((style) =>
      made(
        { ...construction, id: `${id}+${style.id}`, mistake: `${mistake} It was written ${style.how}.` },
        style.write(other),
      ),
    );
    return [made(construction, writeTree(other)), made(construction, sorted), ...styles];
  });
}

function changed(of: readonly Made[], fix: 'raw-body' | 'query'): readonly Made[] {
  return of.flatMap((payload) =>
    TEXT_CHANGES.flatMap((each) => {
      const { id, change, isRare } = each;
      const before = Buffer.from(payload.bytes);
      const bytes = change(before);
      if (!bytes || before.equals(bytes)) return [];
      const mistake = mistakeIn(each, before);
      const both = payload.mistake === null ? mistake : `${payload.mistake} ${mistake}`;
      const construction = {
        id: payload.mistake === null ? id : `${payload.id}-${id}`,
        mistake: both,
        fix,
        ...(isRare && { isRare }),
      };
      return [made({ ...construction, ...(payload.language && { language: payload.language }) }, bytes)];
    }),
  );
}

const MAX_PERMUTED = 6;

/**
 * Returns the fields in every possible order, because the fields of a struct can have any order. Returns nothing if
 * there are too many fields.
 */
function permuted(tree: JsonTree, fix: 'raw-body' | 'query'): readonly Made[] {
  if (tree.kind !== 'object' || tree.members.length > MAX_PERMUTED || tree.members.length < 2) return [];
  return permutations(tree.members).map((members) =>
    wrong(
      'order-of-fields',
      `The fields were signed in this wrong order: ${members.map(([name]) => name).join(', ')}. ${fix === 'query' ? 'Sort the names' : 'Sign the body as it was sent'}.`,
      writeTree({ kind: 'object', members }),
      fix,
    ),
  );
}

export function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}

/** The texts between the name and the value of a field, and between two fields. */
const BETWEEN_NAME_AND_VALUE = ['', '=', ':', ': '] as const;
const BETWEEN_FIELDS = ['', '&', ';', '|', ',', ', ', ':', '.', '-', '_', ' ', '\n'] as const;

/** Returns the fields joined to a text with any usual separators: the names and values, or only the values. */
function joined(
  pairs: readonly (readonly [name: string, value: string])[],
  fix: 'raw-body' | 'query',
): readonly Made[] {
  const what = fix === 'query' ? 'parameters' : 'fields';
  const orders = [
    pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    pairs,
    pairs.toSorted(([a], [b]) => placeInContract(a) - placeInContract(b)),
  ];
  const shown = (text: string): string => (text === '' ? 'nothing' : JSON.stringify(text));
  const id = fix === 'query' ? 'query' : 'body';
  const lists = orders.flatMap((order) => [
    rarely(
      `${id}-values-list`,
      `Only the values of the ${what} were signed, as a list in JSON.`,
      JSON.stringify(order.map(([, value]) => value)),
      fix,
    ),
    rarely(
      `${id}-pairs-list`,
      `The ${what} were signed as a list of pairs in JSON, each with a name and a value.`,
      JSON.stringify(order),
      fix,
    ),
  ]);
  const texts = orders.flatMap((order) =>
    BETWEEN_FIELDS.flatMap((comma) => [
      rarely(
        comma === '' ? `${id}-values` : `${id}-values-joined`,
        `Only the values of the ${what} were joined (with ${shown(comma)} between them) and signed, without their names.`,
        order.map(([, value]) => value).join(comma),
        fix,
      ),
      ...BETWEEN_NAME_AND_VALUE.map((colon) =>
        rarely(
          comma === '' && colon === '' ? `${id}-names-and-values` : `${id}-joined`,
          `The names and values of the ${what} were joined (with ${shown(colon)} after a name and ${shown(comma)} between the ${what}) and signed.`,
          order.map((pair) => pair.join(colon)).join(comma),
          fix,
        ),
      ),
    ]),
  );
  return [...texts, ...lists];
}

/** The usual names of a form field with the whole body. */
const FORM_FIELDS = ['body', 'data', 'payload', 'json', 'request', 'params', 'message'] as const;

/** Returns the body as the value of one field of a form, in the ways in which programs write this value. */
function asFormField(text: string): readonly Made[] {
  return FORM_FIELDS.flatMap((name) =>
    [
      ['percent-encoded', `${name}=${encodeURIComponent(text.toWellFormed())}`] as const,
      ['percent-encoded with plus signs for spaces', formText([[name, text]])] as const,
      ['not encoded', `${name}=${text}`] as const,
    ].map(([how, payload]) =>
      rarely(
        'form-field',
        `The body was signed as the field ${name} of a form, ${how} (${name}=…).`,
        payload,
        'raw-body',
      ),
    ),
  );
}

const MAX_OMITTED = 20;

/**
 * Returns the fields of a body in forms other than complete JSON, such as an HTML form or a body that lacks a field.
 */
function ofFields(tree: JsonTree): readonly Made[] {
  if (tree.kind !== 'object') return [];
  const pairs = tree.members.map(
    ([name, value]) => [name, value.kind === 'text' ? value.text : writeTree(value)] as const,
  );
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    wrong(
      'body-as-form',
      'The fields were signed as a form (a=1&b=2). Sign the JSON that was sent.',
      formText(pairs),
      'raw-body',
    ),
    wrong(
      'body-as-sorted-form',
      'The fields were sorted and signed as a form (a=1&b=2). Sign the JSON that was sent.',
      formText(sorted),
      'raw-body',
    ),
    wrong(
      'body-as-plain-form',
      'The fields were joined as a=1&b=2 without encoding. Sign the JSON that was sent.',
      plainForm(sorted),
      'raw-body',
    ),
    ...joined(pairs, 'raw-body'),
    ...asFormField(writeTree(tree)),
    wrong(
      'body-without-empty',
      'Empty fields were omitted before signing.',
      writeTree(
        { kind: 'object', members: tree.members.filter(([, value]) => !(value.kind === 'text' && value.text === '')) },
        { order: 'sorted' },
      ),
      'raw-body',
    ),
    ...tree.members
      .slice(0, MAX_OMITTED)
      .map(([omitted]) =>
        wrong(
          `without-${omitted}`,
          `The field ${omitted} was not signed, because the body was read into a type without this field.`,
          writeTree({ kind: 'object', members: tree.members.filter(([name]) => name !== omitted) }),
          'raw-body',
        ),
      ),
  ];
}
