import { type Made, made } from './construction.ts';
import { type JsonTree, readTree, writeTree } from './json-tree.ts';
import { distinct, payloadsOf, permutations } from './payloads.ts';
import { params } from './query-payloads.ts';
import { decodeQuery, formTree, queryOf } from './query-text.ts';
import type { SignedRequest } from './request.ts';
import { anyRequest } from './request-payloads.ts';
import { CONTRACT_ORDER, REWRITINGS, type Rewriting } from './rewritings.ts';
import { TEXT_CHANGES } from './texts.ts';
import { VALUE_CHANGES } from './values.ts';

/** No call is as long, and each combination is a copy. */
const LONGEST = 4096;
const MOST_FIELDS = 20;
const MOST_PERMUTED = 6;
/** The likelier ways of writing, which alone are tried together with two other mistakes. */
const LIKELY = REWRITINGS.slice(0, 16);

/** One way to read a payload otherwise than it was meant, before it is written anew. */
interface TreeChange {
  readonly kind: 'order' | 'values' | 'fields';
  readonly id: string;
  readonly mistake: string;
  readonly change: (tree: JsonTree) => JsonTree;
}

/** A payload as it was read. */
interface Read {
  readonly id: string;
  readonly mistake: string;
  readonly tree: JsonTree;
}

/**
 * What may have been signed of a request when two mistakes were made with its payload (three, of those that often come together);
 * the likelier first. Those of {@link payloadsOf} are not among them.
 */
export function combinedPayloads(request: SignedRequest): readonly Made[] {
  const { body, url } = request;
  if ((body ?? url).length > LONGEST) return [];
  const mend = body === null ? 'query' : 'raw-body';
  const single = payloadsOf(request);
  const read = body === null ? readQuery(queryOf(url)) : readBody(Buffer.from(body));
  const combined = [
    ...read.flatMap((each) => written(each, mend)),
    ...single.flatMap((payload) => changedText(payload)),
    ...read.slice(0, 1).flatMap(({ tree }) => [...wrapped(request, tree), ...permutedAndWritten(tree, mend)]),
  ];
  const known = new Set(single.map(({ bytes }) => Buffer.from(bytes).toString('latin1')));
  return distinct(combined).filter(({ bytes }) => !known.has(Buffer.from(bytes).toString('latin1')));
}

function readBody(body: Buffer): readonly Read[] {
  const tree = readTree(body.toString('utf8').replace(/^\uFEFF/, ''));
  return tree ? [{ id: '', mistake: '', tree }] : [];
}

function readQuery(query: string): readonly Read[] {
  const way = (id: string, mistake: string, decoding: 'form' | 'url' | 'none'): readonly Read[] => {
    const form = params(() => decodeQuery(query, decoding));
    return form ? [{ id, mistake, tree: formTree(form) }] : [];
  };
  return [
    ...way('', '', 'form'),
    ...way('query-undecoded', 'The parameters were not decoded.', 'none'),
    ...way('query-plus-kept', 'A plus in the query was taken for a plus.', 'url'),
  ];
}

const ORDERS: readonly TreeChange[] = [
  {
    kind: 'order',
    id: 'contract-order',
    mistake: 'The fields were put into the order in which a class or struct lists them.',
    change: (tree) => inOrder(tree, (name) => (CONTRACT_ORDER.includes(name) ? CONTRACT_ORDER.indexOf(name) : 99)),
  },
  {
    kind: 'order',
    id: 'reversed',
    mistake: 'The fields were put into reverse order.',
    change: (tree) => (tree.kind === 'object' ? { ...tree, members: tree.members.toReversed() } : tree),
  },
];

const VALUES = VALUE_CHANGES.map((each): TreeChange => ({ ...each, kind: 'values' }));

function inOrder(tree: JsonTree, place: (name: string) => number): JsonTree {
  if (tree.kind !== 'object') return tree;
  return { ...tree, members: tree.members.toSorted(([a], [b]) => place(a) - place(b)) };
}

/** Types that lack a field, or have one that was not sent. */
function fieldChanges(tree: JsonTree): readonly TreeChange[] {
  if (tree.kind !== 'object') return [];
  const names = tree.members.map(([name]) => name);
  const left = names.slice(0, MOST_FIELDS).map(
    (name): TreeChange => ({
      kind: 'fields',
      id: `without-${name}`,
      mistake: `The field ${name} was left out: the body was read into a type that does not have it.`,
      change: (other) =>
        other.kind === 'object' ? { ...other, members: other.members.filter(([each]) => each !== name) } : other,
    }),
  );
  const added = CONTRACT_ORDER.filter((name) => !names.includes(name)).flatMap((name) =>
    (['null', '""'] as const).map(
      (value): TreeChange => ({
        kind: 'fields',
        id: `with-${name}`,
        mistake: `The field ${name}, which was not sent, was signed as ${value}: the type that the body was read into has it.`,
        change: (other) =>
          other.kind === 'object'
            ? { ...other, members: [...other.members, [name, { kind: 'word', word: value }]] }
            : other,
      }),
    ),
  );
  return [...left, ...added];
}

/** Read, changed once or twice, and written in each way. */
function written({ id, mistake, tree }: Read, mend: Made['mend']): readonly Made[] {
  const changes = [...VALUES, ...ORDERS, ...fieldChanges(tree)];
  const once = changes.map((each) => ({ ...each, tree: each.change(tree) }));
  const twice = once.flatMap((first) =>
    changes
      .filter(({ kind }) => kind > first.kind)
      .map((second) => ({
        id: `${first.id}+${second.id}`,
        mistake: `${first.mistake} ${second.mistake}`,
        // Orders come last: what was added has its place too.
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
    bare(`${id}+${of.id}`, `${mistake} ${of.mistake}`, writeTree(of.tree), mend),
    ...styles.map((style) =>
      bare(
        `${id}+${of.id}+${style.id}`,
        `${mistake} ${of.mistake} It was written ${style.how}.`,
        style.write(of.tree),
        mend,
        style.language,
      ),
    ),
  ];
  const asRead = id === '' ? [] : made({ id: '', mistake: '', tree }, REWRITINGS);
  return [...asRead, ...once.flatMap((each) => made(each, REWRITINGS)), ...twice.flatMap((each) => made(each, LIKELY))];
}

function bare(id: string, mistake: string, content: string, mend: Made['mend'], language?: Made['language']): Made {
  const joined = id.replace(/^\++|\++$/g, '').replaceAll(/\+{2,}/g, '+');
  return made(
    { id: joined, mistake: mistake.trim().replaceAll(/ {2,}/g, ' '), mend, ...(language && { language }) },
    content,
  );
}

function changedText({ id, mistake, mend, language, bytes }: Made): readonly Made[] {
  return TEXT_CHANGES.flatMap((change) => {
    const content = change.change(Buffer.from(bytes));
    const both = [mistake, change.mistake].filter((each) => each !== null).join(' ');
    return content
      ? [made({ id: `${id}+${change.id}`, mistake: both, mend, ...(language && { language }) }, content)]
      : [];
  });
}

/** Method, path or URL beside a body that was written anew. */
function wrapped(request: SignedRequest, tree: JsonTree): readonly Made[] {
  if (request.body === null) return [];
  return REWRITINGS.flatMap((style) =>
    anyRequest(request, 'raw-body', Buffer.from(style.write(tree))).map(
      (each): Made => ({
        ...each,
        id: `${style.id}+${each.id}`,
        mistake: `The body was written anew ${style.how}. ${each.mistake ?? ''}`,
        ...(style.language && { language: style.language }),
      }),
    ),
  );
}

function permutedAndWritten(tree: JsonTree, mend: Made['mend']): readonly Made[] {
  if (tree.kind !== 'object' || tree.members.length > MOST_PERMUTED) return [];
  return permutations(tree.members).flatMap((members) =>
    LIKELY.map((style) =>
      bare(
        `order-of-fields+${style.id}`,
        `The fields were signed in another order (${members.map(([name]) => name).join(', ')}). They were written ${style.how}.`,
        style.write({ kind: 'object', members }),
        mend,
        style.language,
      ),
    ),
  );
}
