import { queryOf } from '../contract/query.ts';
import { type Made, made } from './construction.ts';
import { CONTRACT_ORDER, placeInContract } from './contract-order.ts';
import { type JsonTree, readTree, writeTree } from './json-tree.ts';
import { distinct, payloadsOf, permutations } from './payloads.ts';
import { decodeQuery, formTree, params } from './query-payloads.ts';
import { anyRequest, type SignedRequest } from './request.ts';
import type { Rewriting } from './rewriting.ts';
import { REWRITINGS } from './rewritings.ts';
import { mistakeIn, TEXT_CHANGES } from './texts.ts';
import { NAME_CHANGES, VALUE_CHANGES } from './values.ts';

/**
 * Maximum length of a body or URL in characters. Real calls are shorter, and every combination of mistakes needs its
 * own copy.
 */
const MAX_LENGTH = 4096;
const MAX_FIELDS = 20;
const MAX_PERMUTED = 6;
/** The rewritings that occur most often. Only these are tried together with two other mistakes. */
const LIKELY = REWRITINGS.slice(0, 16);
/** These rewritings, and the one of Go, whose structs have their fields in any order. */
const OF_STRUCTS = [...LIKELY, ...REWRITINGS.filter(({ id }) => id === 'go-marshal-fields')];
const COMMON = REWRITINGS.filter(({ isRare }) => !isRare);
const COMMON_CHANGES = TEXT_CHANGES.filter(({ isRare }) => !isRare);

/**
 * One change that a program makes to a payload after it has parsed the payload and before it writes the payload again.
 */
interface TreeChange {
  readonly kind: 'fields' | 'names' | 'order' | 'values';
  readonly id: string;
  readonly mistake: string;
  readonly change: (tree: JsonTree) => JsonTree;
}

/** A payload after parsing. The id and the mistake are empty if the payload was parsed correctly. */
interface ParsedPayload {
  readonly id: string;
  readonly mistake: string;
  readonly tree: JsonTree;
}

/**
 * Returns the payloads that may have been signed for a request because of two mistakes, or of three mistakes that often
 * occur together.
 * The likelier payloads come first. Payloads that {@link payloadsOf} returns are left out.
 */
export function combinedPayloads(request: SignedRequest): readonly Made[] {
  const { body, url } = request;
  if ((body ?? url).length > MAX_LENGTH) return [];
  const fix = body === null ? 'query' : 'raw-body';
  const single = payloadsOf(request);
  const parsed = body === null ? parseQuery(queryOf(url)) : parseBody(Buffer.from(body));
  const combined = [
    ...parsed.flatMap((each) => serialized(each, fix)),
    ...single.filter(({ isRare }) => !isRare).flatMap((payload) => changedText(payload)),
    ...parsed.slice(0, 1).flatMap(({ tree }) => [...wrapped(request, tree), ...permutedAndWritten(tree, fix)]),
  ];
  const known = new Set(single.map(({ bytes }) => Buffer.from(bytes).toString('latin1')));
  return distinct(combined).filter(({ bytes }) => !known.has(Buffer.from(bytes).toString('latin1')));
}

function parseBody(body: Buffer): readonly ParsedPayload[] {
  const tree = readTree(body.toString('utf8').replace(/^\uFEFF/, ''));
  return tree ? [{ id: '', mistake: '', tree }] : [];
}

function parseQuery(query: string): readonly ParsedPayload[] {
  const way = (id: string, mistake: string, decoding: 'form' | 'url' | 'none'): readonly ParsedPayload[] => {
    const form = params(() => decodeQuery(query, decoding));
    return form ? [{ id, mistake, tree: formTree(form) }] : [];
  };
  return [
    ...way('', '', 'form'),
    ...way('query-undecoded', 'The parameters of the query were signed without decoding them.', 'none'),
    ...way('query-plus-kept', 'A plus sign in the query was not decoded as a space.', 'url'),
  ];
}

const ORDERS: readonly TreeChange[] = [
  {
    kind: 'order',
    id: 'contract-order',
    mistake: 'The fields were signed in the order of a class or struct.',
    change: (tree) => inOrder(tree, placeInContract),
  },
  {
    kind: 'order',
    id: 'reversed',
    mistake: 'The fields were signed in reverse order.',
    change: (tree) => (tree.kind === 'object' ? { ...tree, members: tree.members.toReversed() } : tree),
  },
];

const VALUES = VALUE_CHANGES.filter(({ isRare }) => !isRare).map((each): TreeChange => ({ ...each, kind: 'values' }));
const NAMES = NAME_CHANGES.filter(({ isRare }) => !isRare).map((each): TreeChange => ({ ...each, kind: 'names' }));

function inOrder(tree: JsonTree, place: (name: string) => number): JsonTree {
  if (tree.kind !== 'object') return tree;
  return { ...tree, members: tree.members.toSorted(([a], [b]) => place(a) - place(b)) };
}

/**
 * Returns the changes that occur when the body is read into a type. Such a type may lack a field, or may have a field
 * that was not sent.
 */
function fieldChanges(tree: JsonTree): readonly TreeChange[] {
  if (tree.kind !== 'object') return [];
  const names = tree.members.map(([name]) => name);
  const omitted = names.slice(0, MAX_FIELDS).map(
    (name): TreeChange => ({
      kind: 'fields',
      id: `without-${name}`,
      mistake: `The field ${name} was not signed, because the body was read into a type without this field.`,
      change: (other) =>
        other.kind === 'object' ? { ...other, members: other.members.filter(([each]) => each !== name) } : other,
    }),
  );
  const pairs = names.slice(0, MAX_PERMUTED).flatMap((first, index) =>
    names.slice(index + 1, MAX_PERMUTED).map(
      (second): TreeChange => ({
        kind: 'fields',
        id: `without-${first}-and-${second}`,
        mistake: `The fields ${first} and ${second} were not signed, because the body was read into a type without these fields.`,
        change: (other) =>
          other.kind === 'object'
            ? { ...other, members: other.members.filter(([each]) => each !== first && each !== second) }
            : other,
      }),
    ),
  );
  const added = CONTRACT_ORDER.filter((name) => !names.includes(name)).flatMap((name) =>
    (['null', '""'] as const).map(
      (value): TreeChange => ({
        kind: 'fields',
        id: `with-${name}`,
        mistake: `The field ${name} was signed as ${value}, although it was not sent. The body was read into a type with this field.`,
        change: (other) =>
          other.kind === 'object'
            ? { ...other, members: [...other.members, [name, { kind: 'word', word: value }]] }
            : other,
      }),
    ),
  );
  return [...omitted, ...pairs, ...added];
}

/** Returns every serialization of a payload after one or two changes. */
function serialized({ id, mistake, tree }: ParsedPayload, fix: Made['fix']): readonly Made[] {
  const changes = [...VALUES, ...NAMES, ...ORDERS, ...fieldChanges(tree)];
  const once = changes.map((each) => ({ ...each, tree: each.change(tree) }));
  const twice = once.flatMap((first) =>
    changes
      .filter(({ kind }) => kind > first.kind)
      .map((second) => ({
        id: `${first.id}+${second.id}`,
        mistake: `${first.mistake} ${second.mistake}`,
        // The order is applied last because an added field must also be put into that order.
        tree:
          second.kind === 'order' || first.kind !== 'order'
            ? second.change(first.tree)
            : first.change(second.change(tree)),
      })),
  );
  const made = (
    of: { readonly id: string; readonly mistake: string; readonly tree: JsonTree },
    styles: readonly Rewriting[],
  ) => [
    bare(`${id}+${of.id}`, `${mistake} ${of.mistake}`, writeTree(of.tree), fix),
    ...styles.map((style) =>
      bare(
        `${id}+${of.id}+${style.id}`,
        `${mistake} ${of.mistake} It was written ${style.how}.`,
        style.write(of.tree),
        fix,
        style.language,
      ),
    ),
  ];
  const asRead = id === '' ? [] : made({ id: '', mistake: '', tree }, COMMON);
  return [...asRead, ...once.flatMap((each) => made(each, COMMON)), ...twice.flatMap((each) => made(each, LIKELY))];
}

function bare(id: string, mistake: string, content: string, fix: Made['fix'], language?: Made['language']): Made {
  const joined = id.replace(/^\++|(?<!\+)\++$/g, '').replaceAll(/\+{2,}/g, '+');
  return made(
    { id: joined, mistake: mistake.trim().replaceAll(/ {2,}/g, ' '), fix, ...(language && { language }) },
    content,
  );
}

function changedText({ id, mistake, fix, language, bytes }: Made): readonly Made[] {
  return COMMON_CHANGES.flatMap((change) => {
    const content = change.change(Buffer.from(bytes));
    const both = [mistake, mistakeIn(change, Buffer.from(bytes))].filter((each) => each !== null).join(' ');
    return content
      ? [made({ id: `${id}+${change.id}`, mistake: both, fix, ...(language && { language }) }, content)]
      : [];
  });
}

/**
 * Returns payloads in which the method, the path or the URL is joined with the body, after the body was parsed and
 * written again.
 */
function wrapped(request: SignedRequest, tree: JsonTree): readonly Made[] {
  if (request.body === null) return [];
  return COMMON.flatMap((style) =>
    anyRequest(request, 'raw-body', Buffer.from(style.write(tree))).map(
      (each): Made => ({
        ...each,
        id: `${style.id}+${each.id}`,
        mistake: `The body was parsed and written ${style.how}. ${each.mistake ?? ''}`,
        ...(style.language && { language: style.language }),
      }),
    ),
  );
}

function permutedAndWritten(tree: JsonTree, fix: Made['fix']): readonly Made[] {
  if (tree.kind !== 'object' || tree.members.length > MAX_PERMUTED) return [];
  const sorted = writeTree(tree, { order: 'sorted' });
  const wrong = permutations(tree.members).filter(
    (members) => fix === 'raw-body' || writeTree({ kind: 'object', members }) !== sorted,
  );
  return wrong.flatMap((members) =>
    OF_STRUCTS.map((style) =>
      bare(
        `order-of-fields+${style.id}`,
        `The fields were signed in this wrong order: ${members.map(([name]) => name).join(', ')}. They were written ${style.how}.`,
        style.write({ kind: 'object', members }),
        fix,
        style.language,
      ),
    ),
  );
}
