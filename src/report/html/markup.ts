import type { Verdict } from '../../journal/finding.ts';
import { forHtml, forHtmlBlock } from '../escape.ts';
import { mark, verdictNoun } from '../marks.ts';

/**
 * A piece of HTML. Text from outside becomes a piece only through the functions `html` and `block`. They escape the text, so it
 * never becomes markup.
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that can be put into a piece of HTML. Null adds nothing. */
export type Content = Markup | string | number | null | readonly Content[];

/**
 * Builds HTML from a template. Strings are escaped for text and for quoted attributes: each becomes one line, and invisible
 * characters become their codes.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = template[0] ?? '';
  for (let at = 0; at < values.length; at += 1) text += written(values[at] ?? null) + (template[at + 1] ?? '');
  return new Markup(text);
}

/**
 * Escapes a text for an element that keeps white space. Line ends and tabs are kept. The result must not be used in an attribute.
 */
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

/** Returns the HTML `id` of a scenario, rule or call. */
export function anchor(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `${of}-${id}`;
}

/** Returns the link to a scenario, rule or call within the page. The link is encoded, because the id of a case contains `#`. */
export function linkTo(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `#${encodeURIComponent(anchor(of, id)).replaceAll('%2F', '/')}`;
}

/** Renders the sign and the word of a verdict, so that verdicts differ not only in colour. */
export function badge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${mark(verdict, true)}</span> ${word(verdict)}</span>`;
}

/** Renders the sign of a verdict. Screen readers read its word. */
export function sign(verdict: Verdict): Markup {
  return html`<span class="sign ${verdict}" title="${word(verdict)}"><span aria-hidden="true">${mark(verdict, true)}</span><span class="heard">${word(verdict)} </span></span>`;
}

/** The mark of a rule whose breach loses or creates money. */
export const MONEY: Markup = html`<span class="money" title="a breach loses or creates money"><span aria-hidden="true">$</span> money</span>`;

function word(verdict: Verdict): string {
  return verdictNoun(verdict, 1);
}

/** Renders a sentence of the catalogue. Text between backticks becomes code. */
export function prose(text: string): readonly Content[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}

/**
 * Renders a sentence that may contain text from outside. Between backticks, only a single word, a key with its value, or a command
 * of croupier becomes code. So no tag divides a secret in the text, and the secret can still be found and removed.
 */
export function proseFromOutside(text: string): readonly Content[] {
  return text
    .split(/`([\w.:/#-]{1,60}|\w{1,40}: \w{1,40}|croupier [\w .:/#-]{1,60})`/)
    .map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
