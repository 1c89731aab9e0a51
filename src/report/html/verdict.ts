import { type Conclusion, conclude } from '../../journal/conclusion.ts';
import { VERDICTS } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { capital, duration, plural } from '../layout.ts';
import { mark, verdictNoun } from '../marks.ts';
import { prose } from './badge.ts';
import { type Content, html, type Markup } from './markup.ts';

const CAUSES = 4;

/** What the run came to, for somebody who has never seen a wallet's code. */
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
      return html`<p>croupier played the game service’s part, made ${plural(fold.exchanges.sent, 'call')} to this wallet and found every reply, and every balance, as the contract demands${known(fold)}. That is no proof for all times: it is what these calls showed.${untested(fold)}</p>`;
    case 'undecided':
      return html`<p>This is neither good news nor bad. What was tried so far does not suffice to say whether this wallet keeps the contract. Mend what stood in the way, then run croupier again.${untested(fold)}</p>`;
  }
}

function known({ baseline }: Fold): Content {
  const failing = baseline.filter(({ state }) => state === 'failing').length;
  return failing === 0 ? null : html`, apart from <a href="#known">${plural(failing, 'known failure')}</a>`;
}

function nonconforming({ causes, rules, expectations, baseline }: Fold): Content {
  const broken = rules.filter(({ verdict, isKnown }) => verdict === 'fail' && !isKnown);
  const money = broken.filter(({ rule }) => rule.money).length;
  const missed = expectations.filter(({ verdict }) => verdict === 'fail').length;
  const told = causes.slice(0, CAUSES).flatMap(({ result }) => (result.rule.means === null ? [] : [result.rule.means]));
  const more = causes.length - told.length;
  const fitting = html`The list of known failures no longer fits: <a href="#known">see what to change</a>.`;
  const outdated = baseline.some(({ state }) => state === 'mended' || state === 'expired') ? html` ${fitting}` : null;
  if (broken.length === 0 && missed === 0) return html`<p>Nothing is newly broken. ${fitting}</p>`;
  if (broken.length === 0)
    return html`<p>No rule of the contract was newly seen broken. What failed is what <a href="#broken">scenarios</a> demand beyond the contract.${outdated}</p>`;
  return [
    html`<p>${money > 0 ? 'Money is at stake: with this wallet it can be lost, or paid that nobody won.' : 'No money is known to be at stake, but the game service cannot rely on this wallet.'}${told.length > 0 ? ' What can happen:' : ''}</p>`,
    told.length > 0
      ? html`<ul class="can-happen">${told.map((text) => html`<li>${prose(text)}</li>`)}${more > 0 ? html`<li>and ${plural(more, 'further fault')}, below</li>` : null}</ul>`
      : null,
    missed > 0
      ? html`<p>${capital(plural(missed, 'expectation'))} of scenarios ${missed === 1 ? 'is' : 'are'} not met.</p>`
      : null,
    html`<p>Mend the likely causes below, the first one first, and run croupier again: what is still there then is a fault of its own.${outdated}</p>`,
  ];
}

function untested({ rules, run }: Fold): Content {
  const count = rules.filter(({ verdict }) => verdict === 'skip' || verdict === 'untested').length;
  if (count === 0) return null;
  const why = run.whole ? '' : ', most because they were not selected';
  return html` ${plural(count, 'rule')} ${count === 1 ? 'was' : 'were'} not tested${why}: <a href="#untested">see which, and why</a>.`;
}

/** How many rules have which verdict: as a bar, and in words. */
function tally({ rules }: Fold): Markup {
  const counts = VERDICTS.flatMap((verdict) => {
    const count = rules.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [{ verdict, count }];
  });
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
  return html`<div class="tally"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg><ul aria-label="rules by verdict">${words}</ul></div>`;
}

function facts(fold: Fold, { exitCode }: Conclusion): Markup {
  const { run, ended, scenarios, exchanges } = fold;
  const played = scenarios.filter(({ state }) => state !== 'not-started').length;
  const rows: readonly (readonly [string, Content])[] = [
    ['Operator', html`${run.client.extCID} <span class="dim">at</span> ${run.client.integratorBaseUrl}`],
    ['Judged by', `contract ${run.contract}${run.settings.strict ? ', strict' : ''}, croupier ${run.croupier}`],
    [
      'Scope',
      run.whole ? 'the whole suite' : `selected: ${run.selection.length === 0 ? 'a part' : run.selection.join(' ')}`,
    ],
    ['Played', `${played} of ${plural(scenarios.length, 'scenario')}, ${plural(exchanges.sent, 'call')}`],
    ['Begun', html`<time datetime="${run.startedAt}">${moment(run.startedAt)}</time>`],
    ['Took', ended === null ? 'unknown: it was cut off' : duration(ended.durationMs)],
    ['Seed', html`<code>${run.seed}</code>`],
    ['Exit status', String(exitCode)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** `2026-11-20 09:30:00 UTC`; what is no ISO time stays as it is. */
function moment(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}
