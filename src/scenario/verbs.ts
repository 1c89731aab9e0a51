import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { Entry, MapCell } from './cell.ts';
import { MODIFIERS } from './definition.ts';
import { nearest } from './near.ts';
import type { Reading } from './reading.ts';
import type { Spot } from './source.ts';
import type { Modifiers } from './step-rules.ts';

/** The keys of which each step has exactly one. */
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

/** Which modifiers a step may have, by its verb. */
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

/** The key of a step that says what it does, with its value. */
export type VerbEntry = Entry & { readonly key: Verb };

function isVerb(entry: Entry): entry is VerbEntry {
  return VERBS.some((verb) => verb === entry.key);
}

/** The verb of a step; undefined after a complaint. */
export function findVerb(cell: MapCell, reading: Reading): VerbEntry | undefined {
  const [verb, ...others] = cell.entries.filter(isVerb);
  if (!verb) {
    const known = new Set<string>([...Object.keys(MODIFIERS), 'with']);
    for (const entry of cell.entries) {
      const near = known.has(entry.key) ? undefined : nearest(entry.key, VERBS);
      if (near) {
        reading.complain(entry.keySpot, `\`${entry.key}\` is nothing that a step can do`, `did you mean \`${near}\`?`);
        return undefined;
      }
    }
    reading.complain(
      cell.entries[0]?.keySpot ?? cell.spot,
      'this step does not say what to do',
      `one of these keys is needed: ${VERBS.join(', ')}`,
    );
    return undefined;
  }
  for (const other of others)
    reading.complain(
      other.keySpot,
      `a step does one thing: this one has \`${verb.key}\` already`,
      'make it a step of its own, with a dash',
    );
  return verb;
}

/** Reads what a step says beside its verb. */
export function readModifiers(cell: MapCell, verb: Verb, reading: Reading): Modifiers {
  const allowed = MODIFIERS_OF[verb];
  const possible: readonly string[] = verb === 'call' || verb === 'use' ? [...allowed, 'with'] : allowed;
  const values: Record<string, unknown> = {};
  const keys = new Map<string, Spot>();
  for (const entry of cell.entries) {
    if (isVerb(entry) || (entry.key === 'with' && possible.includes('with'))) continue;
    const found = allowed.find((each) => each === entry.key);
    if (!found) {
      complainModifier(entry, verb, possible, reading);
      continue;
    }
    keys.set(found, entry.keySpot);
    const value = MODIFIERS[found].shape.read(entry.value, reading);
    if (value !== undefined) values[found] = value;
  }
  return { values, keys };
}

function complainModifier(entry: Entry, verb: Verb, possible: readonly string[], reading: Reading): void {
  const others = VERBS.filter((each) => MODIFIERS_OF[each].some((modifier) => modifier === entry.key));
  const near = nearest(entry.key, possible);
  if (others.length > 0)
    reading.complain(entry.keySpot, `\`${entry.key}\` cannot be said of \`${verb}\`, only of: ${others.join(', ')}`);
  else if (isField(entry.key, verb))
    reading.complain(
      entry.keySpot,
      `\`${entry.key}\` is a field of the call, not of the step`,
      `write ${verb}: { ${entry.key}: … }`,
    );
  else
    reading.complain(
      entry.keySpot,
      `unknown key \`${entry.key}\` in a \`${verb}\` step`,
      near ? `did you mean \`${near}\`?` : `possible here: ${possible.join(', ') || 'nothing else'}`,
    );
}

const FIELD_NAMES: Readonly<Record<CallName, readonly string[]>> = {
  bet: ['amount', 'type', 'frID', 'round', 'session', 'txID'],
  win: ['amount', 'type', 'frID', 'round', 'session', 'txID'],
  refund: ['of', 'amount', 'round', 'session', 'txID', 'origTxID'],
  balance: ['session'],
};

function isField(key: string, verb: Verb): boolean {
  const call = CALL_NAMES.find((each) => each === verb);
  return call !== undefined && FIELD_NAMES[call].includes(key);
}
