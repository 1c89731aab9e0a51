import type { JsonValue } from '../../contract/json.ts';
import { Money } from '../../contract/money.ts';
import type { Expression, Template } from './expression.ts';

/** The value of a name in an expression, such as `stake` or a field of a reply. */
export type Value = Money | JsonValue;

/** The values of names at the moment when a step is sent. */
export interface Scope {
  /**
   * The number of decimals with which amounts are written, as defined by the currency. An amount that needs more
   * decimals is written with more decimals.
   */
  readonly decimals: number;
  /** Returns the value of a name such as `stake` or `first.reply.txID`. Undefined if the value is not known yet. */
  name(path: readonly string[]): Value | undefined;
}

/** Thrown if a template cannot be evaluated. The message names the cause. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/**
 * Evaluates a template. Writes amounts as decimal text with the decimals of the scope. All other values keep their type.
 *
 * @throws EvaluationError if a name is unknown or a value cannot be used in its place
 */
export function evaluate(template: Template, scope: Scope): JsonValue {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'expression':
      return toJson(compute(template.expression, scope), scope);
    case 'text':
      return joined(template.parts, scope);
    case 'list':
      return template.items.map((item) => evaluate(item, scope));
    case 'map':
      return Object.fromEntries(template.entries.map(([name, value]) => [name, evaluate(value, scope)]));
  }
}

/**
 * Evaluates a template as an amount, which may be negative.
 *
 * @throws EvaluationError if a name is unknown or the result is not an amount
 */
export function evaluateMoney(template: Template, scope: Scope): Money {
  if (template.kind === 'expression') return toMoney(compute(template.expression, scope), template.expression);
  const value = evaluate(template, scope);
  return toMoney(value, undefined);
}

/** The amount of a call. */
export interface Amount {
  /** The value in the call. It is a decimal as text, or another value that the scenario sends on purpose. */
  readonly written: JsonValue;
  /**
   * The amount in the main unit of the currency. Undefined if the value is not a plain decimal. Negative only if it was
   * computed.
   */
  readonly money: Money | undefined;
}

/**
 * Evaluates a template as the amount of a call. Also returns the amount as {@link Money}, so that no other code must read the
 * amount from the text that is sent.
 *
 * @throws EvaluationError if a name is unknown or a value cannot be used in its place
 */
export function evaluateAmount(template: Template, scope: Scope): Amount {
  const value = template.kind === 'expression' ? compute(template.expression, scope) : evaluate(template, scope);
  if (value instanceof Money) return { written: toJson(value, scope), money: value };
  return { written: value, money: typeof value === 'string' ? Money.read(value) : undefined };
}

function compute(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case 'money':
      return Money.of(expression.text);
    case 'text':
      return expression.text;
    case 'value':
      return expression.value;
    case 'joined':
      return joined(expression.parts, scope);
    case 'name': {
      const value = scope.name(expression.path);
      if (value === undefined) throw new EvaluationError(`\`${expression.path.join('.')}\` is not known at this point`);
      return value;
    }
    case 'negate':
      return toMoney(compute(expression.of, scope), expression.of).negated();
    case 'arithmetic': {
      const left = toMoney(compute(expression.left, scope), expression.left);
      const right = toMoney(compute(expression.right, scope), expression.right);
      if (expression.operator === '*') return left.times(right);
      return expression.operator === '+' ? left.plus(right) : left.minus(right);
    }
  }
}

function joined(parts: readonly (string | Expression)[], scope: Scope): string {
  return parts.map((part) => (typeof part === 'string' ? part : toText(part, scope))).join('');
}

function toText(expression: Expression, scope: Scope): string {
  const value = toJson(compute(expression, scope), scope);
  if (typeof value === 'object') {
    throw new EvaluationError(`${describe(expression, value)} cannot be part of a text`);
  }
  return String(value);
}

function toJson(value: Value, scope: Scope): JsonValue {
  return value instanceof Money ? value.format(scope.decimals) : value;
}

function toMoney(value: Value, from: Expression | undefined): Money {
  if (value instanceof Money) return value;
  // If the operator sends a balance as a number, another rule reports this fault. The scenario continues, and uses the number.
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string') {
    const money = Money.read(text.startsWith('-') ? text.slice(1) : text);
    if (money) return text.startsWith('-') ? money.negated() : money;
  }
  throw new EvaluationError(`${describe(from, value)} is not an amount`);
}

function describe(expression: Expression | undefined, value: JsonValue): string {
  const text = JSON.stringify(value);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return expression?.kind === 'name' ? `\`${expression.path.join('.')}\` (${shown})` : shown;
}
