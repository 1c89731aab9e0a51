import { plural } from '../../contract/plural.ts';
import { type Conclusion, conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import { exceededBudgets } from '../../journal/latency.ts';
import { shownCounts } from '../../journal/results/rule-counts.ts';
import { baseUrlsText } from '../base-urls.ts';
import { mark, verdictNoun } from '../marks.ts';
import { scopeText } from '../scope.ts';
import { capital, duration } from '../terminal/layout.ts';
import { type Content, html, type Markup, prose } from './markup.ts';

const MAX_CAUSES = 4;

/** Renders the verdict of the run for readers who do not know the code of the wallet. */
export function verdictHeader(fold: Fold): Markup {
  const conclusion = conclude(fold);
  const [title, ...rest] = conclusion.firstLine.split(': ');
  const sentence = rest.join(': ');
  return html`<header class="verdict ${conclusion.verdict}">
<p class="brand">croupier <span class="dim">conformance report</span></p>
<h1><span class="seal" aria-hidden="true">${mark(SIGNS[conclusion.verdict], true)}</span> ${capital((title ?? '').toLowerCase())}</h1>
<p class="lead${sentence.startsWith(fold.run.client.extCID) ? '' : ' sentence'}">${sentence}</p>
${plainWords(fold, conclusion)}
${tally(fold)}
${facts(fold, conclusion)}
</header>
`;
}

const SIGNS = { conforming: 'pass', nonconforming: 'fail', undecided: 'inconclusive' } as const;

function plainWords(fold: Fold, { verdict }: Conclusion): Markup {
  const detail = fold.ended?.detail ? html`<p class="sentence">${fold.ended.detail}</p>\n` : null;
  return html`<div class="plain">${detail}${sentences(fold, verdict)}</div>`;
}

function sentences(fold: Fold, verdict: Conclusion['verdict']): Content {
  switch (verdict) {
    case 'nonconforming':
      return nonconforming(fold);
    case 'conforming':
      return html`<p>croupier acted as the game service and made ${plural(fold.exchanges.sent, 'call')} to this wallet. ${praise(fold)}${known(fold)}. This result is about these calls only; it does not prove that the wallet is always correct.${untested(fold)}</p>`;
    case 'undecided':
      return html`<p>The calls so far do not show whether this wallet conforms to the contract. Fix the problems that stopped the run or left rules undecided, then run croupier again.${untested(fold)}</p>`;
  }
}

function praise({ rules }: Fold): Content {
  const warnings = rules.filter(({ verdict }) => verdict === 'warn').length;
  if (warnings === 0) return 'Every reply and every balance was as the contract demands';
  return html`No MUST rule is broken, but ${plural(warnings, 'rule')} gave <a href="#warnings">warnings</a>`;
}

function known({ baseline }: Fold): Content {
  const failing = baseline.filter(({ state }) => state === 'failing').length;
  return failing === 0 ? null : html`, apart from <a href="#known">${plural(failing, 'known failure')}</a>`;
}

function nonconforming(fold: Fold): Content {
  const { causes, rules, expectations, baseline } = fold;
  const broken = rules.filter(({ verdict, isKnown }) => verdict === 'fail' && !isKnown);
  const money = broken.filter(({ rule }) => rule.money).length;
  const missed = expectations.filter(({ verdict }) => verdict === 'fail').length;
  const effects = causes
    .slice(0, MAX_CAUSES)
    .flatMap(({ result }) => (result.rule.means === null ? [] : [result.rule.means]));
  const more = causes.length - effects.length;
  const outdatedList = html`The list of known failures is out of date: <a href="#known">see what to change</a>.`;
  const slow = exceededBudgets(fold).map(({ call }) => call);
  const late =
    slow.length === 0
      ? null
      : html` The replies to ${slow.join(', ')} took longer than their budget: <a href="#speed">see the times</a>.`;
  const outdated = baseline.some(({ state }) => state === 'fixed' || state === 'expired')
    ? html` ${outdatedList}`
    : null;
  if (broken.length === 0 && missed === 0) return html`<p>There are no new failures.${outdated}${late}</p>`;
  if (broken.length === 0)
    return html`<p>No rule of the contract is newly broken. The run failed because expectations of <a href="#broken">scenarios</a> are not met.${outdated}${late}</p>`;
  return [
    html`<p>${money > 0 ? 'Money is at stake: this wallet can lose money, or pay money that no player won.' : 'No broken rule is about money, but the game service cannot rely on this wallet.'}${effects.length > 0 ? ' Possible effects:' : ''}</p>`,
    effects.length > 0
      ? html`<ul class="can-happen">${effects.map((text) => html`<li>${prose(text)}</li>`)}${more > 0 ? html`<li>and ${plural(more, 'further fault')} that the list of causes shows</li>` : null}</ul>`
      : null,
    missed > 0
      ? html`<p>${missed} ${missed === 1 ? 'expectation of a scenario is' : 'expectations of scenarios are'} not met.</p>`
      : null,
    html`<p>Fix the likely causes below, starting with the first, and run croupier again. Failures that remain then have another cause.${outdated}${late}</p>`,
  ];
}

function untested({ rules, run }: Fold): Content {
  const count = rules.filter(({ verdict }) => verdict === 'skip' || verdict === 'untested').length;
  if (count === 0) return null;
  const why = run.whole ? '' : ', most of them because they were not selected';
  return html` ${plural(count, 'rule')} ${count === 1 ? 'was' : 'were'} not tested${why}: <a href="#untested">see which, and why</a>.`;
}

/** Renders the number of rules with each verdict, as a bar and in words. */
function tally({ rules }: Fold): Markup {
  const counts = shownCounts({ rules });
  let at = 0;
  const bars = counts.map(({ verdict, count }) => {
    const x = at;
    at += (count / rules.length) * 1000;
    return html`<rect class="${verdict}" x="${x.toFixed(1)}" width="${(at - x).toFixed(1)}" height="10"/>`;
  });
  const words = counts.map(
    ({ verdict, count }) =>
      html`<li class="${verdict}"><span aria-hidden="true">${mark(verdict, true)}</span> <b>${count}</b> ${verdictNoun(verdict, count)}</li>`,
  );
  return html`<div class="tally"><p class="dim">The ${plural(rules.length, 'rule')} of the contract</p><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg><ul aria-label="rules by verdict">${words}</ul></div>`;
}

function facts(fold: Fold, { exitCode }: Conclusion): Markup {
  const { run, ended, scenarios, exchanges } = fold;
  const played = scenarios.filter(({ state }) => state !== 'not-started').length;
  const rows: readonly (readonly [string, Content])[] = [
    ['Operator', html`${run.client.extCID} <span class="dim">at</span> ${baseUrlsText(run)}`],
    ['Judged by', `contract ${run.contract}${run.settings.strict ? ', strict' : ''}, croupier ${run.croupier}`],
    ['Scope', scopeText(fold)],
    ['Played', `${played} of ${plural(scenarios.length, 'scenario')}, ${plural(exchanges.sent, 'call')}`],
    ['Started', html`<time datetime="${run.startedAt}">${moment(run.startedAt)}</time>`],
    ['Duration', ended === null ? 'unknown: the run ended too early' : duration(ended.durationMs)],
    ['Seed', html`<code>${run.seed}</code>`],
    ...Object.entries(fold.labels).map(([name, value]) => [name, html`<code>${value}</code>`] as const),
    ['Exit status', String(exitCode)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Formats an ISO time as `2026-11-20 09:30:00 UTC`. Any other text is returned unchanged. */
function moment(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}
