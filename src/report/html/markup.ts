import { forHtml, forHtmlBlock } from '../escape.ts';

/** A piece of HTML. Only `html` and `block` make it, so that no text from outside ever counts as markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a piece of HTML. null stands for nothing. */
export type Content = Markup | string | number | null | readonly Content[];

/**
 * HTML from a template. Texts that are put into it become text, in attributes (which must be quoted) as between tags: one line, and
 * whatever is invisible shown by its code.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = template[0] ?? '';
  for (let at = 0; at < values.length; at += 1) text += written(values[at] ?? null) + (template[at + 1] ?? '');
  return new Markup(text);
}

/** Text of an element that keeps white space: line ends and tabs are kept. Not for attributes. */
export function block(text: string): Markup {
  return new Markup(forHtmlBlock(text));
}

/** Nothing. */
export const NOTHING: Markup = new Markup('');

function written(value: Content): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return forHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(written).join('');
}
