import { ruleById } from '../../contract/catalogue.ts';
import type { RunOptions } from '../run-options.ts';

/** Returns the sentences that say what a quick run left out. Undefined for any other run. */
export function quickNotice({ quick, scenarios }: Pick<RunOptions, 'quick' | 'scenarios'>): string | undefined {
  if (!quick) return undefined;
  const left = (level: string): number => quick.rules.filter((rule) => ruleById(rule).level === level).length;
  const levels = ['MUST', 'SHOULD', 'NOTE'].flatMap((level) => (left(level) === 0 ? [] : [`${left(level)} ${level}`]));
  const more = levels.length === 0 ? '' : ` It also tests ${listed(levels)} rules that a quick run leaves out.`;
  return `This was a quick run with ${scenarios.length} of ${quick.scenarios} scenarios. A run without --quick plays all of them.${more} It tests each rule with more amounts and bodies, at other times, and with more calls at the same moment.`;
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}
