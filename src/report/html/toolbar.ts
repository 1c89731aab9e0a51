import { VERDICTS, type Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { mark, verdictNoun } from '../marks.ts';
import { html, type Markup } from './markup.ts';

/** The ways through the page, and where scripts run a search, filters and the choice of light or dark. */
export function toolbar(fold: Fold): Markup {
  const played = fold.scenarios.filter(({ state }) => state !== 'not-started');
  const has = (verdict: Verdict): boolean => played.some((scenario) => scenario.verdict === verdict);
  const first = has('fail') ? 'broken' : has('inconclusive') ? 'doubtful' : 'others';
  const links = [
    ...(fold.causes.length > 0 ? [['causes', 'Causes']] : []),
    ['rules', 'Rules'],
    ...(played.length > 0 ? [[first, 'Scenarios']] : []),
    ...(fold.latency.length > 0 ? [['speed', 'Speed']] : []),
  ].map(([id = '', name = '']) => html`<a href="#${id}">${name}</a>`);
  const filters = VERDICTS.flatMap((verdict) => {
    const count = played.filter((scenario) => scenario.verdict === verdict).length;
    return count === 0
      ? []
      : [
          html`<button type="button" class="filter ${verdict}" data-filter="${verdict}" aria-pressed="false"><span aria-hidden="true">${mark(verdict, true)}</span> ${verdictNoun(verdict, count)} <b>${count}</b></button>`,
        ];
  });
  return html`<nav class="bar" aria-label="report"><div class="links">${links}</div>
<div class="tools" hidden><input type="search" id="search" aria-label="Search scenarios and rules" placeholder="Search" autocomplete="off" spellcheck="false"><div class="filters" role="group" aria-label="scenarios by verdict">${filters}<button type="button" class="filter" data-filter="money" aria-pressed="false"><span aria-hidden="true">$</span> money</button></div><output id="shown"></output><button type="button" id="theme">Dark</button></div>
<noscript><span class="dim">Without its script this page has no search, and shows the calls of what passed in short.</span></noscript></nav>
`;
}
