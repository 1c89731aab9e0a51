import type { CallName } from '../contract/call-name.ts';
import { type MODIFIERS, MOST_AT_ONCE } from './definition.ts';
import type { Template } from './plan.ts';
import type { Reading } from './reading.ts';
import type { Field } from './shape.ts';
import type { Spot } from './source.ts';

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The modifiers of one step that could be read, and where each key stands. */
export interface Modifiers {
  readonly values: { readonly [K in keyof typeof MODIFIERS]?: ValueOf<(typeof MODIFIERS)[K]> };
  readonly keys: ReadonlyMap<string, Spot>;
}

const DEVIATIONS = ['sign', 'tamper', 'header-case', 'body', 'query', 'trickle'] as const;

/**
 * Complains about modifiers that don't go together, or don't fit the call.
 *
 * @param call undefined for a resend
 */
export function checkSendable(
  modifiers: Modifiers,
  call: CallName | undefined,
  spot: Spot,
  inTogether: boolean,
  reading: Reading,
): void {
  const { values, keys } = modifiers;
  const complain = (key: string, message: string, mend?: string) =>
    reading.complain(keys.get(key) ?? spot, message, mend);
  const deviation = DEVIATIONS.find((key) => keys.has(key) && !(key === 'sign' && values.sign === 'valid'));
  if (deviation && !keys.has('expect')) {
    complain(
      deviation,
      'a step that deviates must say what it expects',
      'add expect: accepted, declined, refused or either',
    );
  }
  if (call === 'balance') {
    for (const key of ['body', 'trickle'] as const)
      if (keys.has(key)) complain(key, `a balance call has no body: \`${key}\` cannot be said of it`);
    if (values.break?.at === 'half-body')
      complain('break', 'a balance call has no body to break in', 'write break: head or break: sent');
    if (values.tamper?.part === 'body')
      complain(
        'tamper',
        'a balance call has no body to tamper with',
        'write tamper: { query: { sessionID: "another" } }',
      );
  } else if (call !== undefined) {
    for (const key of ['query', 'after', 'eventually'] as const)
      if (keys.has(key))
        complain(
          key,
          `\`${key}\` is for balance calls, not for a ${call}`,
          key === 'eventually' ? 'a write is repeated by `resend`' : undefined,
        );
    if (values.tamper?.part === 'query')
      complain('tamper', `a ${call} has no query to tamper with`, 'write tamper: body');
  }
  if (values.body?.raw && values.body.set) complain('body', 'raw text and `set` exclude each other');
  if (keys.has('after') && keys.has('eventually'))
    complain('eventually', '`after` and `eventually` exclude each other');
  if (values.expect?.reply && call !== undefined && !keys.has('copies'))
    complain('expect', 'only a resend, or copies of one call, can have the same reply as an earlier call');
  checkRepetition(modifiers, inTogether, complain);
}

const PLAIN_AMOUNT = /^(0|[1-9]\d*)(\.\d+)?$/;

/** Complains about an amount that no wallet need accept, unless the step says what it expects of it. */
export function checkAmount(amount: Template | undefined, spot: Spot, { keys }: Modifiers, reading: Reading): void {
  if (amount?.kind !== 'literal' || typeof amount.value !== 'string' || keys.has('expect')) return;
  if (PLAIN_AMOUNT.test(amount.value)) return;
  reading.complain(
    spot,
    `\`${amount.value}\` is no amount, and a step that deviates must say what it expects`,
    'write a plain decimal such as "11.00", or add expect: declined',
  );
}

function checkRepetition(
  { values, keys }: Modifiers,
  inTogether: boolean,
  complain: (key: string, message: string, mend?: string) => void,
): void {
  if (keys.has('copies') && !inTogether)
    complain(
      'copies',
      '`copies` are sent at once: they stand within `together`',
      'put the step into `together`, or send it again with `resend`',
    );
  if (keys.has('copies') && keys.has('times'))
    complain(
      'copies',
      '`times` and `copies` exclude each other',
      '`times` makes fresh ids, `copies` sends the same bytes',
    );
  if (inTogether && (values.times ?? 0) > MOST_AT_ONCE)
    complain('times', `at most ${MOST_AT_ONCE} calls can leave at the same instant`);
  if (keys.has('times') && keys.has('as'))
    complain(
      'as',
      'a step that is repeated has no one name',
      'leave out `as`, or give the first one a step of its own',
    );
}
