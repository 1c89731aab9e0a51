import { statSync } from 'node:fs';
import path from 'node:path';
import type { RunnableScenario } from '../engine/run-options.ts';
import type { Complaint } from '../scenario/complaint.ts';
import { loadScenario } from '../scenario/load.ts';
import type { Needs } from '../scenario/plan.ts';
import { planScenario } from '../scenario/planner.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Source, toSource } from '../scenario/source.ts';
import { shownPath, whyUnreadable } from './configuration.ts';
import { filesBelow, readBytes } from './package-files.ts';
import { packageRoot } from './package-root.ts';
import { UsageError } from './usage-error.ts';

/** One case of one scenario file, ready to be planned. */
export interface SuiteScenario extends RunnableScenario {
  /** The id without its case. */
  readonly scenarioId: string;
  readonly absoluteFile: string;
  /** The files of the fragments that it uses, also of such as are not there. */
  readonly fragments: readonly string[];
  readonly builtIn: boolean;
  readonly needs: Needs;
  /** The rules that it claims to test, each where it stands in the file. */
  readonly claims: Scenario['rules'];
  readonly source: Source;
}

/** All scenarios of some folders, and what is wrong with any of their files. */
export interface Suite {
  readonly scenarios: readonly SuiteScenario[];
  readonly complaints: readonly Complaint[];
  readonly fileCount: number;
}

/** A file or a folder of scenarios. */
export interface SuiteSource {
  readonly path: string;
  readonly builtIn: boolean;
  /** Ids are paths relative to this folder. */
  readonly idsFrom: string;
}

export function builtInSource(): SuiteSource {
  const folder = path.join(packageRoot(), 'scenarios');
  return { path: folder, builtIn: true, idsFrom: folder };
}

/** A folder gives ids relative to itself, a single file relative to the working directory. @throws UsageError without such a path */
export function userSource(given: string, cwd: string): SuiteSource {
  const absolute = path.resolve(cwd, given);
  try {
    return { path: absolute, builtIn: false, idsFrom: statSync(absolute).isDirectory() ? absolute : cwd };
  } catch (error) {
    throw new UsageError(`Scenarios can't be read: ${given}: ${whyUnreadable(error)}. Nothing was sent.`, {
      cause: error,
    });
  }
}

/**
 * Loads every scenario of the sources, each file once; a file that is part of two sources belongs to the first.
 *
 * @param uuid makes the ids of plans
 */
export function loadSuite(sources: readonly SuiteSource[], cwd: string, uuid: () => string): Suite {
  const scenarios: SuiteScenario[] = [];
  const complaints: Complaint[] = [];
  const files = new Set<string>();
  const ids = new Map<string, string>();
  for (const source of sources) {
    for (const file of filesOf(source)) {
      if (files.has(file)) continue;
      const shown = toPosix(shownPath(file, cwd));
      const read = textOf(file);
      if ('why' in read) {
        files.add(file);
        complaints.push(atItsBeginning(shown, '', `this file can't be read: ${read.why}`));
        continue;
      }
      const { text } = read;
      if (/^fragment\s*:/m.test(text)) {
        // A fragment is no scenario: it is checked where it is used.
        if (file !== source.path) continue;
        files.add(file);
        complaints.push(
          atItsBeginning(
            shown,
            text,
            'this file is a fragment: it is checked and played where a scenario uses it',
            'name the scenario that says `use`, or the folder',
          ),
        );
        continue;
      }
      files.add(file);
      const id = scenarioId(file, source);
      const fragments = new Set<string>();
      const readFragment = (fragment: string) => {
        const place = path.resolve(cwd, fragment);
        fragments.add(place);
        return readIfThere(place);
      };
      const loaded = loadScenario(text, shown, { id, readFragment });
      complaints.push(...loaded.complaints);
      const twin = ids.get(id);
      if (twin !== undefined) complaints.push(twins(id, shown, twin, text));
      else ids.set(id, shown);
      if (loaded.scenario && twin === undefined) {
        scenarios.push(
          ...storiesOf(loaded.scenario, { file, fragments: [...fragments], text, builtIn: source.builtIn, uuid }),
        );
      }
    }
  }
  return { scenarios, complaints, fileCount: files.size };
}

function filesOf({ path: place, builtIn }: SuiteSource): readonly string[] {
  if (!builtIn && !statSync(place).isDirectory()) return [place];
  return filesBelow(place).filter((name) => /\.ya?ml$/.test(name));
}

/** The text of a file, or why it has none. */
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
    // The language complains about a fragment that is not there, at the place where it is used.
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

function twins(id: string, file: string, twin: string, text: string): Complaint {
  return atItsBeginning(
    file,
    text,
    `the id of this scenario, ${id}, is also that of ${twin}`,
    'rename the file: an id is its path in its folder',
  );
}

/** A complaint about a file as a whole. */
function atItsBeginning(file: string, text: string, message: string, mend?: string): Complaint {
  const sourceLine = text.split(/\r?\n/, 1)[0] ?? '';
  const endColumn = Math.max(2, sourceLine.length + 1);
  return { file, line: 1, column: 1, endColumn, sourceLine, message, ...(mend !== undefined && { mend }) };
}

interface Origin {
  readonly file: string;
  readonly fragments: readonly string[];
  readonly text: string;
  readonly builtIn: boolean;
  readonly uuid: () => string;
}

function storiesOf(scenario: Scenario, { file, fragments, text, builtIn, uuid }: Origin): readonly SuiteScenario[] {
  const source = toSource(scenario.file, text);
  return scenario.stories.map((story) => ({
    id: story.caseId === undefined ? scenario.id : `${scenario.id}#${story.caseId}`,
    scenarioId: scenario.id,
    title: story.title,
    place: scenario.place,
    rules: scenario.rules.map((rule) => rule.id),
    tags: scenario.tags,
    last: scenario.last,
    needs: story.needs,
    absoluteFile: file,
    fragments,
    source,
    claims: scenario.rules,
    builtIn,
    plan: () => planScenario(scenario, story.caseId, { uuid }),
  }));
}
