import { CALL_NAMES } from '../../contract/call-name.ts';
import { plural } from '../../contract/plural.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { byGravity } from '../../journal/judged-outcome.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { clauseText } from '../clause.ts';
import { capital } from '../terminal/layout.ts';
import { leftOutRules, reasonText } from '../terminal/rules.ts';
import {
  anchor,
  badge,
  type Content,
  html,
  linkTo,
  type Markup,
  MONEY,
  NOTHING,
  prose,
  proseFromOutside,
  sign,
} from './markup.ts';

const MAX_NAMES = 12;

/**
 * Renders a table of all rules, with one row for each group and the rules about money first. Below it, each rule is described in
 * words.
 */
export function rulesSection(fold: Fold, past: (result: RuleResult) => Markup | null): Markup {
  return html`<section id="rules"><h2>Rules</h2>
${matrix(fold)}
${inWords(fold, past)}</section>
`;
}

function matrix({ rules }: Fold): Markup {
  const rows = RULE_GROUPS.map((group) => {
    const own = rules.filter(({ rule }) => rule.group === group);
    const chips = (money: boolean): Content =>
      own
        .filter(({ rule }) => rule.money === money)
        .map(
          ({ rule, verdict }) =>
            html`<a class="chip ${verdict}" href="${linkTo('rule', rule.id)}">${sign(verdict)}${rule.id.slice(group.length + 1)}</a> `,
        );
    return html`<tr><th scope="row" class="group">${group}</th><td>${chips(true)}</td><td>${chips(false)}</td></tr>
`;
  });
  return html`<table class="matrix"><thead><tr><th scope="col"><span class="heard">Group</span></th><th scope="col">${MONEY} at stake</th><th scope="col">Other rules</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Renders each rule in words. Rules about money come first, and then the most severe verdicts. */
function inWords({ rules }: Fold, past: (result: RuleResult) => Markup | null): Markup {
  const sorted = rules.toSorted((a, b) => Number(b.rule.money) - Number(a.rule.money) || byGravity(a, b));
  return html`<details class="words"><summary>Every rule in words, with its result</summary>
<ul class="rules">${sorted.map((result) => ruleItem(result, past(result)))}</ul></details>`;
}

function ruleItem(result: RuleResult, past: Markup | null): Markup {
  const { rule, verdict, checks, endpoints, scenarios } = result;
  const kinds = new Set(endpoints.map((one) => one.verdict));
  const byEndpoint =
    kinds.size < 2
      ? null
      : html`<dt>by call</dt><dd>${CALL_NAMES.flatMap((call) => endpoints.filter(({ endpoint }) => endpoint === call)).map(({ endpoint, verdict: own }) => html`${sign(own)}${endpoint} `)}</dd>`;
  const seen = scenarios
    .slice(0, MAX_NAMES)
    .map((id, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('scenario', id)}">${id}</a>`);
  const more = scenarios.length - seen.length;
  return html`<li id="${anchor('rule', rule.id)}" class="rule ${verdict}"><p>${badge(verdict)} <b>${rule.id}</b> <span class="level">${rule.level}</span> ${rule.money ? MONEY : null}</p>
<p>${prose(capital(rule.sentence))}. <span class="dim">${clauseText(rule)}</span></p>
<dl>${verdict === 'pass' ? null : html`<dt>${verdict === 'fail' ? 'actual' : 'why'}</dt><dd>${proseFromOutside(reasonText(result))}</dd>`}${whyOnlyWarned(result)}${past}${verdict === 'fail' && rule.means !== null ? html`<dt>means</dt><dd>${prose(rule.means)}</dd><dt>to fix</dt><dd>${prose(rule.hint)}</dd>` : null}${byEndpoint}${scenarios.length === 0 ? null : html`<dt>${plural(checks, 'check')}</dt><dd>${seen}${more > 0 ? ` and ${more} more` : ''}</dd>`}</dl></li>
`;
}

/** Says why a MUST only warns. Empty for every other result. */
function whyOnlyWarned({ verdict, findings }: RuleResult): Markup | null {
  const why = verdict === 'warn' ? findings.find((finding) => finding.verdict === 'warn')?.why : undefined;
  return why === undefined
    ? null
    : html`<dt>warning</dt><dd>This is only a warning although the rule is a MUST, because ${why}.</dd>`;
}

/** Lists the rules that have one of these verdicts, with one entry for each reason. */
export function reasonsSection(fold: Fold, id: string, title: string, verdicts: readonly Verdict[]): Markup {
  const left = new Set(verdicts.includes('untested') ? leftOutRules(fold) : []);
  const found = fold.rules.filter((result) => verdicts.includes(result.verdict) && !left.has(result));
  if (found.length === 0 && left.size === 0) return NOTHING;
  const groups = [...Map.groupBy(found, (result) => `${result.verdict} ${reasonText(result)}`).values()];
  const items = groups
    .toSorted((a, b) => b.length - a.length)
    .map((results) => {
      const [first] = results;
      if (!first) return NOTHING;
      const names = results.map(
        ({ rule }, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('rule', rule.id)}">${rule.id}</a>`,
      );
      return html`<li>${sign(first.verdict)}<div><p class="sentence">${proseFromOutside(reasonText(first))}</p><p>${names}</p></div></li>
`;
    });
  const rest =
    left.size === 0 ? null : html`<li>${sign('untested')}<div>Not selected: ${plural(left.size, 'rule')}</div></li>`;
  return html`<section id="${id}"><h2>${title}</h2><ul class="reasons">${items}${rest}</ul></section>
`;
}
