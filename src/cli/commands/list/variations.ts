import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { isRuleId, RULES, type RuleId, ruleById } from '../../../contract/catalogue.ts';
import { RULE_GROUPS } from '../../../contract/rule.ts';
import { DEFECTS } from '../../../operator/defects.ts';
import { VARIANTS } from '../../../operator/variants.ts';
import type { Defect, Variant } from '../../../operator/variation.ts';
import { hanging, wrap } from '../../../report/terminal/layout.ts';
import { nearest } from '../../../scenario/near.ts';

/** Maximum width of the text, because longer lines are hard to read. */
const MAX_WIDTH = 100;

/**
 * `croupier list defects`: prints the defects of the reference operator.
 *
 * @param words names, rules or groups; empty for all defects
 */
export function listDefects(words: readonly string[], json: boolean, { out }: Stdio): void {
  const chosen = choose(
    DEFECTS,
    words,
    ({ breaks, mayBreak }) => ({ first: breaks, second: mayBreak ?? [] }),
    'defect',
  );
  if (json) {
    const rows = chosen.map(({ name, description, breaks, mayBreak = [] }) => ({
      name,
      description,
      breaks,
      mayBreak,
      money: breaks.some((rule) => ruleById(rule).money),
    }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.min(out.columns, MAX_WIDTH);
  for (const defect of chosen) out.write(`${defectText(defect, width)}\n`);
  out.write(
    `${count(chosen.length, 'defect')}. $ marks a rule whose breach makes money disappear or appear from nothing\n`,
  );
}

/**
 * `croupier list variants`: prints the variants of the reference operator, which behave differently but correctly.
 *
 * @param words names, rules or groups; empty for all variants
 */
export function listVariants(words: readonly string[], json: boolean, { out }: Stdio): void {
  const chosen = choose(VARIANTS, words, ({ mayWarn }) => ({ first: mayWarn ?? [], second: [] }), 'variant');
  if (json) {
    const rows = chosen.map(({ name, description, mayWarn = [] }) => ({ name, description, mayWarn }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.min(out.columns, MAX_WIDTH);
  for (const variant of chosen) out.write(`${variantText(variant, width)}\n`);
  out.write(`${count(chosen.length, 'variant')}. None of them breaks a MUST of the contract.\n`);
}

function defectText({ name, description, breaks, mayBreak = [] }: Defect, width: number): string {
  const others = mayBreak.filter((rule) => !breaks.includes(rule));
  return [
    name,
    ...hanging('    ', description, width),
    ...hanging('    breaks ', breaks.map(withMark).join(', '), width),
    ...(others.length > 0 ? hanging('    sometimes also ', others.map(withMark).join(', '), width) : []),
  ].join('\n');
}

function variantText({ name, description, mayWarn = [] }: Variant, width: number): string {
  return [
    name,
    ...wrap(description, width - 4).map((line) => `    ${line}`),
    ...(mayWarn.length > 0 ? hanging('    warnings of ', mayWarn.join(', '), width) : []),
  ].join('\n');
}

function withMark(rule: RuleId): string {
  const { level, money } = ruleById(rule);
  return `${rule}${level === 'SHOULD' ? ' (SHOULD)' : ''}${money ? ' $' : ''}`;
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}

interface Named {
  readonly name: string;
}

/**
 * Returns the entries that match a word by name, rule or group. A rule selects the entries that are about this rule. If there
 * are no such entries, it selects the entries that may break this rule.
 */
function choose<T extends Named>(
  all: readonly T[],
  words: readonly string[],
  rulesOf: (one: T) => { readonly first: readonly RuleId[]; readonly second: readonly RuleId[] },
  what: string,
): readonly T[] {
  if (words.length === 0) return all;
  const found = new Set<T>();
  for (const word of words) {
    const named = all.filter(({ name }) => name === word);
    const about = all.filter((one) => rulesOf(one).first.some((rule) => isOf(rule, word)));
    const touching = all.filter((one) => rulesOf(one).second.some((rule) => isOf(rule, word)));
    const matching = [named, about, touching].find((some) => some.length > 0);
    if (!matching) throw new UsageError(noMatchText(word, what, all));
    for (const one of matching) found.add(one);
  }
  return all.filter((one) => found.has(one));
}

function isOf(rule: RuleId, word: string): boolean {
  return rule === word || ruleById(rule).group === word;
}

function noMatchText(word: string, what: string, all: readonly Named[]): string {
  if (isRuleId(word) || RULE_GROUPS.some((group) => group === word)) return `There is no ${what} for ${word}.`;
  const near = nearest(word, [...all.map(({ name }) => name), ...RULE_GROUPS, ...RULES.map(({ id }) => id)]);
  const help = near === undefined ? `croupier list ${what}s shows them all.` : `Did you mean ${near}?`;
  return `There is no ${what}, rule or group ${word}. ${help}`;
}
