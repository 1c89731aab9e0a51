import { ACTION_TYPES, CALL_NAMES, type CallName, TRANSACTION_CALLS } from '../../contract/call-name.ts';
import type { Reading } from '../reading.ts';
import type { RoundChoice, TargetChoice } from '../scenario.ts';
import { suggestion } from '../synonyms.ts';
import type { Range } from '../yaml/source.ts';
import type { Entry, MapNode } from '../yaml/yaml-node.ts';
import { MODIFIERS, type Modifiers } from './modifiers.ts';
import { duration, money, name, templateText, text, word } from './scalar-shapes.ts';
import { byKind, type Field, field, map, refuse, type Shape, transform } from './shape.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const round: Shape<RoundChoice> = transform(
  templateText('a round: the name of a step, `new`, `none` or an id'),
  (template, node, reading) => {
    if (template.kind !== 'literal' || typeof template.value !== 'string') return { kind: 'given', id: template };
    if (template.value === 'new' || template.value === 'none') return { kind: template.value };
    if (UUID.test(template.value)) return { kind: 'given', id: template };
    const named = name('the name of a step').read(node, reading);
    return named && { kind: 'of-step', name: named };
  },
);

const target: Shape<TargetChoice> = transform(name('the name of a step, or `unknown`'), (named) =>
  named.text === 'unknown' ? { kind: 'unknown' } : { kind: 'step', name: named },
);

const session = field(
  'The alias of a session in `needs`, or `unknown` for a session that the operator never issued. Default: the first session.',
  name('the alias of a session'),
);
const amountField = (usual: string) =>
  field(
    `The amount in the main unit, as a decimal in quotes or an expression. Default: ${usual}.`,
    money('an amount', false),
  );
const txID = field('The transaction id. Default: a new UUID v4.', templateText('a txID'));
const roundField = (usual: string): Field<RoundChoice> =>
  field(`The round: the name of a step that has this round, \`new\`, or an id. Default: ${usual}.`, round);
const type = field('`free` marks a free round. Default: `regular`.', word('a type of round', ACTION_TYPES));
const frID = field('The id of the campaign. Default in a free round: the configured campaign.', templateText('a frID'));

const betFields = { amount: amountField('one stake'), type, frID, round: roundField('a new round'), session, txID };
const winFields = { ...betFields, round: roundField('the round of the latest bet') };
const refundFields = {
  of: field(
    'The bet to refund: the name of a step, or `unknown` for a bet that does not exist. Default: the latest bet.',
    target,
  ),
  amount: amountField('the amount of the refunded bet, or one stake if no step sent this bet'),
  round: field('The round. `none` omits the field. Default: the round of the refunded bet.', round),
  session,
  txID,
  origTxID: field(
    'The `txID` of the bet to refund, if no step sent this bet (then leave out `of`). Default: the `txID` of the bet in `of`.',
    templateText('an origTxID'),
  ),
};

const balanceFields = { session };

const FIELDS: Readonly<Record<CallName, Readonly<Record<string, Field<unknown>>>>> = {
  bet: betFields,
  win: winFields,
  refund: refundFields,
  balance: balanceFields,
};

/** The shapes of the fields of each call. */
export const CALL_FIELDS = {
  bet: map('a bet', betFields, 'may be empty'),
  win: map('a win', winFields, 'may be empty'),
  refund: map('a refund', refundFields, 'may be empty'),
  balance: map('a balance call', balanceFields, 'may be empty'),
};

/** The shape of `resend`, which names the call that is sent again. */
export const RESENT = byKind('the name of a step, or a map with `earliest` or `earlier-run`', {
  scalar: name('the name of a step'),
  map: transform(
    map('resend', {
      earliest: field(
        'Sends again: the first transaction of this kind that was accepted in this run.',
        word('a call', TRANSACTION_CALLS),
      ),
      'earlier-run': field(
        'Sends again: a transaction of this kind from an earlier run (`run --after JOURNAL`).',
        word('a call', TRANSACTION_CALLS),
      ),
    }),
    ({ values, keys, size, range }, _node, reading) => {
      if (keys.size !== 1) {
        if (size !== 1) reading.report(range, '`resend` must have either `earliest` or `earlier-run`');
        return undefined;
      }
      if (values.earliest) return { call: values.earliest, from: 'run' as const };
      return values['earlier-run'] && { call: values['earlier-run'], from: 'journal' as const };
    },
  ),
});

/** The shape of an action that has no value. */
export const NOTHING: Shape<null> = {
  read(node, reading) {
    const resolved = reading.resolve(node);
    return resolved.kind === 'scalar' && resolved.value === null
      ? null
      : refuse(reading, resolved, 'nothing after the colon');
  },
  json: () => ({ type: 'null' }),
};

export const CALL_WORD = word('a call', CALL_NAMES);
export const WAIT = duration('a time', ['linger']);
export const FRAGMENT_PATH = text('the path of a fragment file');

/** The actions of the language. Each step has exactly one of these keys. */
export const VERBS = [
  'bet',
  'win',
  'refund',
  'balance',
  'call',
  'resend',
  'together',
  'wait',
  'launches',
  'use',
] as const;
export type Verb = (typeof VERBS)[number];

type ModifierName = keyof typeof MODIFIERS;
const SENDING: readonly ModifierName[] = [
  'as',
  'expect',
  'sign',
  'tamper',
  'header-case',
  'break',
  'trickle',
  'times',
  'copies',
  'at',
];

/** The modifiers that a step may have, by its action. */
export const MODIFIERS_OF: Readonly<Record<Verb, readonly ModifierName[]>> = {
  bet: [...SENDING, 'body'],
  win: [...SENDING, 'body'],
  refund: [...SENDING, 'body'],
  balance: [...SENDING, 'query', 'after', 'eventually'],
  call: [...SENDING, 'body', 'query', 'after', 'eventually'],
  resend: SENDING,
  together: ['at'],
  wait: ['at'],
  launches: ['at'],
  use: [],
};

/** The action of a step, with its value. */
export type VerbEntry = Entry & { readonly key: Verb };

function isVerb(entry: Entry): entry is VerbEntry {
  return VERBS.some((verb) => verb === entry.key);
}

/** Finds the action of a step. Returns undefined if the action is missing, which was reported. */
export function findVerb(node: MapNode, reading: Reading): VerbEntry | undefined {
  const [verb, ...others] = node.entries.filter(isVerb);
  if (!verb) {
    const known = new Set<string>([...Object.keys(MODIFIERS), 'with']);
    for (const entry of node.entries) {
      const near = known.has(entry.key) ? undefined : suggestion(entry.key, VERBS);
      if (near) {
        reading.report(entry.keyRange, `\`${entry.key}\` is not an action of a step`, `did you mean \`${near}\`?`);
        return undefined;
      }
    }
    reading.report(
      node.entries[0]?.keyRange ?? node.range,
      'this step has no action',
      `add one of these keys: ${VERBS.join(', ')}`,
    );
    return undefined;
  }
  for (const other of others)
    reading.report(
      other.keyRange,
      `a step has only one action, and this step already has \`${verb.key}\``,
      'write a second step that begins with a dash',
    );
  return verb;
}

/** Reads the modifiers of a step. */
export function readModifiers(node: MapNode, verb: Verb, reading: Reading): Modifiers {
  const allowed = MODIFIERS_OF[verb];
  const possible: readonly string[] = verb === 'call' || verb === 'use' ? [...allowed, 'with'] : allowed;
  const values: Record<string, unknown> = {};
  const keys = new Map<string, Range>();
  for (const entry of node.entries) {
    if (isVerb(entry) || (entry.key === 'with' && possible.includes('with'))) continue;
    const found = allowed.find((each) => each === entry.key);
    if (!found) {
      reportModifier(entry, verb, possible, reading);
      continue;
    }
    keys.set(found, entry.keyRange);
    const value = MODIFIERS[found].shape.read(entry.value, reading);
    if (value !== undefined) values[found] = value;
  }
  return { values, keys };
}

function reportModifier(entry: Entry, verb: Verb, possible: readonly string[], reading: Reading): void {
  const others = VERBS.filter((each) => MODIFIERS_OF[each].some((modifier) => modifier === entry.key));
  const near = suggestion(entry.key, possible);
  if (others.length > 0)
    reading.report(entry.keyRange, `\`${entry.key}\` does not apply to \`${verb}\`, only to: ${others.join(', ')}`);
  else if (isField(entry.key, verb))
    reading.report(
      entry.keyRange,
      `\`${entry.key}\` is a field of the call, not of the step`,
      `write ${verb}: { ${entry.key}: … }`,
    );
  else
    reading.report(
      entry.keyRange,
      `unknown key \`${entry.key}\` in a \`${verb}\` step`,
      near ? `did you mean \`${near}\`?` : `possible here: ${possible.join(', ') || 'nothing else'}`,
    );
}

function isField(key: string, verb: Verb): boolean {
  const call = CALL_NAMES.find((each) => each === verb);
  return call !== undefined && Object.hasOwn(FIELDS[call], key);
}
