/**
 * Runs the suite against the embedded operator, correct and with a defect, and keeps for each rule the shortest scenario in which it is
 * kept and broken: `fixtures/rule-examples.json`, from which `docs/rules.md` is written.
 *
 * usage: rule-examples.ts [RULE…]   without RULE: all rules, which takes some minutes
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtInSource, loadSuite } from '../src/app/suite.ts';
import type { RuleExample } from '../src/cli/commands/list/rule-example.ts';
import { RULES, type RuleId } from '../src/contract/catalogue.ts';
import { DEFECTS } from '../src/operator/defects.ts';
import { exampleOf, findingOf, lengthOf, type PlayedScenario } from './docs/rule-example.ts';
import { WRITTEN_EXAMPLES } from './docs/written-examples.ts';

const FILE = new URL('../fixtures/rule-examples.json', import.meta.url);
const BIN = path.resolve(import.meta.dirname, '../bin/croupier.js');
const folder = mkdtempSync(path.join(tmpdir(), 'croupier-examples-'));
const builtIn = builtInSource();
const suite = loadSuite([builtIn], folder, () => crypto.randomUUID());
// croupier plays a built-in scenario again if its first attempt, with fewer reads, finds anything. The balances of the second
// attempt differ from those of the correct operator. The scenarios of a user are played once, with all reads.
cpSync(builtIn.path, path.join(folder, 'scenarios'), { recursive: true });
const wholeRuns = new Map<string, Promise<readonly PlayedScenario[]>>();

/**
 * Runs one scenario after another with a fixed seed, so that the correct operator and the one with a defect get the
 * same calls.
 *
 * @param rule plays only the scenarios of this rule; null for the whole suite
 * @param only plays only this scenario of the rule; undefined for all of them
 */
async function play(defect: string | null, rule: RuleId | null, only?: string): Promise<readonly PlayedScenario[]> {
  const name = path.join(folder, crypto.randomUUID());
  const args = ['run', '--reference', '--workers', '1', '--race-rounds', '1', '--seed', 'docs', ...filesOf(rule, only)];
  const files = ['--journal', `${name}.ndjson`, '--report', `json=${name}.json`];
  const defects = defect === null ? [] : ['--defect', defect];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [BIN, ...args, ...defects, ...files], { cwd: folder }, () => resolve());
  });
  const report = JSON.parse(readFileSync(`${name}.json`, 'utf8')) as { scenarios: readonly PlayedScenario[] };
  return report.scenarios.map((scenario) => ({ ...scenario, id: scenario.id.replace(/^scenarios\//, '') }));
}

/** Returns the copies of the scenarios of a rule, or of all scenarios. */
function filesOf(rule: RuleId | null, only: string | undefined): readonly string[] {
  const chosen = suite.scenarios.filter(
    ({ id, claims }) =>
      (rule === null || claims.some((claim) => claim.id === rule)) && (only === undefined || id === only),
  );
  return [
    ...new Set(chosen.map(({ absoluteFile }) => path.join('scenarios', path.relative(builtIn.path, absoluteFile)))),
  ];
}

function shortest(rule: RuleId, played: readonly PlayedScenario[]): PlayedScenario | undefined {
  return played
    .filter((scenario) => findingOf(rule, scenario))
    .toSorted((a, b) => lengthOf(rule, a) - lengthOf(rule, b))[0];
}

function planOf(id: string) {
  const found = suite.scenarios.find((scenario) => scenario.id === id);
  if (!found) throw new Error(`no scenario is called ${id}`);
  return found.plan();
}

async function exampleFor(rule: RuleId, isNote: boolean): Promise<RuleExample | undefined> {
  const right = await play(null, rule);
  if (isNote) {
    const shown = shortest(rule, right);
    return shown && exampleOf(rule, null, planOf(shown.id), shown, null);
  }
  const defects = DEFECTS.filter(({ breaks }) => breaks.includes(rule))
    .toSorted((a, b) => a.breaks.length - b.breaks.length)
    .map(({ name }) => name);
  for (const defect of defects) {
    const example = exampleFrom(rule, defect, right, await play(defect, rule));
    // Earlier scenarios with the defect change the balances. So the scenario is played alone, and both sides begin with one balance.
    if (example) return (await exampleAlone(rule, defect, example.scenario)) ?? example;
  }
  // A scenario may need the calls of earlier scenarios. So the whole suite is played if the scenario alone shows no
  // breach.
  for (const defect of defects) {
    const wholeRight = wholeRuns.get('') ?? play(null, null);
    wholeRuns.set('', wholeRight);
    const example = exampleFrom(rule, defect, await wholeRight, await play(defect, null));
    if (example) return example;
  }
  return undefined;
}

/** Returns undefined if the scenario shows no breach when it is played alone. */
async function exampleAlone(rule: RuleId, defect: string, scenario: string): Promise<RuleExample | undefined> {
  return exampleFrom(rule, defect, await play(null, rule, scenario), await play(defect, rule, scenario));
}

function exampleFrom(
  rule: RuleId,
  defect: string,
  right: readonly PlayedScenario[],
  wrong: readonly PlayedScenario[],
): RuleExample | undefined {
  const shown = shortest(rule, wrong);
  const beside = right.find(({ id }) => id === shown?.id);
  return shown && beside && exampleOf(rule, defect, planOf(shown.id), beside, shown);
}

/** Writes the file after each example, so that an interrupted run keeps them. */
function keep(rule: RuleId, example: RuleExample): void {
  kept[rule] = example;
  const ordered = Object.fromEntries(RULES.flatMap(({ id }) => (kept[id] ? [[id, kept[id]]] : [])));
  writeFileSync(FILE, `${JSON.stringify(ordered, null, 2)}\n`);
}

/** Number of runs in parallel. It is higher than the number of cores, because a run mostly waits. */
const AT_ONCE = 4;
const wanted = process.argv.slice(2);
const kept = JSON.parse(readFileSync(FILE, { encoding: 'utf8', flag: 'a+' }) || '{}') as Record<string, RuleExample>;
const queue = RULES.filter(({ id }) => !WRITTEN_EXAMPLES[id] && (wanted.length === 0 || wanted.includes(id)));

async function work(): Promise<void> {
  for (let rule = queue.shift(); rule; rule = queue.shift()) {
    const example = await exampleFor(rule.id, rule.level === 'NOTE');
    if (example) keep(rule.id, example);
    process.stderr.write(`${rule.id}: ${example ? `${example.defect ?? 'as it is'}, ${example.scenario}` : 'NONE'}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
rmSync(folder, { recursive: true });
