import { type JsonTree, mapTree } from './json-tree.ts';

/** One way to change the values of a payload before it is written as JSON. */
export interface ValueChange {
  readonly id: string;
  /** The mistake as a sentence for the operator. */
  readonly mistake: string;
  readonly change: (tree: JsonTree) => JsonTree;
  /** True if the change is not tried together with two other mistakes, because it occurs rarely. */
  readonly isRare?: true;
}

const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;

type Rewrite = (text: string) => JsonTree | undefined;

/**
 * Returns a function that rewrites the decimal numbers in strings.
 *
 * @param which `amount` rewrites only the field `amount`, and `all` rewrites every such number
 */
function rewriting(which: 'amount' | 'all', rewrite: Rewrite): (tree: JsonTree) => JsonTree {
  return (tree) =>
    mapTree(tree, (value, name) =>
      value.kind === 'text' && DECIMAL.test(value.text) && (which === 'all' || name === 'amount')
        ? (rewrite(value.text) ?? value)
        : value,
    );
}

const word: Rewrite = (text) => ({ kind: 'word', word: text });
const text = (value: string): JsonTree => ({ kind: 'text', text: value });

function shortest(decimal: string): string {
  return String(Number(decimal));
}

/** Writes a decimal number in the form that many programming languages use for a float: with at least one digit after the point. */
function float(decimal: string): string {
  const short = shortest(decimal);
  return short.includes('.') || short.includes('e') ? short : `${short}.0`;
}

function twoDecimals(decimal: string): string {
  return Number(decimal).toFixed(2);
}

function withDecimals(decimal: string, decimals: number): string {
  const [whole = '', part = ''] = decimal.split('.');
  return part.length > decimals ? decimal : `${whole}.${part.padEnd(decimals, '0')}`;
}

function rounded(decimal: string): string {
  return String(Math.round(Number(decimal)));
}

function cents(decimal: string): string {
  return String(Math.round(Number(decimal) * 100));
}

function numberWritten(written: string): string {
  const value = Number(written);
  return Number.isFinite(value) ? JSON.stringify(value) : written;
}

/** Renames the fields of the body. */
function renamed(tree: JsonTree, rename: (name: string) => string): JsonTree {
  if (tree.kind !== 'object') return tree;
  return { kind: 'object', members: tree.members.map(([name, value]) => [rename(name), value] as const) };
}

/** Adds the fields that the body does not have, with the value null. */
function withNulls(tree: JsonTree, names: readonly string[]): JsonTree {
  if (tree.kind !== 'object') return tree;
  const known = new Set(tree.members.map(([name]) => name));
  const added = names.filter((name) => !known.has(name)).map((name) => [name, { kind: 'word', word: 'null' }] as const);
  return { kind: 'object', members: [...tree.members, ...added] };
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function snake(name: string): string {
  return name.replace(/ID$/, 'Id').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Rewrites every UUID in the body. */
function uuids(tree: JsonTree, rewrite: (uuid: string) => string): JsonTree {
  return mapTree(tree, (value) => (value.kind === 'text' && UUID.test(value.text) ? text(rewrite(value.text)) : value));
}

/** Changes that programs make to amounts and other values before they sign them. */
export const VALUE_CHANGES: readonly ValueChange[] = [
  {
    id: 'amount-number',
    mistake:
      'The amount was signed as a number (1.00) instead of as a string ("1.00"). Sign it as a string, exactly as it was sent.',
    change: rewriting('amount', word),
  },
  {
    id: 'amount-number-short',
    mistake: 'The amount was signed as a number without the zeros at its end (1.00 became 1). Sign it as a string.',
    change: rewriting('amount', (value) => word(shortest(value))),
  },
  {
    id: 'amount-number-float',
    mistake: 'The amount was signed as a float (1.00 became 1.0). Sign it as a string.',
    change: rewriting('amount', (value) => word(float(value))),
  },
  {
    id: 'amount-text-short',
    mistake: 'The zeros at the end of the amount were lost (1.00 became "1").',
    change: rewriting('amount', (value) => text(shortest(value))),
  },
  {
    id: 'amount-text-float',
    mistake: 'The amount was converted to a float and back to text (1.00 became "1.0").',
    change: rewriting('amount', (value) => text(float(value))),
  },
  {
    id: 'amount-text-two-decimals',
    mistake: 'The amount was signed with two decimals, not with the digits that were sent.',
    change: rewriting('amount', (value) => text(twoDecimals(value))),
  },
  ...[3, 4, 6, 8].map(
    (decimals): ValueChange => ({
      id: `amount-text-${decimals}-decimals`,
      isRare: true,
      mistake: `The amount was signed with ${decimals} decimals, not with the digits that were sent.`,
      change: rewriting('amount', (value) => text(withDecimals(value, decimals))),
    }),
  ),
  {
    id: 'amount-comma',
    isRare: true,
    mistake: 'The amount was signed with a comma in place of the point (1.00 became "1,00").',
    change: rewriting('amount', (value) => text(value.replace('.', ','))),
  },
  {
    id: 'amount-rounded',
    isRare: true,
    mistake: 'The amount was signed without its decimals, rounded to a whole number.',
    change: rewriting('amount', (value) => text(rounded(value))),
  },
  {
    id: 'amount-cut',
    isRare: true,
    mistake: 'The amount was signed without its decimals, which were cut off.',
    change: rewriting('amount', (value) => text(value.split('.', 1)[0] ?? '')),
  },
  {
    id: 'amount-negative',
    isRare: true,
    mistake: 'The amount was signed with a minus sign, as a debit.',
    change: rewriting('amount', (value) => text(`-${value}`)),
  },
  {
    id: 'amount-null',
    isRare: true,
    mistake: 'The amount was signed as null, because it could not be read into its type.',
    change: rewriting('amount', () => word('null')),
  },
  {
    id: 'amount-object',
    isRare: true,
    mistake: 'The amount was signed as an empty object, because the JSON library cannot write its type.',
    change: rewriting('amount', () => ({ kind: 'object', members: [] })),
  },
  {
    id: 'amount-cents',
    mistake: 'The amount was signed in cents, as a number.',
    change: rewriting('amount', (value) => word(cents(value))),
  },
  {
    id: 'amount-text-cents',
    mistake: 'The amount was signed in cents, as a string.',
    change: rewriting('amount', (value) => text(cents(value))),
  },
  {
    id: 'uuids-upper-case',
    isRare: true,
    mistake: 'The UUIDs were signed in upper case. Sign them exactly as they were sent.',
    change: (tree) => uuids(tree, (uuid) => uuid.toUpperCase()),
  },
  {
    id: 'uuids-lower-case',
    isRare: true,
    mistake: 'The UUIDs were signed in lower case. Sign them exactly as they were sent.',
    change: (tree) => uuids(tree, (uuid) => uuid.toLowerCase()),
  },
  {
    id: 'uuids-without-hyphens',
    isRare: true,
    mistake: 'The UUIDs were signed without their hyphens. Sign them exactly as they were sent.',
    change: (tree) => uuids(tree, (uuid) => uuid.replaceAll('-', '')),
  },
  {
    id: 'numbers',
    mistake: 'Every value that looks like a number was signed as a number. Sign these values as strings.',
    change: rewriting('all', word),
  },
  {
    id: 'numbers-short',
    mistake:
      'Every value that looks like a number was signed as the shortest number (JSON_NUMERIC_CHECK of PHP does this). Sign these values as strings.',
    change: rewriting('all', (value) => word(shortest(value))),
  },
  {
    id: 'numbers-float',
    mistake: 'Every value with decimals was signed as a float (1.00 became 1.0). Sign these values as strings.',
    change: rewriting('all', (value) => word(value.includes('.') ? float(value) : shortest(value))),
  },
  {
    id: 'ids-as-numbers',
    isRare: true,
    mistake: 'The ids that consist of digits were signed as numbers. Sign them as strings.',
    change: (tree) =>
      mapTree(tree, (value, name) =>
        value.kind === 'text' && name.endsWith('ID') && /^(?:0|[1-9]\d*)$/.test(value.text)
          ? { kind: 'word', word: value.text }
          : value,
      ),
  },
  {
    id: 'numbers-rewritten',
    mistake: 'The numbers in the body were parsed and written again before signing (1.0 became 1, 1e2 became 100).',
    change: (tree) =>
      mapTree(tree, (value) =>
        value.kind === 'word' && /^[-\d]/.test(value.word) ? { kind: 'word', word: numberWritten(value.word) } : value,
      ),
  },
  {
    id: 'numbers-as-text',
    mistake: 'The numbers in the body were signed as strings.',
    change: (tree) =>
      mapTree(tree, (value) => (value.kind === 'word' && /^[-\d]/.test(value.word) ? text(value.word) : value)),
  },
];

/** Changes that programs make to the names of the fields before they sign them. */
export const NAME_CHANGES: readonly ValueChange[] = [
  {
    id: 'names-pascal-case',
    mistake:
      'The names of the fields were signed with a capital letter, as the properties of a .NET class (SessionID).',
    change: (tree) => renamed(tree, capital),
  },
  {
    id: 'names-camel-case',
    mistake: 'The names of the fields were signed in camel case (sessionId, txId), not as they were sent.',
    change: (tree) => renamed(tree, (name) => name.replace(/ID$/, 'Id')),
  },
  ...[['origTxID', 'frID'], ['origTxID'], ['frID']].map(
    (names): ValueChange => ({
      id: 'with-null-fields',
      isRare: true,
      mistake: `${names.length === 1 ? 'A field that was' : 'Fields that were'} not sent (${names.join(', ')}) ${names.length === 1 ? 'was' : 'were'} signed as null.`,
      change: (tree) => withNulls(tree, names),
    }),
  ),
  {
    id: 'names-snake-case',
    mistake: 'The names of the fields were signed in snake case (session_id, tx_id), not as they were sent.',
    change: (tree) => renamed(tree, snake),
  },
  {
    id: 'names-pascal-case-id',
    isRare: true,
    mistake: 'The names of the fields were signed as SessionId and TxId, not as they were sent.',
    change: (tree) => renamed(tree, (name) => capital(name).replace(/ID$/, 'Id')),
  },
  {
    id: 'names-kebab-case',
    isRare: true,
    mistake: 'The names of the fields were signed with hyphens (session-id, tx-id), not as they were sent.',
    change: (tree) => renamed(tree, (name) => snake(name).replaceAll('_', '-')),
  },
  {
    id: 'names-lower-case',
    isRare: true,
    mistake: 'The names of the fields were signed in lower case, not as they were sent.',
    change: (tree) => renamed(tree, (name) => name.toLowerCase()),
  },
  {
    id: 'names-upper-case',
    isRare: true,
    mistake: 'The names of the fields were signed in upper case, not as they were sent.',
    change: (tree) => renamed(tree, (name) => name.toUpperCase()),
  },
];
