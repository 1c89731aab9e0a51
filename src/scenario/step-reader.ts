import type { CallName } from '../contract/call-name.ts';
import type { Template } from './expressions/expression.ts';
import { type FragmentCache, openFragment } from './fragment.ts';
import type { Deviations, Expect } from './plan/plan.ts';
import type { Reading } from './reading.ts';
import type { CallFields, ScenarioCall, ScenarioStep, SendingStep, Word } from './scenario.ts';
import { MAX_AT_ONCE, type Modifiers } from './shapes/modifiers.ts';
import { refuse } from './shapes/shape.ts';
import {
  CALL_FIELDS,
  CALL_WORD,
  FRAGMENT_PATH,
  findVerb,
  NOTHING,
  RESENT,
  readModifiers,
  VERBS,
  type VerbEntry,
  WAIT,
} from './shapes/verbs.ts';
import { suggestion } from './synonyms.ts';
import type { Range } from './yaml/source.ts';
import { entryOf, type MapNode, type YamlNode } from './yaml/yaml-node.ts';

/** The context in which the steps of one case are read. */
export interface StepContext {
  readonly cache: FragmentCache;
  /** The files that are being read. Each file is used by the file before it. */
  readonly chain: readonly string[];
  /** Names of steps that could not be read. References to these names are not reported as mistakes. */
  readonly unreadNames: Set<string>;
  /**
   * The order number of the `together` that contains the steps. Fragments are not allowed inside `together`. Absent: the steps
   * are not inside `together`.
   */
  readonly within?: number;
}

const DEFAULT_EXPECTATION: Expect = { outcome: 'accepted', stated: false };

/** Reads a list of steps. Reports and omits a step that cannot be read. */
export function readSteps(node: YamlNode, prefix: string, reading: Reading, context: StepContext): ScenarioStep[] {
  if (node.kind !== 'list') {
    refuse(reading, node, 'a list of steps', 'begin each step with a dash, such as - bet:');
    return [];
  }
  if (node.items.length === 0) reading.report(node.range, 'this list of steps is empty');
  return node.items.flatMap((item, index) => readStep(item, `${prefix}${index + 1}`, reading, context));
}

function readStep(node: YamlNode, key: string, reading: Reading, context: StepContext): ScenarioStep[] {
  const order = reading.nextStep();
  if (node.kind !== 'map') {
    const written = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    const verb = written === undefined ? undefined : suggestion(written.split(/[\s:]/)[0] ?? '', VERBS);
    refuse(
      reading,
      node,
      'a step',
      verb ? `write ${verb}: with a colon and a space` : `a step begins with one of: ${VERBS.join(', ')}`,
    );
    return [];
  }
  const verb = findVerb(node, reading);
  if (!verb) {
    rememberName(node, context.unreadNames);
    return [];
  }
  const modifiers = readModifiers(node, verb.key, reading);
  const at = modifiers.values.at;
  const base = { key, range: verb.keyRange, order, ...(at !== undefined && { atMs: at }) };
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
      return readUse(verb, node, key, reading, context);
    case 'resend': {
      const of = RESENT.read(verb.value, reading);
      const sending = sendingFields(modifiers, undefined, verb, reading, context);
      if (of === undefined) {
        rememberName(node, context.unreadNames);
        return [];
      }
      return [{ ...base, ...sending, kind: 'resend', of }];
    }
    case 'bet':
    case 'win':
    case 'refund':
    case 'balance':
      return [toCall(verb.key, verb.value, base, modifiers, verb, reading, context)];
    case 'call': {
      const call = CALL_WORD.read(verb.value, reading);
      const fields = entryOf(node, 'with')?.value ?? { kind: 'scalar', value: null, written: '', range: verb.keyRange };
      if (call) return [toCall(call, fields, base, modifiers, verb, reading, context)];
      rememberName(node, context.unreadNames);
      return [];
    }
  }
}

/**
 * Keeps the name of a step that could not be read, and the names of the steps inside it. Then references to these names are not
 * reported as mistakes.
 */
function rememberName(node: YamlNode, unreadNames: Set<string>): void {
  if (node.kind === 'list') for (const item of node.items) rememberName(item, unreadNames);
  if (node.kind !== 'map') return;
  const name = entryOf(node, 'as')?.value;
  if (name?.kind === 'scalar' && typeof name.value === 'string') unreadNames.add(name.value);
  for (const { value } of node.entries) rememberName(value, unreadNames);
}

interface Base {
  readonly key: string;
  readonly range: Range;
  readonly order: number;
  readonly atMs?: number;
}

function toCall(
  call: CallName,
  fieldsNode: YamlNode,
  base: Base,
  modifiers: Modifiers,
  verb: VerbEntry,
  reading: Reading,
  context: StepContext,
): ScenarioCall {
  const read = CALL_FIELDS[call].read(fieldsNode, reading);
  const values: CallFields & { readonly session?: Word } = read?.values ?? {};
  const { session, ...fields } = values;
  if (fields.of && fields.origTxID)
    reading.report(
      read?.keys.get('origTxID') ?? verb.keyRange,
      '`of` and `origTxID` both name the bet that the refund gives back',
      'remove one of these two keys',
    );
  checkAmount(fields.amount, read?.keys.get('amount') ?? verb.keyRange, modifiers, reading);
  const { after, eventually } = modifiers.values;
  return {
    ...base,
    ...sendingFields(modifiers, call, verb, reading, context),
    kind: 'call',
    call,
    session: session ?? { text: 'main', range: verb.keyRange },
    fields,
    ...(after !== undefined && { after }),
    ...(eventually !== undefined && { eventuallyMs: eventually }),
  };
}

function sendingFields(
  modifiers: Modifiers,
  call: CallName | undefined,
  verb: VerbEntry,
  reading: Reading,
  context: StepContext,
) {
  const { values } = modifiers;
  checkModifiers(modifiers, call, verb.keyRange, context.within !== undefined, reading);
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
    expect: values.expect ?? DEFAULT_EXPECTATION,
    ...(values.as && { name: values.as }),
    ...(values.times !== undefined && { times: values.times }),
    ...(values.copies !== undefined && { copies: values.copies }),
    ...(context.within !== undefined && { within: context.within }),
  };
}

function readTogether(verb: VerbEntry, base: Base, reading: Reading, context: StepContext): ScenarioStep[] {
  if (context.within !== undefined) {
    reading.report(verb.keyRange, '`together` cannot be inside `together`', 'put its steps into the outer `together`');
    return [];
  }
  const steps = readSteps(verb.value, `${base.key}.`, reading, { ...context, within: base.order });
  const sending: SendingStep[] = [];
  for (const step of steps) {
    if (step.kind === 'call' || step.kind === 'resend') sending.push(step);
    else if (step.kind === 'wait' || step.kind === 'launches')
      reading.report(
        step.range,
        `\`${step.kind}\` cannot be inside \`together\`, because the steps of \`together\` start at the same instant`,
        step.kind === 'wait' ? 'give each later call its time: at: 300ms' : undefined,
      );
  }
  const alone = sending.length === 1 && sending.every((step) => (step.times ?? 1) === 1 && step.copies === undefined);
  if (alone && steps.length === 1 && verb.value.kind === 'list' && verb.value.items.length === 1) {
    reading.report(verb.keyRange, '`together` needs more than one call', 'add another call, or `copies` or `times`');
  }
  return [{ ...base, kind: 'together', steps: sending }];
}

function readUse(verb: VerbEntry, node: MapNode, key: string, reading: Reading, context: StepContext): ScenarioStep[] {
  const path = FRAGMENT_PATH.read(verb.value, reading);
  const given = entryOf(node, 'with')?.value;
  if (given && given.kind !== 'map') refuse(reading, given, 'a map of parameters');
  if (context.within !== undefined) {
    reading.report(
      verb.keyRange,
      '`use` cannot be inside `together`',
      'write the steps of the fragment instead of `use`',
    );
    return [];
  }
  if (!path) return [];
  const use = { path: path.text, range: verb.value.range, arguments: given?.kind === 'map' ? given : undefined };
  const fragment = openFragment(use, context.chain, context.cache, reading);
  if (!fragment) return [];
  const chain = [...context.chain, fragment.steps.range.source.file];
  const steps = readSteps(fragment.steps, `${key}.`, fragment.reading, { ...context, chain });
  fragment.reportUnused();
  return steps;
}

const DEVIATIONS = ['sign', 'tamper', 'header-case', 'body', 'query', 'trickle'] as const;

/**
 * Reports modifiers that exclude each other or do not apply to the call.
 *
 * @param call the kind of call; undefined for a resend
 */
function checkModifiers(
  modifiers: Modifiers,
  call: CallName | undefined,
  range: Range,
  inTogether: boolean,
  reading: Reading,
): void {
  const { values, keys } = modifiers;
  const report = (key: string, message: string, fix?: string) => reading.report(keys.get(key) ?? range, message, fix);
  const deviation = DEVIATIONS.find((key) => keys.has(key) && !(key === 'sign' && values.sign === 'valid'));
  if (deviation && !keys.has('expect')) {
    report(
      deviation,
      'a step that differs from an ordinary call must say what it expects',
      'add expect: accepted, declined, refused or either',
    );
  }
  if (call === 'balance') {
    for (const key of ['body', 'trickle'] as const)
      if (keys.has(key)) report(key, `a balance call has no body, so \`${key}\` does not apply`);
    if (values.break?.at === 'half-body')
      report(
        'break',
        'a balance call has no body in which to break the connection',
        'write break: head or break: sent',
      );
    if (values.tamper?.part === 'body')
      report(
        'tamper',
        'a balance call has no body to tamper with',
        'write tamper: { query: { sessionID: "another" } }',
      );
  } else if (call !== undefined) {
    for (const key of ['query', 'after', 'eventually'] as const)
      if (keys.has(key))
        report(
          key,
          `\`${key}\` can be used only for a balance call, not for a ${call}`,
          key === 'eventually' ? 'to repeat the call, use `resend`' : undefined,
        );
    if (values.tamper?.part === 'query')
      report('tamper', `a ${call} has no query to tamper with`, 'write tamper: body');
  }
  if (values.body?.raw && values.body.set) report('body', 'raw text and `set` cannot be used together');
  if (keys.has('after') && keys.has('eventually'))
    report('eventually', '`after` and `eventually` cannot be used together');
  if (values.expect?.reply && call !== undefined && !keys.has('copies'))
    report('expect', 'only a resend or copies of one call can have the same reply as an earlier call');
  checkRepetition(modifiers, inTogether, report);
}

const PLAIN_AMOUNT = /^(0|[1-9]\d*)(\.\d+)?$/;

/** Reports an amount that wallets may reject, unless the step says what it expects. */
function checkAmount(amount: Template | undefined, range: Range, { keys }: Modifiers, reading: Reading): void {
  if (amount?.kind !== 'literal' || typeof amount.value !== 'string' || keys.has('expect')) return;
  if (PLAIN_AMOUNT.test(amount.value)) return;
  reading.report(
    range,
    `\`${amount.value}\` is not an amount, and a step that differs from an ordinary call must say what it expects`,
    'write a plain decimal such as "11.00", or add expect: declined',
  );
}

function checkRepetition(
  { values, keys }: Modifiers,
  inTogether: boolean,
  report: (key: string, message: string, fix?: string) => void,
): void {
  if (keys.has('copies') && !inTogether)
    report(
      'copies',
      '`copies` are sent at the same instant, so they must be inside `together`',
      'put the step into `together`, or send it again with `resend`',
    );
  if (keys.has('copies') && keys.has('times'))
    report(
      'copies',
      '`times` and `copies` cannot be used together',
      'use `times` for calls with new ids, or `copies` for the same bytes',
    );
  if (inTogether && (values.times ?? 0) > MAX_AT_ONCE)
    report('times', `at most ${MAX_AT_ONCE} calls can be sent at the same instant`);
  if (keys.has('times') && keys.has('as'))
    report('as', 'a repeated step cannot have a name', 'remove `as`, or write the first call as a separate step');
}
