import { plural } from '../../contract/plural.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { mark } from '../marks.ts';
import type { PastVerdict, ReportOptions } from '../options.ts';
import { html, type Markup } from './markup.ts';

/** Number of runs that a row shows. The run of the report is one of them. */
const MAX_RUNS = 10;
/** Maximum number of rules with a row, so that the rows take less than 5 kB of the page. */
const MAX_RULES = 12;
/** Maximum length of the name of a build. */
const MAX_BUILD = 20;

/**
 * Returns a function that renders the verdicts of a rule over the last runs: a mark for each run, the latest last, and the same in
 * words. It returns null if the rule has neither failed nor warned, or if no earlier run decided it.
 */
export function pastRuns({ past }: ReportOptions): (result: RuleResult) => Markup | null {
  const shown = new Set<string>();
  return ({ rule, verdict }) => {
    if (!past || (verdict !== 'fail' && verdict !== 'warn') || shown.size >= MAX_RULES || shown.has(rule.id))
      return null;
    const earlier = (past.get(rule.id) ?? []).filter((one) => one.verdict !== 'inconclusive').slice(0, MAX_RUNS - 1);
    if (earlier.length === 0) return null;
    shown.add(rule.id);
    const marks = [...earlier.map((one) => one.verdict).toReversed(), verdict].map((one) => mark(one, true)).join('');
    return html`<dt>last runs</dt><dd><code aria-hidden="true">${marks}</code> ${sentence(verdict, earlier)}</dd>`;
  };
}

function sentence(verdict: 'fail' | 'warn', earlier: readonly PastVerdict[]): string {
  const word = verdict === 'fail' ? 'failed' : 'gave a warning';
  const first = earlier.findIndex((one) => one.verdict !== verdict);
  const same = first < 0 ? earlier : earlier.slice(0, first);
  const oldest = same.at(-1);
  const count = earlier.filter((one) => one.verdict === verdict).length + 1;
  const of = `${word} in ${count} of the last ${plural(earlier.length + 1, 'run')}`;
  if (!oldest) return `${of}, but not in run ${earlier[0]?.number}, the one before`;
  const build = oldest.build === null ? '' : `, build ${oldest.build.slice(0, MAX_BUILD)}`;
  const since = first < 0 ? 'at least since' : 'since';
  return `${of}, each time ${since} run ${oldest.number} (${oldest.startedAt.slice(0, 10)}${build})`;
}
