import type { Cause } from '../../journal/cause.ts';
import type { Fold } from '../../journal/fold.ts';
import { movedAloneWarning } from '../../journal/moved-alone.ts';
import { plural } from '../layout.ts';
import { runAgain } from '../run-again.ts';
import { linkTo } from './anchors.ts';
import { MONEY, prose, sign } from './badge.ts';
import { command } from './exchange.ts';
import { html, type Markup, NOTHING } from './markup.ts';

const NAMED = 8;

/** The few broken rules that explain the rest: what each means, where to see it, and how to see it again. */
export function causesSection(fold: Fold): Markup {
  const { causes } = fold;
  if (causes.length === 0) return NOTHING;
  const warning = movedAloneWarning(fold);
  return html`<section id="causes"><h2>${causes.length === 1 ? 'Likely cause' : 'Likely causes'}</h2>
<p class="dim under">${causes.length === 1 ? 'One broken rule explains' : `${causes.length} broken rules explain`} all that failed. Mend from the top.</p>${warning === null ? null : html`<p>${sign('warn')} ${warning}</p>`}
<ol class="causes">${causes.map((cause) => item(cause, fold))}</ol></section>
`;
}

function item({ result, explains, scenarios }: Cause, fold: Fold): Markup {
  const { rule, checks, breaches } = result;
  const again = scenarios
    .map((id) => fold.run.scenarios.find((planned) => planned.id === id))
    .map((planned) => (planned ? runAgain(planned, fold.run.flags) : null))
    .find((line) => line !== null);
  const seen = scenarios
    .slice(0, NAMED)
    .map((id, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('scenario', id)}">${id}</a>`);
  const more = scenarios.length - seen.length;
  return html`<li class="cause"><h3><a href="${linkTo('rule', rule.id)}">${rule.id}</a> <span class="level">${rule.level}</span> ${rule.money ? MONEY : null}</h3>
${rule.means === null ? null : html`<p class="means">${prose(rule.means)}</p>`}
<dl><dt>broken in</dt><dd>${breaches} of ${plural(checks, 'check')}: ${seen}${more > 0 ? ` and ${more} more` : ''}</dd>${explains.length === 0 ? null : html`<dt>explains</dt><dd>${explains.map(({ rule: id, verdict }, at) => html`${at > 0 ? ', ' : ''}${sign(verdict)}<a href="${linkTo('rule', id)}">${id}</a>`)}</dd>`}<dt>to mend</dt><dd>${prose(rule.hint)}</dd></dl>
${again === undefined ? null : command(again, 'See it again')}</li>
`;
}
