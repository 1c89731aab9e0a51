import { type Expression, namesIn, parseExpression, type Template } from './expressions/expression.ts';
import { type Diagnostic, diagnosticAt, MAX_DIAGNOSTICS } from './yaml/diagnostic.ts';
import { placeOf, type Range } from './yaml/source.ts';
import type { ScalarNode, YamlNode } from './yaml/yaml-node.ts';

/** The value of a case variable or of a parameter. */
export interface Binding {
  readonly node: YamlNode;
  /** The case variables and parameters that the value itself can use. */
  readonly scope: Bindings;
  /** True after the value was used at least once. */
  used: boolean;
}

export type Bindings = ReadonlyMap<string, Binding>;

export const NO_BINDINGS: Bindings = new Map();

/** A name in `${…}` that is neither a case variable nor a parameter. It is checked after all steps were read. */
export interface Reference {
  readonly path: readonly [string, ...string[]];
  readonly range: Range;
  /** The order number of the step that contains the name. Undefined if the name is outside the steps. */
  readonly step: number | undefined;
}

/**
 * The state of reading one file for one case: the values of variables, the references to steps, and the mistakes that were
 * found.
 */
export class Reading {
  readonly bindings: Bindings;
  readonly references: Reference[];
  readonly #diagnostics: Map<string, Diagnostic>;
  readonly #counter: { order: number };

  constructor(bindings: Bindings, parent?: Reading, diagnostics: Map<string, Diagnostic> = new Map()) {
    this.bindings = bindings;
    this.references = parent ? parent.references : [];
    this.#diagnostics = parent ? parent.#diagnostics : diagnostics;
    this.#counter = parent ? parent.#counter : { order: -1 };
  }

  /** Starts the next step. Names that are read after this call belong to the new step. */
  nextStep(): number {
    this.#counter.order += 1;
    return this.#counter.order;
  }

  get step(): number | undefined {
    return this.#counter.order < 0 ? undefined : this.#counter.order;
  }

  /** True if the maximum number of mistakes was found. No further mistake is reported. */
  get isFull(): boolean {
    return this.#diagnostics.size >= MAX_DIAGNOSTICS;
  }

  /** Reports a mistake. A mistake that several cases have is reported only once. */
  report(range: Range, message: string, fix?: string): void {
    if (this.isFull) return;
    const diagnostic = diagnosticAt(range, message, fix);
    const key = `${diagnostic.file}:${diagnostic.line}:${diagnostic.column}:${message}`;
    if (!this.#diagnostics.has(key)) this.#diagnostics.set(key, diagnostic);
  }

  /**
   * Replaces the case variables and parameters in a node. If no other `${…}` is left in a text, returns the result as a plain
   * value.
   */
  resolve(node: YamlNode): YamlNode {
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || !node.value.includes('${')) return node;
    const whole = /^\$\{\s*([\w-]+)\s*\}$/.exec(node.value)?.[1];
    const binding = whole === undefined ? undefined : this.bindings.get(whole);
    if (binding) {
      binding.used = true;
      const value = new Reading(binding.scope, this).resolve(binding.node);
      return { ...value, range: { ...value.range, usedFrom: placeOf(node.range) } };
    }
    const template = this.#textTemplate(node, node.value, [], () => {});
    // A `${` in quotes is plain text. So the original node is returned, and this text is not parsed as an expression later.
    if (template?.kind !== 'literal' || (typeof template.value === 'string' && template.value.includes('${')))
      return node;
    const value = typeof template.value === 'object' ? null : template.value;
    return { kind: 'scalar', value, written: String(value), range: node.range };
  }

  /** Reads a scalar that may contain `${…}`. Returns undefined if a mistake was reported. */
  template(node: ScalarNode): Template | undefined {
    if (typeof node.value !== 'string') return { kind: 'literal', value: node.value };
    return this.#textTemplate(node, node.value, this.references, (range, message, fix) =>
      this.report(range, message, fix),
    );
  }

  #textTemplate(
    node: ScalarNode,
    text: string,
    references: Reference[],
    report: (range: Range, message: string, fix?: string) => void,
  ): Template | undefined {
    if (!text.includes('${')) return { kind: 'literal', value: text };
    const parts: (string | Expression)[] = [];
    let at = 0;
    let valid = true;
    while (at < text.length) {
      const opening = text.indexOf('${', at);
      if (opening === -1) break;
      if (opening > at) parts.push(text.slice(at, opening));
      const closing = closingBrace(text, opening + 2);
      if (closing === -1) {
        report(rangeWithin(node, opening, text.length), 'this `${` is not closed', 'add a }');
        return undefined;
      }
      const parsed = parseExpression(text.slice(opening + 2, closing), opening + 2);
      if (parsed.ok) parts.push(this.#substitute(parsed.expression, node, references));
      else {
        valid = false;
        const { start, end, message, fix } = parsed.mistake;
        report(rangeWithin(node, start, end), message, fix);
      }
      at = closing + 1;
    }
    if (!valid) return undefined;
    if (at < text.length) parts.push(text.slice(at));
    return toTemplate(parts);
  }

  /** Replaces the names of case variables and parameters by their values, and records every other name. */
  #substitute(expression: Expression, node: ScalarNode, references: Reference[]): Expression {
    switch (expression.kind) {
      case 'name': {
        const binding = expression.path.length === 1 ? this.bindings.get(expression.path[0]) : undefined;
        if (!binding) {
          references.push({
            path: expression.path,
            range: rangeWithin(node, expression.start, expression.end),
            step: this.step,
          });
          return expression;
        }
        binding.used = true;
        if (binding.node.kind !== 'scalar') return { kind: 'value', value: null };
        const template = new Reading(binding.scope, this).template(binding.node);
        if (!template) return { kind: 'value', value: null };
        if (template.kind === 'expression') return template.expression;
        if (template.kind === 'text') return { kind: 'joined', parts: template.parts };
        const value = template.kind === 'literal' && typeof template.value !== 'object' ? template.value : null;
        return { kind: 'value', value };
      }
      case 'negate':
        return { kind: 'negate', of: this.#substitute(expression.of, node, references) };
      case 'arithmetic':
        return {
          ...expression,
          left: this.#substitute(expression.left, node, references),
          right: this.#substitute(expression.right, node, references),
        };
      case 'money':
      case 'text':
      case 'value':
      case 'joined':
        return expression;
    }
  }
}

/** Returns the index of the brace that closes an expression. Braces in quoted text are skipped. */
function closingBrace(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "'") quoted = !quoted;
    else if (text[at] === '}' && !quoted) return at;
  }
  return text.indexOf('}', from);
}

/**
 * Returns where a part of a YAML scalar is in the file. If escapes or line breaks hide the exact place, returns the range of the
 * whole scalar.
 */
export function rangeWithin(node: ScalarNode, start: number, end: number): Range {
  if (node.textStart === undefined) return node.range;
  return { ...node.range, start: node.textStart + start, end: node.textStart + end };
}

/**
 * Joins neighbouring parts whose values are known. If the only part is an expression, the result is this expression, so that its
 * value keeps its type.
 */
function toTemplate(parts: readonly (string | Expression)[]): Template {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') {
    if (only.kind === 'value') return { kind: 'literal', value: only.value };
    if (only.kind === 'text') return { kind: 'literal', value: only.text };
    if (only.kind === 'joined') return { kind: 'text', parts: only.parts };
    return { kind: 'expression', expression: only };
  }
  const merged: (string | Expression)[] = [];
  for (const part of parts.flatMap((each) =>
    typeof each !== 'string' && each.kind === 'joined' ? each.parts : [each],
  )) {
    const text =
      typeof part === 'string'
        ? part
        : part.kind === 'value'
          ? String(part.value)
          : part.kind === 'text'
            ? part.text
            : undefined;
    const last = merged.at(-1);
    if (text === undefined) merged.push(part);
    else if (typeof last === 'string') merged[merged.length - 1] = last + text;
    else merged.push(text);
  }
  const [first] = merged;
  if (merged.length === 0) return { kind: 'literal', value: '' };
  return merged.length === 1 && typeof first === 'string'
    ? { kind: 'literal', value: first }
    : { kind: 'text', parts: merged };
}

/** Returns every name that a template uses. */
export function* namesOf(template: Template): Generator<Expression & { kind: 'name' }> {
  if (template.kind === 'expression') yield* namesIn(template.expression);
  if (template.kind === 'text') yield* namesIn({ kind: 'joined', parts: template.parts });
}

/** True if a template uses a name that begins with one of these words. */
export function uses(template: Template, heads: ReadonlySet<string>): boolean {
  return [...namesOf(template)].some((name) => heads.has(name.path[0]));
}
