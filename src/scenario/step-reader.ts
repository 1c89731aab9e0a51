import type { CallName } from '../contract/call-name.ts';
import { CALL_FIELDS } from './call-fields.ts';
import { type Cell, entryOf, type MapCell } from './cell.ts';
import { CALL_WORD, FRAGMENT_PATH, NOTHING, RESENT, WAIT } from './definition.ts';
import { type FragmentShelf, openFragment } from './fragment.ts';
import { nearest } from './near.ts';
import type { Deviations, Expect } from './plan.ts';
import type { Reading } from './reading.ts';
import type { CallFields, StoryCall, StoryResend, StoryStep, Word } from './scenario.ts';
import { refuse } from './shape.ts';
import type { Spot } from './source.ts';
import { checkAmount, checkSendable, type Modifiers } from './step-rules.ts';
import { findVerb, readModifiers, VERBS, type VerbEntry } from './verbs.ts';

/** What reading the steps of one story needs. */
export interface StepContext {
  readonly shelf: FragmentShelf;
  /** The files that are being read, the innermost last. */
  readonly chain: readonly string[];
  /** Names of steps that could not be read: whoever refers to them is not to blame. */
  readonly lost: Set<string>;
  /** Order of the `together` around, and whether fragments may stand here. */
  readonly within?: number;
}

const EXPECT_NOTHING: Expect = { outcome: 'accepted', stated: false };

/** Reads a list of steps; those that are broken are left out, after a complaint. */
export function readSteps(cell: Cell, prefix: string, reading: Reading, context: StepContext): StoryStep[] {
  if (cell.kind !== 'list') {
    refuse(reading, cell, 'a list of steps', 'each step begins with a dash: - bet:');
    return [];
  }
  if (cell.items.length === 0) reading.complain(cell.spot, 'there are no steps here');
  return cell.items.flatMap((item, index) => readStep(item, `${prefix}${index + 1}`, reading, context));
}

function readStep(cell: Cell, key: string, reading: Reading, context: StepContext): StoryStep[] {
  const order = reading.nextStep();
  if (cell.kind !== 'map') {
    const written = cell.kind === 'scalar' && typeof cell.value === 'string' ? cell.value : undefined;
    const verb = written === undefined ? undefined : nearest(written.split(/[\s:]/)[0] ?? '', VERBS);
    refuse(
      reading,
      cell,
      'a step',
      verb ? `write ${verb}: with a colon and a space` : `a step begins with one of: ${VERBS.join(', ')}`,
    );
    return [];
  }
  const verb = findVerb(cell, reading);
  if (!verb) {
    remember(cell, context.lost);
    return [];
  }
  const modifiers = readModifiers(cell, verb.key, reading);
  const at = modifiers.values.at;
  const base = { key, spot: verb.keySpot, order, ...(at !== undefined && { atMs: at }) };
  switch (verb.key) {
    case 'wait': {
      const ms = WAIT.read(verb.value, reading);
      return ms === undefined ? [] : [{ ...base, kind: 'wait', ms }];
    }
    case 'launches':
      NOTHING.read(verb.value, reading);
      return [{ ...base, kind: 'launches' }];
    case 'together':
      return readTogether(verb, base, reading, context);
    case 'use':
      return readUse(verb, cell, key, reading, context);
    case 'resend': {
      const of = RESENT.read(verb.value, reading);
      const sendable = toSendable(modifiers, undefined, verb, reading, context);
      if (of === undefined) {
        remember(cell, context.lost);
        return [];
      }
      return [{ ...base, ...sendable, kind: 'resend', of }];
    }
    case 'bet':
    case 'win':
    case 'refund':
    case 'balance':
      return [toCall(verb.key, verb.value, base, modifiers, verb, reading, context)];
    case 'call': {
      const call = CALL_WORD.read(verb.value, reading);
      const fields = entryOf(cell, 'with')?.value ?? { kind: 'scalar', value: null, written: '', spot: verb.keySpot };
      if (call) return [toCall(call, fields, base, modifiers, verb, reading, context)];
      remember(cell, context.lost);
      return [];
    }
  }
}

/** A step that cannot be read still has its name, so that others that refer to it are not complained about. */
function remember(cell: MapCell, lost: Set<string>): void {
  const name = entryOf(cell, 'as')?.value;
  if (name?.kind === 'scalar' && typeof name.value === 'string') lost.add(name.value);
}

interface Base {
  readonly key: string;
  readonly spot: Spot;
  readonly order: number;
  readonly atMs?: number;
}

function toCall(
  call: CallName,
  fieldsCell: Cell,
  base: Base,
  modifiers: Modifiers,
  verb: VerbEntry,
  reading: Reading,
  context: StepContext,
): StoryCall {
  const read = CALL_FIELDS[call].read(fieldsCell, reading);
  const values: CallFields & { readonly session?: Word } = read?.values ?? {};
  const { session, ...fields } = values;
  if (fields.of && fields.origTxID)
    reading.complain(
      read?.keys.get('origTxID') ?? verb.keySpot,
      '`of` and `origTxID` both say which bet is meant',
      'leave one of them out',
    );
  checkAmount(fields.amount, read?.keys.get('amount') ?? verb.keySpot, modifiers, reading);
  const { after, eventually } = modifiers.values;
  return {
    ...base,
    ...toSendable(modifiers, call, verb, reading, context),
    kind: 'call',
    call,
    session: session ?? { text: 'main', spot: verb.keySpot },
    fields,
    ...(after !== undefined && { after }),
    ...(eventually !== undefined && { eventuallyMs: eventually }),
  };
}

function toSendable(
  modifiers: Modifiers,
  call: CallName | undefined,
  verb: VerbEntry,
  reading: Reading,
  context: StepContext,
) {
  const { values } = modifiers;
  checkSendable(modifiers, call, verb.keySpot, context.within !== undefined, reading);
  const deviations: Deviations = {
    ...(values.sign && { sign: values.sign }),
    ...(values.tamper && { tamper: values.tamper }),
    ...(values['header-case'] && { headerCase: values['header-case'] }),
    ...(values.body && { body: values.body }),
    ...(values.query && { query: values.query }),
    ...(values.break && { break: values.break }),
    ...(values.trickle && { trickle: values.trickle }),
  };
  return {
    deviations,
    expect: values.expect ?? EXPECT_NOTHING,
    ...(values.as && { name: values.as }),
    ...(values.times !== undefined && { times: values.times }),
    ...(values.copies !== undefined && { copies: values.copies }),
    ...(context.within !== undefined && { within: context.within }),
  };
}

function readTogether(verb: VerbEntry, base: Base, reading: Reading, context: StepContext): StoryStep[] {
  if (context.within !== undefined) {
    reading.complain(verb.keySpot, '`together` cannot stand within `together`', 'put its steps into the outer one');
    return [];
  }
  const steps = readSteps(verb.value, `${base.key}.`, reading, { ...context, within: base.order });
  const sendable: (StoryCall | StoryResend)[] = [];
  for (const step of steps) {
    if (step.kind === 'call' || step.kind === 'resend') sendable.push(step);
    else if (step.kind === 'wait' || step.kind === 'launches')
      reading.complain(
        step.spot,
        `\`${step.kind}\` cannot stand within \`together\`: its steps begin at the same instant`,
        step.kind === 'wait' ? 'give the calls that leave later a time of their own: at: 300ms' : undefined,
      );
  }
  const alone = sendable.length === 1 && sendable.every((step) => (step.times ?? 1) === 1 && step.copies === undefined);
  if (alone && steps.length === 1 && verb.value.kind === 'list' && verb.value.items.length === 1) {
    reading.complain(
      verb.keySpot,
      'a single call is not together with anything',
      'add another one, or `copies` or `times`',
    );
  }
  return [{ ...base, kind: 'together', steps: sendable }];
}

function readUse(verb: VerbEntry, cell: MapCell, key: string, reading: Reading, context: StepContext): StoryStep[] {
  const path = FRAGMENT_PATH.read(verb.value, reading);
  const given = entryOf(cell, 'with')?.value;
  if (given && given.kind !== 'map') refuse(reading, given, 'a map of parameters');
  if (context.within !== undefined) {
    reading.complain(verb.keySpot, '`use` cannot stand within `together`', 'write its steps out');
    return [];
  }
  if (!path) return [];
  const use = { path: path.text, spot: verb.value.spot, arguments: given?.kind === 'map' ? given : undefined };
  const fragment = openFragment(use, context.chain, context.shelf, reading);
  if (!fragment) return [];
  const chain = [...context.chain, fragment.steps.spot.source.file];
  const steps = readSteps(fragment.steps, `${key}.`, fragment.reading, { ...context, chain });
  fragment.complainUnused();
  return steps;
}
