import { statSync } from 'node:fs';
import path from 'node:path';
import type { RunnableScenario } from '../engine/run-options.ts';
import type { SuiteChanges } from '../journal/event.ts';
import { type CompiledScenario, type CompiledSuite, restoreScenario } from '../scenario/compiled.ts';
import { type Loaded, loadScenario } from '../scenario/load.ts';
import type { Needs } from '../scenario/plan/plan.ts';
import { planScenario } from '../scenario/plan/planner.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Diagnostic } from '../scenario/yaml/diagnostic.ts';
import { type Source, toSource } from '../scenario/yaml/source.ts';
import { UsageError } from './exit-status.ts';
import { filesBelow, packageRoot, readBytes, shownPath, whyUnreadable } from './files.ts';
import { isQuick } from './quick-scenarios.ts';

/** One case of a scenario file, ready to be planned. */
export interface SuiteScenario extends RunnableScenario {
  /** The id of the scenario without the id of the case. */
  readonly scenarioId: string;
  readonly absoluteFile: string;
  /** The paths of the fragments that the scenario uses, including fragments that do not exist. */
  readonly fragments: readonly string[];
  readonly builtIn: boolean;
  /** The text of the file and of its fragments, from which the digest of the suite is made. */
  readonly contents: string;
  readonly needs: Needs;
  /** The rules in the `rules` list of the scenario, each with its place in the file. */
  readonly claims: Scenario['rules'];
  readonly source: Source;
}

/** All scenarios of some files and folders, and the mistakes in them. */
export interface Suite {
  readonly scenarios: readonly SuiteScenario[];
  readonly diagnostics: readonly Diagnostic[];
  readonly fileCount: number;
  /**
   * The differences between the built-in scenarios on this machine and the released scenarios. Undefined if there is no
   * difference.
   */
  readonly changes?: SuiteChanges | undefined;
}

/** A file or a folder of scenarios. */
export interface SuiteSource {
  readonly path: string;
  readonly builtIn: boolean;
  /** The folder that scenario ids are relative to. */
  readonly idsFrom: string;
}

export function builtInSource(): SuiteSource {
  const folder = path.join(packageRoot(), 'scenarios');
  return { path: folder, builtIn: true, idsFrom: folder };
}

/**
 * Returns a source of the user's own scenarios. The ids of scenarios in a folder are relative to the folder. The id of a single
 * file is relative to the working directory.
 *
 * @throws UsageError when the path does not exist
 */
export function userSource(given: string, cwd: string): SuiteSource {
  const absolute = path.resolve(cwd, given);
  try {
    return { path: absolute, builtIn: false, idsFrom: statSync(absolute).isDirectory() ? absolute : cwd };
  } catch (error) {
    throw new UsageError(`The scenarios can't be read: ${given}: ${whyUnreadable(error)}. Nothing was sent.`, {
      cause: error,
    });
  }
}

/**
 * Loads every scenario of the sources, each file once. If two sources contain a file, the first source decides its id.
 *
 * @param uuid creates the ids that plans contain
 */
export function loadSuite(sources: readonly SuiteSource[], cwd: string, uuid: () => string): Suite {
  const scenarios: SuiteScenario[] = [];
  const diagnostics: Diagnostic[] = [];
  const files = new Set<string>();
  const ids = new Map<string, string>();
  let released: CompiledSuite = {};
  const changed: string[] = [];
  for (const source of sources) {
    const compiled = source.builtIn ? compiledSuite() : {};
    if (source.builtIn) released = compiled;
    for (const file of filesOf(source)) {
      if (files.has(file)) continue;
      const shown = toPosix(shownPath(file, cwd));
      const read = textOf(file);
      if ('why' in read) {
        files.add(file);
        diagnostics.push(wholeFileDiagnostic(shown, '', `this file can't be read: ${read.why}`));
        continue;
      }
      const { text } = read;
      if (/^fragment\s*:/m.test(text)) {
        // A fragment is not a scenario, so it is skipped if the user named only its folder. It is checked together with the
        // scenarios that use it.
        if (file !== source.path) continue;
        files.add(file);
        diagnostics.push(
          wholeFileDiagnostic(
            shown,
            text,
            'this file is a fragment, which is checked and played only in a scenario that uses it',
            'name a scenario that uses this fragment, or the folder',
          ),
        );
        continue;
      }
      files.add(file);
      const id = scenarioId(file, source);
      if (source.builtIn && compiled[id]?.text !== text) changed.push(id);
      const fragments = new Map<string, string | undefined>();
      const readFragment = (fragment: string) => {
        const place = path.resolve(cwd, fragment);
        const fragmentText = readIfThere(place);
        fragments.set(place, fragmentText);
        return fragmentText;
      };
      const loaded = restored(compiled[id], text, shown) ?? loadScenario(text, shown, { id, readFragment });
      for (const diagnostic of loaded.diagnostics) diagnostics.push(diagnostic);
      const twin = ids.get(id);
      if (twin !== undefined) diagnostics.push(sameIdDiagnostic(id, shown, twin, text));
      else ids.set(id, shown);
      if (loaded.scenario && twin === undefined) {
        scenarios.push(...scenariosOf(loaded.scenario, { file, fragments, text, builtIn: source.builtIn, uuid }));
      }
    }
  }
  const missing = Object.keys(released).filter((id) => !ids.has(id));
  // A clone of the repository has no compiled suite before its first build. Then nothing counts as changed.
  const isChanged = Object.keys(released).length > 0 && changed.length + missing.length > 0;
  return { scenarios, diagnostics, fileCount: files.size, ...(isChanged && { changes: { changed, missing } }) };
}

function filesOf({ path: place, builtIn }: SuiteSource): readonly string[] {
  if (!builtIn && !statSync(place).isDirectory()) return [place];
  return filesBelow(place).filter((name) => /\.ya?ml$/.test(name));
}

/** Reads the built-in suite in the form that `npm run build` compiled. Returns an empty object without a build. */
function compiledSuite(): CompiledSuite {
  const json = readIfThere(path.join(packageRoot(), 'dist', 'scenarios.json'));
  return json === undefined ? {} : (JSON.parse(json) as CompiledSuite);
}

/** Returns the compiled scenario of a file; undefined if the file was not compiled, or has changed since the build. */
function restored(compiled: CompiledScenario | undefined, text: string, file: string): Loaded | undefined {
  return compiled?.text === text ? { scenario: restoreScenario(compiled, file), diagnostics: [] } : undefined;
}

/** Reads the text of a file, or returns the reason why it can't be read. */
function textOf(file: string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readBytes(file)) };
  } catch (error) {
    return { why: whyUnreadable(error) };
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return new TextDecoder().decode(readBytes(file));
  } catch {
    // A missing fragment is reported later, at the step that uses it.
    return undefined;
  }
}

function scenarioId(file: string, { idsFrom }: SuiteSource): string {
  const relative = path.relative(idsFrom, file);
  const inside = relative.startsWith('..') ? path.basename(file) : relative;
  return toPosix(inside).replace(/\.ya?ml$/, '');
}

function toPosix(file: string): string {
  return file.replaceAll(path.sep, '/');
}

function sameIdDiagnostic(id: string, file: string, twin: string, text: string): Diagnostic {
  return wholeFileDiagnostic(
    file,
    text,
    `this scenario has the same id as ${twin}: ${id}`,
    'rename the file, because the id is the path of the file',
  );
}

/** Creates a diagnostic that concerns a whole file and points at its first line. */
function wholeFileDiagnostic(file: string, text: string, message: string, fix?: string): Diagnostic {
  const sourceLine = text.split(/\r?\n/, 1)[0] ?? '';
  const endColumn = Math.max(2, sourceLine.length + 1);
  return { file, line: 1, column: 1, endColumn, sourceLine, message, ...(fix !== undefined && { fix }) };
}

interface Origin {
  readonly file: string;
  /** The texts of the fragments, by path; undefined for a fragment that does not exist. */
  readonly fragments: ReadonlyMap<string, string | undefined>;
  readonly text: string;
  readonly builtIn: boolean;
  readonly uuid: () => string;
}

function scenariosOf(scenario: Scenario, { file, fragments, text, builtIn, uuid }: Origin): readonly SuiteScenario[] {
  const source = toSource(scenario.file, text);
  const contents = JSON.stringify([text, ...fragments.values()]);
  return scenario.boundScenarios.map((bound) => {
    const id = bound.caseId === undefined ? scenario.id : `${scenario.id}#${bound.caseId}`;
    return {
      id,
      scenarioId: scenario.id,
      title: bound.title,
      place: scenario.place,
      rules: scenario.rules.map((rule) => rule.id),
      tags: scenario.tags,
      last: scenario.last,
      quick: isQuick(id, builtIn ? undefined : scenario.tags),
      needs: bound.needs,
      absoluteFile: file,
      fragments: [...fragments.keys()],
      contents,
      source,
      claims: scenario.rules,
      builtIn,
      plan: () => planScenario(scenario, bound.caseId, { uuid }),
    };
  });
}
