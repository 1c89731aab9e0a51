import { type Amount, EvaluationError, evaluateAmount, type Scope } from '../../scenario/expressions/evaluate.ts';
import type { Expression, Template } from '../../scenario/expressions/expression.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';

/** The properties of the amount of a step, as far as the plan shows them before anything is sent. */
export interface PlannedAmount {
  /** The amount. undefined if the amount depends on values that are known only when the call is sent. */
  readonly fixed: Amount | undefined;
  /** True if the amount is the whole balance of the session. */
  readonly isBalance: boolean;
  /** True if the amount has decimals that are not zeros, or will have such decimals in a currency with decimals. */
  readonly mayHaveDecimals: boolean;
  /** True if the amount is written with fewer decimals than most currencies have, for example as 1.5 or 2. */
  readonly hasFewDecimals: boolean;
}

/** Names that expressions can use for the smallest unit of the currency, or for multiples of this unit. */
const OF_UNITS: readonly string[] = ['unit', 'drift.first', 'drift.second'];
const SHORT = /^(?!0$)\d+(\.\d)?$/;
/** The scope before anything is sent: no name has a value. */
const NOTHING_KNOWN: Scope = { decimals: 0, name: () => undefined };
const NONE: PlannedAmount = { fixed: undefined, isBalance: false, mayHaveDecimals: false, hasFewDecimals: false };

const KNOWN = new WeakMap<Template, PlannedAmount>();

/** Returns what the plan shows about the amount of a step. A resend has no amount of its own. */
export function plannedAmount(step: CallStep): PlannedAmount {
  const template = amountTemplate(step);
  if (!template) return NONE;
  const known = KNOWN.get(template);
  if (known) return known;
  const planned = read(template);
  KNOWN.set(template, planned);
  return planned;
}

/** True if the plan shows that the amount is 0, in any notation. */
export function isZeroAmount(step: CallStep): boolean {
  return plannedAmount(step).fixed?.money?.isZero() === true;
}

/** True if the plan gives the two calls different amounts. */
export function haveOtherAmounts(a: CallStep, b: CallStep): boolean {
  const [own, others] = [amountTemplate(a), amountTemplate(b)];
  if (!own || !others) return false;
  const [first, second] = [plannedAmount(a).fixed?.money, plannedAmount(b).fixed?.money];
  return first && second ? !first.equals(second) : JSON.stringify(own) !== JSON.stringify(others);
}

/** True if the scenario file gives the step an amount with decimals, in whatever currency: as 1.50, or as 0.1 * unit. */
export function givesDecimals({ fields, deviations: { body, tamper } }: CallStep): boolean {
  const given = [...fields, ...(body?.set ?? []), ...(tamper?.fields ?? [])];
  return given.some(([name, template]) => {
    if (name !== 'amount') return false;
    const fixed = fixedAmount(template);
    if (fixed) return typeof fixed.written === 'string' && fixed.written.includes('.');
    return template.kind === 'expression' && leaves(template.expression).some(hasDecimals);
  });
}

function amountTemplate(step: CallStep): Template | undefined {
  return step.fields.find(([name]) => name === 'amount')?.[1];
}

function read(template: Template): PlannedAmount {
  const fixed = fixedAmount(template);
  const expression = template.kind === 'expression' ? template.expression : undefined;
  return {
    fixed,
    isBalance: expression?.kind === 'name' && expression.path.join('.') === 'balance',
    mayHaveDecimals: fixed
      ? (fixed.money?.decimals() ?? 0) > 0
      : expression !== undefined && leaves(expression).some(bringsDecimals),
    hasFewDecimals: typeof fixed?.written === 'string' && SHORT.test(fixed.written),
  };
}

function fixedAmount(template: Template): Amount | undefined {
  try {
    return evaluateAmount(template, NOTHING_KNOWN);
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

/** Returns the names and values that an expression consists of. */
function leaves(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'negate':
      return leaves(expression.of);
    case 'arithmetic':
      return [...leaves(expression.left), ...leaves(expression.right)];
    case 'joined':
      return expression.parts.flatMap((part) => (typeof part === 'string' ? [] : leaves(part)));
    case 'name':
    case 'money':
    case 'text':
    case 'value':
      return [expression];
  }
}

function bringsDecimals(leaf: Expression): boolean {
  return leaf.kind === 'name' ? OF_UNITS.includes(leaf.path.join('.')) : hasDecimals(leaf);
}

function hasDecimals(leaf: Expression): boolean {
  return (fixedAmount({ kind: 'expression', expression: leaf })?.money?.decimals() ?? 0) > 0;
}
