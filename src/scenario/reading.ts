import type { Cell, ScalarCell } from './cell.ts';
import { type Complaint, complaintAt } from './complaint.ts';
import { type Expression, namesIn, parseExpression } from './expression.ts';
import type { Template } from './plan.ts';
import { placeOf, type Spot } from './source.ts';

/** What a case variable or a parameter stands for. */
export interface Binding {
  readonly cell: Cell;
  /** The bindings that hold where the value was written. */
  readonly scope: Bindings;
  /** Set once something uses it. */
  used: boolean;
}

export type Bindings = ReadonlyMap<string, Binding>;

export const NO_BINDINGS: Bindings = new Map();

/** A name in a `${…}` that is not a case variable or parameter; checked when all steps are known. */
export interface Reference {
  readonly path: readonly [string, ...string[]];
  readonly spot: Spot;
  /** Order of the step that it stands in; undefined outside the steps. */
  readonly step: number | undefined;
}

const MOST_COMPLAINTS = 200;

/** What is gathered while one file is read for one case. */
export class Reading {
  readonly bindings: Bindings;
  readonly references: Reference[];
  readonly #complaints: Map<string, Complaint>;
  readonly #counter: { order: number };

  constructor(bindings: Bindings, parent?: Reading, complaints: Map<string, Complaint> = new Map()) {
    this.bindings = bindings;
    this.references = parent ? parent.references : [];
    this.#complaints = parent ? parent.#complaints : complaints;
    this.#counter = parent ? parent.#counter : { order: -1 };
  }

  /** Begins the next step; what is read from now on belongs to it. */
  nextStep(): number {
    this.#counter.order += 1;
    return this.#counter.order;
  }

  get step(): number | undefined {
    return this.#counter.order < 0 ? undefined : this.#counter.order;
  }

  /** The same mistake found again for another case is one complaint. */
  complain(spot: Spot, message: string, mend?: string): void {
    if (this.#complaints.size >= MOST_COMPLAINTS) return;
    const complaint = complaintAt(spot, message, mend);
    const key = `${complaint.file}:${complaint.line}:${complaint.column}:${message}`;
    if (!this.#complaints.has(key)) this.#complaints.set(key, complaint);
  }

  /** Puts in case variables and parameters; what then holds no `${…}` any more is a plain value, at its own place. */
  settle(cell: Cell): Cell {
    if (cell.kind !== 'scalar' || typeof cell.value !== 'string' || !cell.value.includes('${')) return cell;
    const whole = /^\$\{\s*([\w-]+)\s*\}$/.exec(cell.value)?.[1];
    const binding = whole === undefined ? undefined : this.bindings.get(whole);
    if (binding) {
      binding.used = true;
      const value = new Reading(binding.scope, this).settle(binding.cell);
      return { ...value, spot: { ...value.spot, usedFrom: placeOf(cell.spot) } };
    }
    const template = this.#textTemplate(cell, cell.value, [], () => {});
    // What a quoted `${` stands for is no expression, so that it must not be read once more.
    if (template?.kind !== 'literal' || (typeof template.value === 'string' && template.value.includes('${')))
      return cell;
    const value = typeof template.value === 'object' ? null : template.value;
    return { kind: 'scalar', value, written: String(value), spot: cell.spot };
  }

  /** A scalar with its `${…}`; undefined after a complaint. */
  template(cell: ScalarCell): Template | undefined {
    if (typeof cell.value !== 'string') return { kind: 'literal', value: cell.value };
    return this.#textTemplate(cell, cell.value, this.references, (spot, message, mend) =>
      this.complain(spot, message, mend),
    );
  }

  #textTemplate(
    cell: ScalarCell,
    text: string,
    references: Reference[],
    complain: (spot: Spot, message: string, mend?: string) => void,
  ): Template | undefined {
    if (!text.includes('${')) return { kind: 'literal', value: text };
    const parts: (string | Expression)[] = [];
    let at = 0;
    let sound = true;
    while (at < text.length) {
      const opening = text.indexOf('${', at);
      if (opening === -1) break;
      if (opening > at) parts.push(text.slice(at, opening));
      const closing = closingBrace(text, opening + 2);
      if (closing === -1) {
        complain(spotWithin(cell, opening, text.length), 'this `${` is never closed', 'add a }');
        return undefined;
      }
      const parsed = parseExpression(text.slice(opening + 2, closing), opening + 2);
      if (parsed.ok) parts.push(this.#substitute(parsed.expression, cell, references));
      else {
        sound = false;
        const { start, end, message, mend } = parsed.mistake;
        complain(spotWithin(cell, start, end), message, mend);
      }
      at = closing + 1;
    }
    if (!sound) return undefined;
    if (at < text.length) parts.push(text.slice(at));
    return toTemplate(parts);
  }

  /** Replaces names of case variables and parameters, and notes every other name. */
  #substitute(expression: Expression, cell: ScalarCell, references: Reference[]): Expression {
    switch (expression.kind) {
      case 'name': {
        const binding = expression.path.length === 1 ? this.bindings.get(expression.path[0]) : undefined;
        if (!binding) {
          references.push({
            path: expression.path,
            spot: spotWithin(cell, expression.start, expression.end),
            step: this.step,
          });
          return expression;
        }
        binding.used = true;
        if (binding.cell.kind !== 'scalar') return { kind: 'value', value: null };
        const template = new Reading(binding.scope, this).template(binding.cell);
        if (!template) return { kind: 'value', value: null };
        if (template.kind === 'expression') return template.expression;
        if (template.kind === 'text') return { kind: 'joined', parts: template.parts };
        const value = template.kind === 'literal' && typeof template.value !== 'object' ? template.value : null;
        return { kind: 'value', value };
      }
      case 'negate':
        return { kind: 'negate', of: this.#substitute(expression.of, cell, references) };
      case 'arithmetic':
        return {
          ...expression,
          left: this.#substitute(expression.left, cell, references),
          right: this.#substitute(expression.right, cell, references),
        };
      case 'money':
      case 'text':
      case 'value':
      case 'joined':
        return expression;
    }
  }
}

/** The brace that closes an expression: the first one outside quoted text. */
function closingBrace(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "'") quoted = !quoted;
    else if (text[at] === '}' && !quoted) return at;
  }
  return text.indexOf('}', from);
}

/** The place of some letters of a scalar's text; the whole scalar where escapes or line breaks make that unknowable. */
export function spotWithin(cell: ScalarCell, start: number, end: number): Spot {
  if (cell.textStart === undefined) return cell.spot;
  return { ...cell.spot, start: cell.textStart + start, end: cell.textStart + end };
}

/** Parts that are known already become text; a single expression stays one, so that it keeps its type. */
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

/** Every name that an amount or text uses. */
export function* namesOf(template: Template): Generator<Expression & { kind: 'name' }> {
  if (template.kind === 'expression') yield* namesIn(template.expression);
  if (template.kind === 'text') yield* namesIn({ kind: 'joined', parts: template.parts });
}

/** Whether an amount or text uses one of these names. */
export function uses(template: Template, heads: ReadonlySet<string>): boolean {
  return [...namesOf(template)].some((name) => heads.has(name.path[0]));
}
