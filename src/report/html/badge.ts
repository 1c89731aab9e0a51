import type { Verdict } from '../../journal/finding.ts';
import { mark, verdictNoun } from '../marks.ts';
import { type Content, html, type Markup } from './markup.ts';

/** The sign of a verdict and its word: never the colour alone. */
export function badge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${mark(verdict, true)}</span> ${word(verdict)}</span>`;
}

/** The sign of a verdict, its word for those who hear the page. */
export function sign(verdict: Verdict): Markup {
  return html`<span class="sign ${verdict}" title="${word(verdict)}"><span aria-hidden="true">${mark(verdict, true)}</span><span class="heard">${word(verdict)} </span></span>`;
}

/** That a breach loses or invents money. */
export const MONEY: Markup = html`<span class="money" title="a breach loses or invents money"><span aria-hidden="true">$</span> money</span>`;

function word(verdict: Verdict): string {
  return verdictNoun(verdict, 1);
}

/** A sentence of the catalogue, in which names of fields stand between backticks. */
export function prose(text: string): readonly Content[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
