import { canonicalJson, NotCanonicalError } from '../../contract/canonical.ts';
import { readJson } from '../../contract/json-text.ts';
import { type Made, made, wrong } from './construction.ts';
import { ofFields } from './field-payloads.ts';
import { type JsonTree, readTree, writeTree } from './json-tree.ts';
import { canonical, decodings, params, queryTexts, shapes } from './query-payloads.ts';
import { decodeQuery, formTree, queryOf } from './query-text.ts';
import { isToCoreApi, type SignedRequest } from './request.ts';
import { anyRequest } from './request-payloads.ts';
import { REWRITINGS } from './rewritings.ts';
import { TEXT_CHANGES } from './texts.ts';
import { VALUE_CHANGES } from './values.ts';

/** Everything that may have been signed of a request: what should be comes first, then the likelier mistakes. */
export function payloadsOf(request: SignedRequest): readonly Made[] {
  return distinct(allOf(request));
}

/** What has to be signed of a request; undefined: nobody can say, as its query is no UTF-8. */
export function rightPayload(request: SignedRequest): Made | undefined {
  if (request.body !== null) {
    const asSent = made({ id: 'raw-body', mistake: null, mend: 'raw-body' }, request.body);
    return (isToCoreApi(request.url) ? canonicalBody(request.body) : undefined) ?? asSent;
  }
  const form = params(() => decodeQuery(request.url, 'form'));
  const text = form && canonical(form);
  return text === undefined ? undefined : made({ id: 'canonical-query', mistake: null, mend: 'query' }, text);
}

function allOf(request: SignedRequest): readonly Made[] {
  const right = rightPayload(request);
  if (request.body === null) return ofQuery(request, right);
  const all = ofBody(request, Buffer.from(request.body));
  if (right?.id !== 'canonical-body') return all;
  return [right, ...all.map((each): Made => ({ ...each, mistake: each.mistake ?? AS_SENT, mend: 'core-api' }))];
}

const AS_SENT = 'The body was signed as it was sent; for the Core API its canonical JSON is signed.';

/** For the Core API a body may be sent in any form, and its canonical one is signed. */
function canonicalBody(body: Uint8Array): Made | undefined {
  const reading = readJson(body);
  if (reading.kind === 'refused') return undefined;
  try {
    return made({ id: 'canonical-body', mistake: null, mend: 'core-api' }, canonicalJson(reading.value));
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

/** Bytes that come to the same are told once, as the first of them; of another language they may be another mistake. */
export function distinct(all: readonly Made[]): readonly Made[] {
  const seen = new Set<string>();
  return all.filter(({ bytes }) => {
    const text = Buffer.from(bytes).toString('latin1');
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** Constructions that give the very same bytes for this request, beside the one that is named. */
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

/** No call is as long; of a longer body only the bytes are changed, or there would be hundreds of copies of it. */
const LONGEST_BODY = 64 * 1024;

function ofBody(request: SignedRequest, body: Buffer): readonly Made[] {
  const right = made({ id: 'raw-body', mistake: null, mend: 'raw-body' }, body);
  if (body.length > LONGEST_BODY) return [right, ...changed([right], 'raw-body')];
  const tree = readTree(body.toString('utf8').replace(/^\uFEFF/, ''));
  const rewritten = tree ? rewritings(tree, 'raw-body', 'The body was parsed and written anew') : [];
  const textual = changed([right], 'raw-body');
  return [
    right,
    ...textual.slice(0, 2),
    ...rewritten,
    ...textual.slice(2),
    ...(tree ? ofValues(tree, 'raw-body') : []),
    ...(tree ? ofFields(tree) : []),
    ...anyRequest(request, 'raw-body', body),
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
  const rewritten = tree ? rewritings(tree, 'query', 'The parameters were written as JSON') : [];
  return [
    ...rightMade,
    ...decodings(query),
    ...queryTexts(query),
    ...changed(rightMade, 'query'),
    ...rewritten,
    ...(tree ? ofValues(tree, 'query') : []),
    ...(form ? shapes(form) : []),
    ...anyRequest(request, 'query', null),
    ...(tree ? permuted(tree, 'query') : []),
  ];
}

function rewritings(tree: JsonTree, mend: 'raw-body' | 'query', what: string): readonly Made[] {
  return REWRITINGS.flatMap(({ id, how, language, write }) => [
    made({ id, mistake: `${what} ${how}.`, mend, ...(language && { language }) }, write(tree)),
  ]);
}

/** Each change of values, in its own order and sorted, as the usual libraries write it. */
function ofValues(tree: JsonTree, mend: 'raw-body' | 'query'): readonly Made[] {
  return VALUE_CHANGES.flatMap(({ id, mistake, change }) => {
    const other = change(tree);
    if (writeTree(other) === writeTree(tree)) return [];
    const sorted = writeTree(other, { order: 'sorted' });
    const construction = { id, mistake, mend };
    const styles = REWRITINGS.slice(0, 16).map((style) =>
      made(
        { ...construction, id: `${id}+${style.id}`, mistake: `${mistake} It was written ${style.how}.` },
        style.write(other),
      ),
    );
    return [made(construction, writeTree(other)), made(construction, sorted), ...styles];
  });
}

function changed(of: readonly Made[], mend: 'raw-body' | 'query'): readonly Made[] {
  return of.flatMap((payload) =>
    TEXT_CHANGES.flatMap(({ id, mistake, change }) => {
      const bytes = change(Buffer.from(payload.bytes));
      if (!bytes || Buffer.from(payload.bytes).equals(bytes)) return [];
      const both = payload.mistake === null ? mistake : `${payload.mistake} ${mistake}`;
      const construction = { id: payload.mistake === null ? id : `${payload.id}-${id}`, mistake: both, mend };
      return [made({ ...construction, ...(payload.language && { language: payload.language }) }, bytes)];
    }),
  );
}

const MOST_PERMUTED = 6;

/** Every order of a few fields: structs list theirs as they please. */
function permuted(tree: JsonTree, mend: 'raw-body' | 'query'): readonly Made[] {
  if (tree.kind !== 'object' || tree.members.length > MOST_PERMUTED || tree.members.length < 2) return [];
  return permutations(tree.members).map((members) =>
    wrong(
      'order-of-fields',
      `The fields were signed in another order (${members.map(([name]) => name).join(', ')}); ${mend === 'query' ? 'names are sorted' : 'the body is signed as it was sent'}.`,
      writeTree({ kind: 'object', members }),
      mend,
    ),
  );
}

export function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}
