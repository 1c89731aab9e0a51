import { statSync } from 'node:fs';
import path from 'node:path';
import { isRuleId, RULES, type RuleId } from '../contract/catalogue.ts';
import { plural } from '../contract/plural.ts';
import { RULE_GROUPS, type RuleGroup } from '../contract/rule.ts';
import type { QuickPart } from '../journal/event.ts';
import { nearest } from '../scenario/near.ts';
import type { Configuration } from './config/configuration.ts';
import { UsageError } from './exit-status.ts';
import { packageRoot } from './files.ts';
import { ALSO_TESTED } from './quick-scenarios.ts';
import { builtInSource, type Suite, type SuiteScenario, type SuiteSource, userSource } from './suite.ts';

/** The tag of scenarios that run only if the user names their id, their file or this tag. */
const OPT_IN = 'opt-in';

export interface Selection {
  /**
   * Names of groups, rules, scenarios and files, or file:line. A scenario is selected if one of them matches; an empty
   * list selects every scenario.
   */
  readonly words: readonly string[];
  /**
   * Tags, of which a selected scenario must have at least one. An empty list selects scenarios with any tag or none.
   */
  readonly tags: readonly string[];
  /**
   * Text that the id or the title of a selected scenario must contain, in any letter case; undefined selects every
   * scenario.
   */
  readonly grep: string | undefined;
  /** True if only the scenarios of a quick run are selected. */
  readonly quick: boolean;
}

/** A word of a selection that names a file or folder, with an optional line. */
export interface FileWord {
  readonly file: string;
  readonly line: number | undefined;
}

/** Reads a word of a selection as a path with an optional line. Returns undefined if the word is not a path. */
export function asFile(word: string): FileWord | undefined {
  const match = /^(.*?)(?::(\d+)(?::\d+)?)?$/.exec(word);
  const file = match?.[1] ?? word;
  if (!file.includes('/') && !/\.ya?ml$/.test(file)) return undefined;
  if (file.includes('#')) return undefined;
  return { file, line: match?.[2] === undefined ? undefined : Number(match[2]) };
}

/**
 * Returns the words of a command line. A folder of the working directory gets a `/`, so that it is a path also if the user left the
 * slash out. A group or rule with the same name comes first.
 */
export function withFolders(words: readonly string[], cwd: string): readonly string[] {
  return words.map((word) => {
    const isName = isRuleId(word) || RULE_GROUPS.some((group) => group === word) || asFile(word) !== undefined;
    const isFolder =
      !isName && word !== '' && statSync(path.resolve(cwd, word), { throwIfNoEntry: false })?.isDirectory();
    return isFolder ? `${word}/` : word;
  });
}

/**
 * Returns the scenarios that a selection names, in the order of the suite.
 *
 * @param roots the folders that paths may be relative to: the working directory first, then the built-in suite
 * @throws UsageError with similar names when a word names nothing, when no scenario is left, or when a quick run leaves out all
 * scenarios of a file or an id
 */
export function select(
  suite: readonly SuiteScenario[],
  selection: Selection,
  roots: readonly string[],
): readonly SuiteScenario[] {
  const asked = new Set<SuiteScenario>();
  /** The names of files and scenarios that a quick run leaves out. */
  const leftOut: string[] = [];
  const tagged = (scenario: SuiteScenario) => selection.tags.some((tag) => scenario.tags.includes(tag));
  for (const word of selection.words) {
    const { scenarios, exact } = matches(suite, word, roots);
    if (scenarios.length === 0) throw new UsageError(noMatchText(suite, word));
    if (exact && selection.quick && !scenarios.some(({ quick }) => quick)) leftOut.push(word);
    for (const scenario of scenarios) if (exact || !isOptIn(scenario) || tagged(scenario)) asked.add(scenario);
  }
  if (selection.words.length === 0) {
    for (const scenario of suite) if (!isOptIn(scenario) || tagged(scenario)) asked.add(scenario);
  }
  const needle = selection.grep?.toLowerCase();
  const chosen = suite.filter(
    (scenario) =>
      asked.has(scenario) &&
      (selection.tags.length === 0 || tagged(scenario)) &&
      (!selection.quick || scenario.quick) &&
      (needle === undefined || `${scenario.id}\n${scenario.title}`.toLowerCase().includes(needle)),
  );
  if (chosen.length === 0) throw new UsageError(noneLeftText(suite, asked, selection));
  if (leftOut.length > 0) throw new UsageError(leftOutText(leftOut));
  return chosen;
}

function isOptIn(scenario: SuiteScenario): boolean {
  return scenario.tags.includes(OPT_IN);
}

/** The groups, rules and scenarios that are named by the words of a selection. */
export interface Named {
  readonly groups: readonly RuleGroup[];
  readonly rules: readonly RuleId[];
  /** The scenarios that are named by id, file or folder. */
  readonly scenarios: readonly SuiteScenario[];
}

/** Returns the groups, rules and scenarios that are named by the words of a selection. */
export function namedBy({ words }: Selection, { scenarios }: Suite, cwd: string): Named {
  const groups = RULE_GROUPS.filter((group) => words.includes(group));
  const rules = words.filter(isRuleId);
  const others = words.filter((word) => !isRuleId(word) && !groups.some((group) => group === word));
  return { groups, rules, scenarios: others.flatMap((word) => matches(scenarios, word, rootsFrom(cwd)).scenarios) };
}

interface Matches {
  readonly scenarios: readonly SuiteScenario[];
  /**
   * True if the word is an id or a file: such a word also selects opt-in scenarios. False for a group, a rule or a folder.
   */
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
  // Reports name a line of a built-in scenario by the id, such as `refund/unknown:8`.
  const withId = file.line === undefined ? [] : suite.filter(({ scenarioId }) => scenarioId === file.file);
  if (withId.length > 0) return { scenarios: atLine(withId, file), exact: true };
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
  if (line < 1 || line > lines)
    throw new UsageError(`${file}:${line}: the file has ${plural(lines, 'line')}. Nothing was sent.`);
  return scenarios;
}

function noMatchText(suite: readonly SuiteScenario[], word: string): string {
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
  const near = similarNames(plain, new Set(names));
  const help = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'croupier list scenarios shows them all.';
  return `There is no group, rule, scenario or file ${word}. Nothing was sent.\n${help}`;
}

/** Returns up to four suggestions: the most similar name, and names that contain the word. */
function similarNames(word: string, names: ReadonlySet<string>): readonly string[] {
  const near = nearest(word, names);
  const holding = [...names].filter((name) => word.length >= 3 && name.includes(word));
  return [...new Set([...(near === undefined ? [] : [near]), ...holding])].slice(0, 4);
}

function leftOutText(words: readonly string[]): string {
  return `A quick run leaves out ${words.join(', ')}. Nothing was sent.\nRun without --quick, or give the tag quick to a scenario of your own.`;
}

function noneLeftText(
  suite: readonly SuiteScenario[],
  asked: ReadonlySet<SuiteScenario>,
  selection: Selection,
): string {
  const { tags } = selection;
  const narrowed = narrowingFlags(selection).join(' ');
  const known = [...new Set(suite.flatMap((scenario) => scenario.tags))].sort();
  const unknown = tags.find((tag) => !known.includes(tag));
  const near = unknown === undefined ? undefined : nearest(unknown, known);
  const help =
    near !== undefined
      ? `Did you mean --tag ${near}?`
      : unknown !== undefined
        ? `The known tags are: ${known.length > 0 ? known.join(', ') : 'none'}.`
        : 'croupier run --list shows the scenarios of a selection.';
  if (narrowed === '') {
    return `The selected scenarios have the tag ${OPT_IN}, so they run only if you name each one or give --tag ${OPT_IN}. Nothing was sent.`;
  }
  return `None of ${asked.size} scenario${asked.size === 1 ? '' : 's'} matches ${narrowed}. Nothing was sent.\n${help}`;
}

/** Returns the built-in suite, the configured folders, and the files that only the selection names. */
export function sourcesFor(
  words: readonly string[],
  { config, dir }: Pick<Configuration, 'config' | 'dir'>,
  cwd: string,
): readonly SuiteSource[] {
  const configured = (config.scenarios ?? []).map((given) => userSource(path.resolve(dir, given), cwd));
  const named = words.flatMap((word) => {
    const file = asFile(word)?.file;
    if (file === undefined) return [];
    try {
      return [userSource(file, cwd)];
    } catch (error) {
      // The word may be an id that contains a slash. If it is neither an id nor a file, `select` throws an error with
      // similar names.
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  // The order is important: if a file is in several sources, it gets its id from the first source.
  return [builtInSource(), ...configured, ...named];
}

/** Returns the scenarios that the command line selects. @throws UsageError when it selects none */
export function choose({ scenarios }: Suite, selection: Selection, cwd: string): readonly SuiteScenario[] {
  return select(scenarios, selection, rootsFrom(cwd));
}

/** Returns the folders that paths of a selection may be relative to. */
function rootsFrom(cwd: string): readonly string[] {
  const root = packageRoot();
  return [cwd, path.join(root, 'scenarios'), root];
}

/**
 * True if all built-in scenarios are chosen, and they are the same as in the release of this version. Opt-in scenarios may be
 * missing. Scenarios of the user may be added, because they can't replace a built-in scenario.
 */
export function isWhole({ scenarios, changes }: Suite, chosen: readonly SuiteScenario[]): boolean {
  if (changes !== undefined) return false;
  const builtIn = scenarios.filter((scenario) => scenario.builtIn && !scenario.tags.includes('opt-in'));
  return builtIn.every((scenario) => chosen.includes(scenario));
}

/** Returns the number of scenarios that are not from the built-in suite. */
export function ownScenarios(chosen: readonly SuiteScenario[]): number {
  return chosen.filter(({ builtIn }) => !builtIn).length;
}

/** Returns the words and flags of a selection, as reports print them. */
export function selectionWords(selection: Selection): readonly string[] {
  return [...selection.words, ...narrowingFlags(selection)];
}

/** Returns the flags that leave out a part of the named scenarios. */
function narrowingFlags({ tags, grep, quick }: Selection): readonly string[] {
  return [
    ...tags.map((tag) => `--tag ${tag}`),
    ...(grep === undefined ? [] : [`--grep ${grep}`]),
    ...(quick ? ['--quick'] : []),
  ];
}

/**
 * Returns the size of the whole suite for the report of a quick run. Undefined if the run is not quick, or if the user selected
 * a part of the quick scenarios.
 */
export function quickPartOf(suite: Suite, { words, tags, grep, quick }: Selection): QuickPart | undefined {
  if (!quick || words.length + tags.length > 0 || grep !== undefined) return undefined;
  const all = suite.scenarios.filter((scenario) => !isOptIn(scenario));
  const ofQuick = new Set([
    ...ALSO_TESTED,
    ...all.filter((scenario) => scenario.quick).flatMap((scenario) => scenario.rules),
  ]);
  const rules = new Set(all.flatMap((scenario) => scenario.rules).filter((rule) => !ofQuick.has(rule)));
  return { scenarios: all.length, rules: [...rules] };
}
