import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { baselineFile, knownInOrder, knownName, knownSentence } from '../known-failures.ts';
import { capital } from '../layout.ts';
import type { ReportOptions } from '../options.ts';
import { owedSentence } from '../terminal-left-behind.ts';
import { linkTo } from './anchors.ts';
import { sign } from './badge.ts';
import { command } from './exchange.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** Whose money hangs in the air after the run, and how it comes back. */
export function leftBehindSection(fold: Fold, { journal }: ReportOptions): Markup {
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const names = unrestored.map((id, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('scenario', id)}">${id}</a>`);
  const items = [
    ...(unrestored.length > 0 ? [html`The balance could not be brought back to what it was after ${names}`] : []),
    ...fold.owed.map((owed) => html`${capital(owedSentence(owed, fold))}`),
    ...(fold.ended === null ? [html`The run was cut off: what it had under way may still be owed`] : []),
  ];
  if (items.length === 0) return NOTHING;
  return html`<section id="left"><h2>What is left behind</h2>
<ul>${items.map(
    (item) => html`<li>${item}.</li>
`,
  )}</ul>
${journal === null ? null : command(`croupier settle ${quoteWord(journal)}`, 'Send what is owed')}</section>
`;
}

/** What the reader of the report should know and is no finding. */
export function noticesSection({ notices }: Fold): Markup {
  if (notices.length === 0) return NOTHING;
  return html`<section id="notices"><h2>Worth knowing</h2>
<ul>${notices.map((notice) => html`<li>${notice}</li>`)}</ul></section>
`;
}

/** What was known to fail, and what became of it. */
export function knownSection(fold: Fold): Markup {
  if (fold.baseline.length === 0) return NOTHING;
  const items = knownInOrder(fold).map(
    ({ result, look }) => html`<li>${sign(look)}<b>${knownName(result)}</b> ${knownSentence(result)}</li>
`,
  );
  const file = baselineFile(fold);
  return html`<section id="known"><h2>Known failures</h2>${file === null ? null : html`<p class="dim under">As <code>${file}</code> lists them.</p>`}<ul class="reasons">${items}</ul></section>
`;
}
