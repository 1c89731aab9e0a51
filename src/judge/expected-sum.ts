import type { Expression } from '../scenario/expression.ts';
import type { CallStep, Template } from '../scenario/plan.ts';

/** How a field is written, when that is simple: a literal's text, or the one name that an expression consists of. */
export function bySum(step: CallStep, field: string): string | undefined {
  const template = fieldOf(step, field);
  if (template?.kind === 'literal' && typeof template.value === 'string') return template.value;
  if (template?.kind !== 'expression') return undefined;
  const { expression } = template;
  switch (expression.kind) {
    case 'name':
      return expression.path.join('.');
    case 'money':
    case 'text':
      return expression.text;
    case 'value':
      return typeof expression.value === 'string' ? expression.value : undefined;
    case 'joined':
    case 'negate':
    case 'arithmetic':
      return undefined;
  }
}

/** True when the field's expression uses that name, such as `unit`. */
export function mentions(step: CallStep, field: string, name: string): boolean {
  const template = fieldOf(step, field);
  return template !== undefined && uses(template, name);
}

export function fieldOf(step: CallStep, field: string): Template | undefined {
  return step.fields.find(([key]) => key === field)?.[1];
}

function uses(template: Template, name: string): boolean {
  switch (template.kind) {
    case 'literal':
      return false;
    case 'expression':
      return names(template.expression, name);
    case 'text':
      return template.parts.some((part) => typeof part !== 'string' && names(part, name));
    case 'list':
      return template.items.some((item) => uses(item, name));
    case 'map':
      return template.entries.some(([, value]) => uses(value, name));
  }
}

function names(expression: Expression, name: string): boolean {
  switch (expression.kind) {
    case 'name':
      return expression.path.join('.') === name;
    case 'negate':
      return names(expression.of, name);
    case 'arithmetic':
      return names(expression.left, name) || names(expression.right, name);
    case 'joined':
      return expression.parts.some((part) => typeof part !== 'string' && names(part, name));
    case 'money':
    case 'text':
    case 'value':
      return false;
  }
}
