import path from 'node:path';
import { isRuleId, RULES } from '../contract/catalogue.ts';
import { RULE_GROUPS } from '../contract/rule.ts';
import { nearest } from '../scenario/near.ts';
import type { SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** Scenarios with this tag are played only when they are asked for by id, file or tag. */
const OPT_IN = 'opt-in';

export interface Wish {
  /** Groups, rules, scenarios, files and file:line; any of them is enough. Empty: everything. */
  readonly words: readonly string[];
  /** A scenario needs one of these. */
  readonly tags: readonly string[];
  /** A scenario needs this text in its id or title, in any letter case. */
  readonly grep: string | undefined;
}

export interface FileWord {
  readonly file: string;
  readonly line: number | undefined;
}

/** A word of a selection as a path with an optional line; undefined: it can't be one. */
export function asFile(word: string): FileWord | undefined {
  const match = /^(.*?)(?::(\d+)(?::\d+)?)?$/.exec(word);
  const file = match?.[1] ?? word;
  if (!file.includes('/') && !/\.ya?ml$/.test(file)) return undefined;
  if (file.includes('#')) return undefined;
  return { file, line: match?.[2] === undefined ? undefined : Number(match[2]) };
}

/**
 * The scenarios that a wish names, in the order of the suite.
 *
 * @param roots folders that paths may be relative to: the working directory first, then the built-in suite
 * @throws UsageError with near misses when a word, or all of them together, name nothing
 */
export function select(
  suite: readonly SuiteScenario[],
  wish: Wish,
  roots: readonly string[],
): readonly SuiteScenario[] {
  const asked = new Set<SuiteScenario>();
  const tagged = (scenario: SuiteScenario) => wish.tags.some((tag) => scenario.tags.includes(tag));
  for (const word of wish.words) {
    const { scenarios, exact } = matches(suite, word, roots);
    if (scenarios.length === 0) throw new UsageError(nothingNamed(suite, word));
    for (const scenario of scenarios) if (exact || !isOptIn(scenario) || tagged(scenario)) asked.add(scenario);
  }
  if (wish.words.length === 0) {
    for (const scenario of suite) if (!isOptIn(scenario) || tagged(scenario)) asked.add(scenario);
  }
  const needle = wish.grep?.toLowerCase();
  const chosen = suite.filter(
    (scenario) =>
      asked.has(scenario) &&
      (wish.tags.length === 0 || tagged(scenario)) &&
      (needle === undefined || `${scenario.id}\n${scenario.title}`.toLowerCase().includes(needle)),
  );
  if (chosen.length === 0) throw new UsageError(nothingLeft(suite, asked, wish));
  return chosen;
}

function isOptIn(scenario: SuiteScenario): boolean {
  return scenario.tags.includes(OPT_IN);
}

interface Matches {
  readonly scenarios: readonly SuiteScenario[];
  /** Named one by one, not as part of a group: tags don't matter then. */
  readonly exact: boolean;
}

function matches(suite: readonly SuiteScenario[], word: string, roots: readonly string[]): Matches {
  const group = RULE_GROUPS.find((name) => name === word);
  if (group !== undefined) {
    const inGroup = (rule: string) => rule.startsWith(`${group}.`);
    return {
      scenarios: suite.filter(({ id, rules }) => id.startsWith(`${group}/`) || rules.some(inGroup)),
      exact: false,
    };
  }
  if (isRuleId(word)) return { scenarios: suite.filter(({ rules }) => rules.includes(word)), exact: false };
  const byId = suite.filter(({ id, scenarioId }) => id === word || scenarioId === word);
  if (byId.length > 0) return { scenarios: byId, exact: true };
  const file = asFile(word);
  if (!file) return { scenarios: [], exact: true };
  for (const root of roots) {
    const wanted = path.resolve(root, file.file);
    const found = suite.filter(
      ({ absoluteFile }) => absoluteFile === wanted || absoluteFile.startsWith(wanted + path.sep),
    );
    if (found.length === 0) continue;
    const exact = found.some(({ absoluteFile }) => absoluteFile === wanted);
    return { scenarios: file.line === undefined ? found : atLine(found, file), exact };
  }
  return { scenarios: [], exact: true };
}

function atLine(scenarios: readonly SuiteScenario[], { file, line = 1 }: FileWord): readonly SuiteScenario[] {
  const lines = Math.max(
    ...scenarios.map(({ source }) => source.lineStarts.length - (source.text.endsWith('\n') ? 1 : 0)),
  );
  if (line < 1 || line > lines) throw new UsageError(`${file}:${line}: the file has ${lines} lines. Nothing was sent.`);
  return scenarios;
}

function nothingNamed(suite: readonly SuiteScenario[], word: string): string {
  if (isRuleId(word) || RULE_GROUPS.some((name) => name === word)) {
    return `No scenario tests ${word}. Nothing was sent.\ncroupier list rules shows which scenarios test which rule.`;
  }
  const names = [
    ...RULE_GROUPS,
    ...RULES.map(({ id }) => id),
    ...suite.flatMap(({ id, scenarioId }) => [scenarioId, id]),
  ];
  const plain =
    asFile(word)
      ?.file.replace(/^(\.\/)?(scenarios\/)?/, '')
      .replace(/\.ya?ml$/, '') ?? word;
  const near = nearMisses(plain, new Set(names));
  const help = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'croupier list scenarios shows what there is.';
  return `Nothing is called ${word}: no group, rule, scenario or file. Nothing was sent.\n${help}`;
}

/** The nearest name, and names that hold the word. */
function nearMisses(word: string, names: ReadonlySet<string>): readonly string[] {
  const near = nearest(word, names);
  const holding = [...names].filter((name) => word.length >= 3 && name.includes(word));
  return [...new Set([...(near === undefined ? [] : [near]), ...holding])].slice(0, 4);
}

function nothingLeft(suite: readonly SuiteScenario[], asked: ReadonlySet<SuiteScenario>, { tags, grep }: Wish): string {
  const narrowed = [...tags.map((tag) => `--tag ${tag}`), ...(grep === undefined ? [] : [`--grep ${grep}`])].join(' ');
  const known = [...new Set(suite.flatMap((scenario) => scenario.tags))].sort();
  const unknown = tags.find((tag) => !known.includes(tag));
  const near = unknown === undefined ? undefined : nearest(unknown, known);
  const help =
    near !== undefined
      ? `Did you mean --tag ${near}?`
      : unknown !== undefined
        ? `Tags that there are: ${known.length > 0 ? known.join(', ') : 'none'}.`
        : 'croupier run --list shows what a selection holds.';
  if (narrowed === '') {
    return `What was selected is only played when it is named one by one (tag ${OPT_IN}). Nothing was sent.`;
  }
  return `None of ${asked.size} scenario${asked.size === 1 ? '' : 's'} is left by ${narrowed}. Nothing was sent.\n${help}`;
}
