import { isRuleId, RULES, type RuleId } from '../contract/catalogue.ts';
import type { JsonValue } from '../contract/json.ts';
import { type Case, type ReadCases, readCases } from './cases.ts';
import { type Cell, entryOf, type MapCell } from './cell.ts';
import { byPlace, type Complaint, complaintAt } from './complaint.ts';
import { readDocument } from './document.ts';
import { FragmentShelf, type ReadFragment } from './fragment.ts';
import { checkNames } from './names.ts';
import { nearest } from './near.ts';
import { NO_NEEDS, needsJson, readNeeds } from './needs.ts';
import { type Binding, NO_BINDINGS, Reading, spotWithin } from './reading.ts';
import { NAME, text, word } from './scalar-shapes.ts';
import type { Scenario, Story, StoryStep, Word } from './scenario.ts';
import { isSending } from './scenario.ts';
import { field, list, map, refuse, type Shape } from './shape.ts';
import { placeOf } from './source.ts';
import { readSteps } from './step-reader.ts';
import { versionField } from './version.ts';

export interface LoadOptions {
  /** The scenario's id: its path without extension, `idempotency/bet`. */
  readonly id: string;
  readonly readFragment: ReadFragment;
}

export interface Loaded {
  /** Only when there is nothing to complain about. */
  readonly scenario: Scenario | undefined;
  /** Every mistake of the file and of its fragments, by place. */
  readonly complaints: readonly Complaint[];
}

const ruleId: Shape<Word> = {
  read(cell, reading) {
    if (cell.kind !== 'scalar' || typeof cell.value !== 'string')
      return refuse(reading, cell, 'the id of a rule, such as bet.debit');
    if (isRuleId(cell.value)) return { text: cell.value, spot: cell.spot };
    const near = nearest(
      cell.value,
      RULES.map((rule) => rule.id),
    );
    reading.complain(
      cell.spot,
      `there is no rule \`${cell.value}\``,
      near ? `did you mean \`${near}\`?` : '`croupier list rules` shows them all',
    );
    return undefined;
  },
  json: () => ({ oneOf: RULES.map((rule) => ({ const: rule.id, description: `${rule.level}: ${rule.sentence}` })) }),
};

const tag: Shape<Word> = {
  read(cell, reading) {
    if (cell.kind === 'scalar' && typeof cell.value === 'string' && /^[\w.-]+$/.test(cell.value))
      return { text: cell.value, spot: cell.spot };
    return refuse(reading, cell, 'a tag: letters, digits, _, . and -');
  },
  json: () => ({ type: 'string', pattern: '^[\\w.-]+$' }),
};

/** Some parts are read again for each case; here they are only told from what is no key of a scenario. */
const later = (json: () => Readonly<Record<string, unknown>>): Shape<Cell> => ({ read: (cell) => cell, json });
const steps = later(() => ({ $ref: '#/definitions/steps' }));
const caseValue = { type: ['string', 'integer', 'boolean', 'null'] };

/** A scenario file. */
export const SCENARIO = map('a scenario', {
  croupier: versionField,
  title: field(
    'What must happen, in one sentence; `${…}` puts in the values of a case.',
    later(() => ({ type: 'string', minLength: 1 })),
    true,
  ),
  rules: field('Which rules it tests.', list('a list of rule ids', ruleId)),
  needs: field('What there must be, so that it can be played; else it is skipped.', later(needsJson)),
  cases: field(
    'It is played once for each: a map of lists (their product), or a list of rows.',
    later(() => ({
      anyOf: [
        { type: 'object', minProperties: 1, additionalProperties: { type: 'array', minItems: 1, items: caseValue } },
        { type: 'array', minItems: 1, items: { type: 'object', additionalProperties: caseValue } },
      ],
    })),
  ),
  tags: field('By which scenarios can be selected (`--tag`).', list('a list of tags', tag)),
  order: field('`last`: played when all others are done.', word('an order', ['last'] as const)),
  steps: field('What is done, in this order.', steps, true),
  always: field('What is done at the end, whatever happened.', steps),
});

const title = text('a title');

/** Reads a scenario file and complains of every mistake in it. Never throws, whatever the text. */
export function loadScenario(source: string, file: string, options: LoadOptions): Loaded {
  const document = readDocument(source, file);
  const complaints = new Map<string, Complaint>();
  const done = (scenario: Scenario | undefined): Loaded => {
    const all = [...document.complaints, ...complaints.values()].sort(byPlace);
    return { scenario: all.length === 0 ? scenario : undefined, complaints: all };
  };
  const reading = new Reading(NO_BINDINGS, undefined, complaints);
  const { root } = document;
  if (!root) {
    if (document.complaints.length > 0) return done(undefined);
    const complaint = complaintAt(
      { source: document.source, start: 0, end: 1 },
      'there is no scenario in this file',
      'a scenario has at least a title and steps',
    );
    complaints.set('empty', complaint);
    return done(undefined);
  }
  const whole = SCENARIO.read(root, reading);
  if (!whole || root.kind !== 'map') return done(undefined);
  const { values } = whole;
  const readCasesOf = values.cases && readCases(values.cases, reading);
  const shelf = new FragmentShelf(options.readFragment);
  const parts: StoryParts = { root, file, shelf, complaints };
  const stories = readStories(parts, readCasesOf, whole.keys.has('cases'));
  if (
    !values.rules &&
    !whole.keys.has('rules') &&
    stories.length > 0 &&
    !stories.some((story) => statesSomething([...story.steps, ...story.always]))
  ) {
    reading.complain(
      entryOf(root, 'steps')?.keySpot ?? root.spot,
      'this scenario judges nothing: it claims no rule and expects nothing',
      'name the rules that it tests (rules: [bet.debit]), or say what a step expects',
    );
  }
  const rules = (values.rules ?? []).map((each) => ({ id: each.text as RuleId, place: placeOf(each.spot) }));
  for (const [index, rule] of rules.entries()) {
    const spot = values.rules?.[index]?.spot;
    if (spot && rules.findIndex((other) => other.id === rule.id) < index)
      reading.complain(spot, `\`${rule.id}\` stands here twice`, 'remove one of them');
  }
  return done({
    id: options.id,
    file,
    place: placeOf(root.spot),
    rules,
    tags: (values.tags ?? []).map((each) => each.text),
    last: values.order === 'last',
    stories,
  });
}

interface StoryParts {
  readonly root: MapCell;
  readonly file: string;
  readonly shelf: FragmentShelf;
  readonly complaints: Map<string, Complaint>;
}

function readStories(parts: StoryParts, found: ReadCases | undefined, hasCases: boolean): Story[] {
  // Without knowing the cases, every name of theirs would be complained about.
  if (hasCases && !found) return [];
  if (!found) return [readStory(parts, undefined, NO_BINDINGS)];
  const used = new Set<string>();
  if (found.cases.length === 0) {
    const unknown = [...found.variables].map(([variable, spot]): [string, Binding] => [
      variable,
      { cell: { kind: 'broken', spot }, scope: NO_BINDINGS, used: false },
    ]);
    const bindings = new Map(unknown);
    readStory(parts, undefined, bindings);
    for (const [variable, binding] of bindings) if (binding.used) used.add(variable);
  }
  const stories = found.cases.map((each) => {
    const bindings = new Map<string, Binding>(
      [...each.cells].map(([name, cell]) => [name, { cell, scope: NO_BINDINGS, used: false }]),
    );
    const story = readStory(parts, each, bindings);
    for (const [name, binding] of bindings) if (binding.used) used.add(name);
    return story;
  });
  const reading = new Reading(NO_BINDINGS, undefined, parts.complaints);
  for (const [name, spot] of found.variables) {
    if (!used.has(name) && NAME.test(name))
      reading.complain(spot, `nothing uses the case variable \`${name}\``, `remove it, or use it as \${${name}}`);
  }
  return stories;
}

function readStory(
  { root, file, shelf, complaints }: StoryParts,
  found: Case | undefined,
  bindings: ReadonlyMap<string, Binding>,
): Story {
  const reading = new Reading(bindings, undefined, complaints);
  const needsCell = entryOf(root, 'needs')?.value;
  const { needs, aliases } = needsCell ? readNeeds(needsCell, reading) : { needs: NO_NEEDS, aliases: new Map() };
  const titleCell = entryOf(root, 'title')?.value;
  const heading = titleCell && readTitle(titleCell, reading);
  const lost = new Set<string>();
  shelf.beginStory();
  const context = { shelf, chain: [file], lost };
  const stepsCell = entryOf(root, 'steps')?.value;
  const alwaysCell = entryOf(root, 'always')?.value;
  const readAll = (cell: Cell | undefined, prefix: string): StoryStep[] =>
    cell ? readSteps(cell, prefix, reading, context) : [];
  const story = { steps: readAll(stepsCell, ''), always: readAll(alwaysCell, 'always.') };
  checkNames({ steps: [...story.steps, ...story.always], aliases, lost, earlierRun: needs.earlierRun }, reading);
  const values: Record<string, JsonValue> = Object.fromEntries(
    [...(found?.cells ?? [])].map(([name, cell]) => [name, cell.value]),
  );
  return { caseId: found?.id, values, title: heading ?? '', needs, ...story };
}

/** A title takes case variables and quoted text alone; one whose value is an expression is shown as it is written, without `${ }`. */
function readTitle(cell: Cell, reading: Reading): string | undefined {
  const found = title.read(cell, reading);
  if (!found || cell.kind !== 'scalar') return undefined;
  return found.text.replaceAll(/\$\{([^}]*)\}/g, (whole, inside: string, at: number) => {
    const name = inside.trim();
    const [, quoted] = /^'([^']*)'$/.exec(name) ?? [];
    if (quoted !== undefined) return quoted;
    const binding = reading.bindings.get(name);
    if (!binding) {
      const near = nearest(name, reading.bindings.keys());
      const help = near ? `did you mean \`${near}\`?` : 'only case variables can be used in a title';
      const start = at + 2 + inside.length - inside.trimStart().length;
      reading.complain(spotWithin(cell, start, start + name.length), `\`${name}\` is no case variable`, help);
      return whole;
    }
    binding.used = true;
    const value = binding.cell.kind === 'scalar' ? String(binding.cell.value) : '';
    return value.replaceAll(/\$\{\s*([^}]*?)\s*\}/g, '$1');
  });
}

function statesSomething(all: readonly StoryStep[]): boolean {
  return all.some((step) =>
    step.kind === 'together' ? step.steps.some((each) => each.expect.stated) : isSending(step) && step.expect.stated,
  );
}
