import { isRuleId, RULES, type RuleId } from '../contract/catalogue.ts';
import type { JsonValue } from '../contract/json.ts';
import { type Case, type ReadCases, readCases } from './cases.ts';
import { checkNames } from './expressions/names.ts';
import { FragmentCache, type ReadFragment } from './fragment.ts';
import { nearest } from './near.ts';
import { NO_NEEDS, needsJson, readNeeds } from './needs.ts';
import { type Binding, NO_BINDINGS, Reading, rangeWithin } from './reading.ts';
import { type BoundScenario, type Scenario, type ScenarioStep, sendingSteps, type Word } from './scenario.ts';
import { NAME, text, version, word } from './shapes/scalar-shapes.ts';
import { field, list, map, refuse, type Shape } from './shapes/shape.ts';
import { readSteps } from './step-reader.ts';
import { byPlace, type Diagnostic, diagnosticAt } from './yaml/diagnostic.ts';
import { readDocument } from './yaml/document.ts';
import { placeOf } from './yaml/source.ts';
import { entryOf, type MapNode, type YamlNode } from './yaml/yaml-node.ts';

export interface LoadOptions {
  /** The scenario's id. It is the path of the file without its extension, for example `idempotency/bet`. */
  readonly id: string;
  readonly readFragment: ReadFragment;
}

export interface Loaded {
  /** The scenario. Undefined if the file has a mistake. */
  readonly scenario: Scenario | undefined;
  /** Every mistake in the file and in its fragments, sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the id of the rule that the author most likely meant. The group of the rule may be missing. */
function nearestRule(written: string): RuleId | undefined {
  const ids = RULES.map(({ id }) => id);
  const dotted = written.replace(/[/: ]/, '.');
  const near = nearest(dotted, ids);
  if (near !== undefined || dotted.includes('.')) return ids.find((id) => id === near);
  const namesakes = ids.filter((id) => id.slice(id.indexOf('.') + 1) === dotted.toLowerCase());
  if (namesakes.length === 1) return namesakes[0];
  const name = nearest(
    dotted,
    ids.map((id) => id.slice(id.indexOf('.') + 1)),
  );
  return ids.find((id) => name !== undefined && id.endsWith(`.${name}`));
}

const ruleId: Shape<Word> = {
  read(node, reading) {
    if (node.kind !== 'scalar' || typeof node.value !== 'string')
      return refuse(reading, node, 'the id of a rule, such as bet.debit');
    if (isRuleId(node.value)) return { text: node.value, range: node.range };
    const near = nearestRule(node.value);
    reading.report(
      node.range,
      `there is no rule \`${node.value}\``,
      near ? `did you mean \`${near}\`?` : '`croupier list rules` shows all rules',
    );
    return undefined;
  },
  json: () => ({ oneOf: RULES.map((rule) => ({ const: rule.id, description: `${rule.level}: ${rule.sentence}` })) }),
};

const tag: Shape<Word> = {
  read(node, reading) {
    if (node.kind === 'scalar' && typeof node.value === 'string' && /^[\w.-]+$/.test(node.value))
      return { text: node.value, range: node.range };
    return refuse(reading, node, 'a tag: letters, digits, _, . and -');
  },
  json: () => ({ type: 'string', pattern: '^[\\w.-]+$' }),
};

/** Creates the shape of a key that is read later, once for each case. This shape keeps the value as it is. */
const later = (json: () => Readonly<Record<string, unknown>>): Shape<YamlNode> => ({ read: (node) => node, json });
const steps = later(() => ({ $ref: '#/definitions/steps' }));
const caseValue = { type: ['string', 'integer', 'boolean', 'null'] };

/** The shape of a scenario file. */
export const SCENARIO = map('a scenario', {
  croupier: field('The version of the scenario language.', version),
  title: field(
    'The behaviour that is tested, in one sentence. `${…}` inserts a value of the case.',
    later(() => ({ type: 'string', minLength: 1 })),
    true,
  ),
  rules: field('The ids of the rules that the scenario tests.', list('a list of rule ids', ruleId)),
  needs: field(
    'The requirements of the scenario. If one of them is not met, croupier skips the scenario, and its rules stay untested.',
    later(needsJson),
  ),
  cases: field(
    'The scenario is run once for each case. In a list of maps, each map is a case. In a map of lists, each combination of the values is a case.',
    later(() => ({
      anyOf: [
        { type: 'object', minProperties: 1, additionalProperties: { type: 'array', minItems: 1, items: caseValue } },
        { type: 'array', minItems: 1, items: { type: 'object', additionalProperties: caseValue } },
      ],
    })),
  ),
  tags: field('Tags with which `--tag` selects scenarios.', list('a list of tags', tag)),
  order: field('`last`: the scenario is run after all other scenarios.', word('an order', ['last'] as const)),
  rounds: field(
    'When croupier sends the win that completes a round. Default: when no later step refers to the round, before the next bet of the session or at the end of the scenario.',
    word('a treatment of rounds', ['overlapping', 'unfinished'] as const, {
      overlapping: 'croupier completes the rounds only at the end of the scenario',
      unfinished: 'croupier does not complete the rounds, so that a later run can complete them',
    }),
  ),
  steps: field('The steps of the scenario, in the order in which they are played.', steps, true),
  always: field('Steps that are played at the end, even after a failure.', steps),
});

const title = text('a title');

/** Reads a scenario file and reports every mistake in it. Never throws an error, whatever the text is. */
export function loadScenario(source: string, file: string, options: LoadOptions): Loaded {
  const document = readDocument(source, file);
  const diagnostics = new Map<string, Diagnostic>();
  const done = (scenario: Scenario | undefined): Loaded => {
    const all = [...document.diagnostics, ...diagnostics.values()].sort(byPlace);
    return { scenario: all.length === 0 ? scenario : undefined, diagnostics: all };
  };
  const reading = new Reading(NO_BINDINGS, undefined, diagnostics);
  const { root } = document;
  if (!root) {
    if (document.diagnostics.length > 0) return done(undefined);
    const diagnostic = diagnosticAt(
      { source: document.source, start: 0, end: 1 },
      'this file contains no scenario',
      'write at least a title and steps',
    );
    diagnostics.set('empty', diagnostic);
    return done(undefined);
  }
  const whole = SCENARIO.read(root, reading);
  if (!whole || root.kind !== 'map') return done(undefined);
  const { values } = whole;
  const readCasesOf = values.cases && readCases(values.cases, reading);
  const cache = new FragmentCache(options.readFragment);
  const parts: FileParts = { root, file, cache, diagnostics };
  const boundScenarios = readBoundScenarios(parts, readCasesOf, whole.keys.has('cases'));
  if (
    !values.rules &&
    !whole.keys.has('rules') &&
    boundScenarios.length > 0 &&
    !boundScenarios.some((bound) => hasStatedExpectation([...bound.steps, ...bound.always]))
  ) {
    reading.report(
      entryOf(root, 'steps')?.keyRange ?? root.range,
      'this scenario tests nothing, because it names no rule and has no expectation',
      'name the rules that it tests (rules: [bet.debit]), or add `expect` to a step',
    );
  }
  const rules = (values.rules ?? []).map((each) => ({ id: each.text as RuleId, place: placeOf(each.range) }));
  for (const [index, rule] of rules.entries()) {
    const range = values.rules?.[index]?.range;
    if (range && rules.findIndex((other) => other.id === rule.id) < index)
      reading.report(range, `\`${rule.id}\` is listed twice in \`rules\``, 'remove one of these two rule ids');
  }
  return done({
    id: options.id,
    file,
    place: placeOf(root.range),
    rules,
    tags: (values.tags ?? []).map((each) => each.text),
    last: values.order === 'last',
    ...(values.rounds && { rounds: values.rounds }),
    boundScenarios,
  });
}

interface FileParts {
  readonly root: MapNode;
  readonly file: string;
  readonly cache: FragmentCache;
  readonly diagnostics: Map<string, Diagnostic>;
}

function readBoundScenarios(parts: FileParts, found: ReadCases | undefined, hasCases: boolean): BoundScenario[] {
  // If the cases could not be read, the scenario is not read further. Otherwise, every use of a case variable would be reported as
  // a mistake too.
  if (hasCases && !found) return [];
  if (!found) return [readBoundScenario(parts, undefined, NO_BINDINGS)];
  const used = new Set<string>();
  if (found.cases.length === 0) {
    const unknown = [...found.variables].map(([variable, range]): [string, Binding] => [
      variable,
      { node: { kind: 'broken', range }, scope: NO_BINDINGS, used: false },
    ]);
    const bindings = new Map(unknown);
    readBoundScenario(parts, undefined, bindings);
    for (const [variable, binding] of bindings) if (binding.used) used.add(variable);
  }
  const boundScenarios = found.cases.map((each) => {
    const bindings = new Map<string, Binding>(
      [...each.nodes].map(([name, node]) => [name, { node, scope: NO_BINDINGS, used: false }]),
    );
    const bound = readBoundScenario(parts, each, bindings);
    for (const [name, binding] of bindings) if (binding.used) used.add(name);
    return bound;
  });
  const reading = new Reading(NO_BINDINGS, undefined, parts.diagnostics);
  for (const [name, range] of found.variables) {
    if (!used.has(name) && NAME.test(name))
      reading.report(
        range,
        `nothing uses the case variable \`${name}\``,
        `remove the case variable, or use it as \${${name}}`,
      );
  }
  return boundScenarios;
}

function readBoundScenario(
  { root, file, cache, diagnostics }: FileParts,
  found: Case | undefined,
  bindings: ReadonlyMap<string, Binding>,
): BoundScenario {
  const reading = new Reading(bindings, undefined, diagnostics);
  const needsNode = entryOf(root, 'needs')?.value;
  const { needs, aliases } = needsNode ? readNeeds(needsNode, reading) : { needs: NO_NEEDS, aliases: new Map() };
  const titleNode = entryOf(root, 'title')?.value;
  const heading = titleNode && readTitle(titleNode, reading);
  const unreadNames = new Set<string>();
  cache.startCase();
  const context = { cache, chain: [file], unreadNames };
  const stepsNode = entryOf(root, 'steps')?.value;
  const alwaysNode = entryOf(root, 'always')?.value;
  const readAll = (node: YamlNode | undefined, prefix: string): ScenarioStep[] =>
    node ? readSteps(node, prefix, reading, context) : [];
  const parts = { steps: readAll(stepsNode, ''), always: readAll(alwaysNode, 'always.') };
  checkNames({ steps: [...parts.steps, ...parts.always], aliases, unreadNames, earlierRun: needs.earlierRun }, reading);
  const values: Record<string, JsonValue> = Object.fromEntries(
    [...(found?.nodes ?? [])].map(([name, node]) => [name, node.value]),
  );
  return { caseId: found?.id, values, title: heading ?? '', needs, ...parts };
}

/** Matches a `${…}`. If the closing brace is missing, matches the rest of the text: then the text is searched only once. */
const PLACEHOLDER = /\$\{([^}]*)(\}?)/g;

/**
 * Reads a title. A `${…}` in a title contains a case variable or quoted text. If the value of a case variable is an expression,
 * the title shows the expression without `${ }`.
 */
function readTitle(node: YamlNode, reading: Reading): string | undefined {
  const found = title.read(node, reading);
  if (!found || node.kind !== 'scalar') return undefined;
  return found.text.replaceAll(PLACEHOLDER, (whole, inside: string, end: string, at: number) => {
    if (end === '') return whole;
    const name = inside.trim();
    const [, quoted] = /^'([^']*)'$/.exec(name) ?? [];
    if (quoted !== undefined) return quoted;
    const binding = reading.bindings.get(name);
    if (!binding) {
      const near = nearest(name, reading.bindings.keys());
      const help = near ? `did you mean \`${near}\`?` : 'only case variables can be used in a title';
      const start = at + 2 + inside.length - inside.trimStart().length;
      reading.report(rangeWithin(node, start, start + name.length), `\`${name}\` is not a case variable`, help);
      return whole;
    }
    binding.used = true;
    const value = binding.node.kind === 'scalar' ? String(binding.node.value) : '';
    return value.replaceAll(PLACEHOLDER, (each, expression: string, last: string) =>
      last === '' ? each : expression.trim(),
    );
  });
}

function hasStatedExpectation(all: readonly ScenarioStep[]): boolean {
  return sendingSteps(all).some((step) => step.expect.stated);
}
