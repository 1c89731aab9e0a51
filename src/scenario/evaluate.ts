import type { JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import type { Expression } from './expression.ts';
import type { Template } from './plan.ts';

/** What a name can stand for. */
export type Value = Money | JsonValue;

/** What the names of a template mean at the moment of sending. */
export interface Scope {
  /** With how many decimals amounts are written: the currency's. More are given only where an amount needs them. */
  readonly decimals: number;
  /** The value of `stake`, `first.reply.txID`, …; undefined when there is no such thing at present. */
  name(path: readonly string[]): Value | undefined;
}

/** A template that cannot be reckoned; the message says which name, and why. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/**
 * Reckons a template. Amounts become decimal text with the scope's decimals; everything else keeps its type.
 *
 * @throws EvaluationError when a name is unknown or a value is not fit for its use
 */
export function evaluate(template: Template, scope: Scope): JsonValue {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'expression':
      return toJson(reckon(template.expression, scope), scope);
    case 'text':
      return joined(template.parts, scope);
    case 'list':
      return template.items.map((item) => evaluate(item, scope));
    case 'map':
      return Object.fromEntries(template.entries.map(([name, value]) => [name, evaluate(value, scope)]));
  }
}

/**
 * Reckons a template that is to be an amount; it may be negative.
 *
 * @throws EvaluationError when a name is unknown or the result is no amount
 */
export function evaluateMoney(template: Template, scope: Scope): Money {
  if (template.kind === 'expression') return toMoney(reckon(template.expression, scope), template.expression);
  const value = evaluate(template, scope);
  return toMoney(value, undefined);
}

function reckon(expression: Expression, scope: Scope): Value {
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
      return toMoney(reckon(expression.of, scope), expression.of).negated();
    case 'arithmetic': {
      const left = toMoney(reckon(expression.left, scope), expression.left);
      const right = toMoney(reckon(expression.right, scope), expression.right);
      if (expression.operator === '*') return left.times(right);
      return expression.operator === '+' ? left.plus(right) : left.minus(right);
    }
  }
}

function joined(parts: readonly (string | Expression)[], scope: Scope): string {
  return parts.map((part) => (typeof part === 'string' ? part : toText(part, scope))).join('');
}

function toText(expression: Expression, scope: Scope): string {
  const value = toJson(reckon(expression, scope), scope);
  if (typeof value === 'object') {
    throw new EvaluationError(`${describe(expression, value)} cannot stand within a text`);
  }
  return String(value);
}

function toJson(value: Value, scope: Scope): JsonValue {
  return value instanceof Money ? value.format(scope.decimals) : value;
}

function toMoney(value: Value, from: Expression | undefined): Money {
  if (value instanceof Money) return value;
  // A balance that an operator sends as a number is a breach of its own; reckoning goes on with it.
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string') {
    const money = Money.read(text.startsWith('-') ? text.slice(1) : text);
    if (money) return text.startsWith('-') ? money.negated() : money;
  }
  throw new EvaluationError(`${describe(from, value)} is no amount`);
}

function describe(expression: Expression | undefined, value: JsonValue): string {
  const text = JSON.stringify(value);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return expression?.kind === 'name' ? `\`${expression.path.join('.')}\` (${shown})` : shown;
}
