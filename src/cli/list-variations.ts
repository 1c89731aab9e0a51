import { isRuleId, RULES, type RuleId, ruleById } from '../contract/catalogue.ts';
import { RULE_GROUPS } from '../contract/rule.ts';
import type { Defect } from '../operator/defect.ts';
import { DEFECTS } from '../operator/defects.ts';
import type { Habit } from '../operator/habit.ts';
import { HABITS } from '../operator/habits.ts';
import { hanging, wrap } from '../report/layout.ts';
import { nearest } from '../scenario/near.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** Wider lines are tiring to read. */
const WIDEST = 100;

/** `croupier list defects`: what the reference operator can do wrong, the faults that concern some rules or all of them. */
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
  const width = Math.min(out.columns, WIDEST);
  for (const defect of chosen) out.write(`${defectText(defect, width)}\n`);
  out.write(`${count(chosen.length, 'defect')}. $ a breach loses or invents money\n`);
}

/** `croupier list habits`: how else the reference operator can do right. */
export function listHabits(words: readonly string[], json: boolean, { out }: Stdio): void {
  const chosen = choose(HABITS, words, ({ mayWarn }) => ({ first: mayWarn ?? [], second: [] }), 'habit');
  if (json) {
    const rows = chosen.map(({ name, description, mayWarn = [] }) => ({ name, description, mayWarn }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.min(out.columns, WIDEST);
  for (const habit of chosen) out.write(`${habitText(habit, width)}\n`);
  out.write(`${count(chosen.length, 'habit')}. None of them breaks a MUST of the contract\n`);
}

function defectText({ name, description, breaks, mayBreak = [] }: Defect, width: number): string {
  return [
    name,
    ...hanging('    ', description, width),
    ...hanging('    breaks ', breaks.map(withMark).join(', '), width),
    ...(mayBreak.length > 0 ? hanging('    at times also ', mayBreak.map(withMark).join(', '), width) : []),
  ].join('\n');
}

function habitText({ name, description, mayWarn = [] }: Habit, width: number): string {
  return [
    name,
    ...wrap(description, width - 4).map((line) => `    ${line}`),
    ...(mayWarn.length > 0 ? hanging('    is warned of ', mayWarn.join(', '), width) : []),
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

/** Those that a word names by its name, or by a rule or group: what is about it first, else whatever touches it at all. */
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
    if (!matching) throw new UsageError(nothing(word, what, all));
    for (const one of matching) found.add(one);
  }
  return all.filter((one) => found.has(one));
}

function isOf(rule: RuleId, word: string): boolean {
  return rule === word || ruleById(rule).group === word;
}

function nothing(word: string, what: string, all: readonly Named[]): string {
  if (isRuleId(word) || RULE_GROUPS.some((group) => group === word)) return `No ${what} is about ${word}.`;
  const near = nearest(word, [...all.map(({ name }) => name), ...RULE_GROUPS, ...RULES.map(({ id }) => id)]);
  const help = near === undefined ? `croupier list ${what}s shows them all.` : `Did you mean ${near}?`;
  return `Nothing is called ${word}: no ${what}, rule or group. ${help}`;
}
