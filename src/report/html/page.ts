import { VERDICTS, type Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import { mark, verdictNoun } from '../marks.ts';
import type { PageParts } from '../options.ts';
import { isAnythingLeft } from '../owed.ts';
import { html, Markup } from './markup.ts';
import { isWrong } from './scenario.ts';

/** Renders the end of the page. The script comes last, so that all elements exist when it runs. */
export function pageEnd({ script }: PageParts): Markup {
  return html`<script type="module">${new Markup(script)}</script>
</body>
</html>
`;
}

/**
 * Renders the links to the sections. If scripts run, the toolbar also has the search, the filters, and the choice of light or
 * dark.
 */
export function toolbar(fold: Fold): Markup {
  const played = fold.scenarios.filter(({ state }) => state !== 'not-started');
  const has = (verdict: Verdict): boolean => played.some((scenario) => scenario.verdict === verdict);
  const isOther = ({ verdict }: ScenarioResult): boolean => !isWrong({ verdict });
  const links = [
    ...(fold.causes.length > 0 ? [['causes', 'Causes']] : []),
    ...(has('fail') ? [['broken', 'Failures']] : []),
    ['rules', 'Rules'],
    ...(isAnythingLeft(fold) ? [['left', 'Owed']] : []),
    ...(has('inconclusive') ? [['doubtful', 'Undecided']] : []),
    ...(has('warn') ? [['warnings', 'Warnings']] : []),
    ...(played.some(isOther) ? [['others', 'Scenarios']] : []),
    ...(fold.latency.length > 0 ? [['speed', 'Speed']] : []),
    ['run', 'Run'],
  ].map(([id = '', name = '']) => html`<a href="#${id}">${name}</a>`);
  const filters = VERDICTS.flatMap((verdict) => {
    const count = played.filter((scenario) => scenario.verdict === verdict).length;
    return count === 0
      ? []
      : [
          html`<button type="button" class="filter ${verdict}" data-filter="${verdict}" aria-pressed="false" title="show only scenarios with this result: ${verdictNoun(verdict, count)}"><span aria-hidden="true">${mark(verdict, true)}</span> <b>${count}</b> <i>${verdictNoun(verdict, count)}</i></button>`,
        ];
  });
  return html`<nav class="bar" aria-label="report"><div class="links">${links}</div>
<div class="tools" hidden><input type="search" id="search" aria-label="Search scenarios and rules" placeholder="Search" autocomplete="off" spellcheck="false"><div class="filters" role="group" aria-label="scenarios by verdict"><span class="dim">Scenarios</span>${filters}<button type="button" class="filter" data-filter="money" aria-pressed="false"><span aria-hidden="true">$</span> money</button></div><output id="shown" aria-live="polite"></output><button type="button" id="theme">Dark</button></div>
<noscript><span class="dim">Scripts are off, so this page has no search. For scenarios that passed, it shows only a short list of calls.</span></noscript></nav>
`;
}
