import type { Verdict } from '../../journal/finding.ts';
import { forHtml, forHtmlBlock } from '../escape.ts';
import { mark, verdictNoun } from '../marks.ts';

/** A piece of HTML. Only `html` and `block` create it, so that text from outside never becomes markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that can be put into a piece of HTML. null is written as nothing. */
export type Content = Markup | string | number | null | readonly Content[];

/**
 * HTML from a template. Strings are escaped, for text and for quoted attributes: each becomes one line, and invisible characters
 * become their codes.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = template[0] ?? '';
  for (let at = 0; at < values.length; at += 1) text += written(values[at] ?? null) + (template[at + 1] ?? '');
  return new Markup(text);
}

/** Text for an element that keeps white space. Line ends and tabs are kept. Not for attributes. */
export function block(text: string): Markup {
  return new Markup(forHtmlBlock(text));
}

/** Empty HTML. */
export const NOTHING: Markup = new Markup('');

function written(value: Content): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return forHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(written).join('');
}

/** The HTML `id` of a scenario, rule or call. */
export function anchor(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `${of}-${id}`;
}

/** The link to a scenario, rule or call within the page. It is encoded, because the id of a case contains `#`. */
export function linkTo(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `#${encodeURIComponent(anchor(of, id)).replaceAll('%2F', '/')}`;
}

/** The sign and the word of a verdict, so that the colour is not the only difference. */
export function badge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${mark(verdict, true)}</span> ${word(verdict)}</span>`;
}

/** The sign of a verdict, with its word for screen readers. */
export function sign(verdict: Verdict): Markup {
  return html`<span class="sign ${verdict}" title="${word(verdict)}"><span aria-hidden="true">${mark(verdict, true)}</span><span class="heard">${word(verdict)} </span></span>`;
}

/** The mark of a rule whose breach loses or creates money. */
export const MONEY: Markup = html`<span class="money" title="a breach loses or creates money"><span aria-hidden="true">$</span> money</span>`;

function word(verdict: Verdict): string {
  return verdictNoun(verdict, 1);
}

/** A sentence of the catalogue. Text between backticks becomes code. */
export function prose(text: string): readonly Content[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
