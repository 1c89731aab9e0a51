import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { RULES, type RuleId, ruleById } from '../contract/catalogue.ts';
import type { KnownFailure } from '../journal/baseline.ts';
import { EXPECTATION } from '../journal/finding.ts';
import { byPlace, type Complaint, complaintAt } from '../scenario/complaint.ts';
import { readDocument } from '../scenario/document.ts';
import { nearest } from '../scenario/near.ts';
import { complaintsOf, PlacedValues, type Words } from './placed-values.ts';

const text = z.string().min(1, 'must not be empty');
const ruleIds: readonly (RuleId | typeof EXPECTATION)[] = [...RULES.map(({ id }) => id), EXPECTATION];

function isDay(value: string): boolean {
  const day = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

const entry = z.strictObject({
  rule: z
    .enum(ruleIds)
    .describe('The rule that may fail; expectation: what a scenario demands beyond the rules, which needs `scenario`.'),
  reason: text.describe('Why it may fail for a while.'),
  ticket: text.describe('Where its mending is followed: a number or an address.'),
  expires: z
    .string('must be a day, as in 2027-03-31')
    .refine(isDay, 'must be a day of the calendar, as in 2027-03-31')
    .meta({ format: 'date' })
    .describe('The last day, in UTC, on which it may fail.'),
  endpoint: z.enum(CALL_NAMES).optional().describe('Only there. Every endpoint is meant when left out.'),
  scenario: text
    .optional()
    .describe('Only in this scenario, or in all cases of it. Every scenario is meant when left out.'),
  client: text.optional().describe('Only for this ExtCID. Every client is meant when left out.'),
});

/** What a baseline may hold. */
export const baselineSchema = z.array(entry).meta({
  title: 'Baseline of croupier',
  description:
    'Rules that may fail for a while. One that is mended must leave the list, and one that has expired fails.',
});

type Entry = z.infer<typeof entry>;

const WORDS: Words = {
  schema: baselineSchema,
  whole: 'a baseline',
  named: { '': 'a known failure' },
  eitherOf: 'text',
};

/** A scenario as far as a baseline may speak of it. */
interface Told {
  readonly id: string;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
}

/** What there is to be named in a baseline. */
export interface Subjects {
  readonly suite: readonly Told[];
  /** Those of the suite that are about to be run. */
  readonly chosen: readonly Told[];
  /** The ExtCIDs that the configuration knows; empty: they are not known. */
  readonly clients: readonly string[];
}

/** An entry, and whom it is about; undefined: every client. */
export type ClientsFailure = KnownFailure & { readonly client: string | undefined };

export type BaselineReading =
  | { readonly kind: 'read'; readonly known: readonly ClientsFailure[] }
  | { readonly kind: 'broken'; readonly complaints: readonly Complaint[] };

/**
 * Reads the text of a baseline, whole: every mistake is found, not only the first.
 *
 * @param file the name that complaints show
 */
export function readBaseline(file: string, yaml: string, subjects: Subjects): BaselineReading {
  const { root, complaints: syntax, source } = readDocument(yaml, file);
  if (syntax.length > 0) return { kind: 'broken', complaints: [...syntax].sort(byPlace) };
  const values = new PlacedValues(root ?? { kind: 'list', spot: { source, start: 0, end: 1 }, items: [] });
  const parsed = baselineSchema.safeParse(values.value);
  if (!parsed.success) {
    const complaints = [...complaintsOf(parsed.error.issues, values, WORDS)].sort(byPlace);
    return { kind: 'broken', complaints };
  }
  const complaints = parsed.data.flatMap((given, index) => {
    const earlier = parsed.data.slice(0, index).findIndex((other) => isSame(other, given));
    const found = mistakeIn(given, earlier < 0 ? undefined : lineOf(values, earlier), subjects);
    return found ? [complaintAt(values.spot([index, found.key]), found.message, found.mend)] : [];
  });
  if (complaints.length > 0) return { kind: 'broken', complaints };
  const known = parsed.data.map((given, index) => ({
    rule: given.rule,
    endpoint: given.endpoint ?? null,
    scenario: given.scenario ?? null,
    reason: given.reason,
    ticket: given.ticket,
    expires: given.expires,
    line: lineOf(values, index),
    tried: isTried(given, subjects),
    client: given.client,
  }));
  return { kind: 'read', known };
}

function lineOf(values: PlacedValues, index: number): number {
  return complaintAt(values.spot([index]), '').line;
}

function isSame(a: Entry, b: Entry): boolean {
  return a.rule === b.rule && a.endpoint === b.endpoint && a.scenario === b.scenario && a.client === b.client;
}

interface Mistake {
  readonly key: keyof Entry;
  readonly message: string;
  readonly mend?: string | undefined;
}

/** What no schema sees: an entry that can never match anything would never be missed. */
function mistakeIn(given: Entry, twinLine: number | undefined, subjects: Subjects): Mistake | undefined {
  const { rule, endpoint, scenario, client } = given;
  if (twinLine !== undefined) {
    return { key: 'rule', message: `\`${rule}\` is listed already, in line ${twinLine}`, mend: 'keep one of the two' };
  }
  if (rule === EXPECTATION && scenario === undefined) {
    return { key: 'rule', message: `an ${EXPECTATION} belongs to a scenario: add \`scenario\`` };
  }
  if (rule !== EXPECTATION && ruleById(rule).level === 'NOTE') {
    return { key: 'rule', message: `\`${rule}\` is a NOTE, and never fails a run`, mend: 'take it off the list' };
  }
  const endpoints = rule === EXPECTATION ? [] : (ruleById(rule).endpoints ?? []);
  if (endpoint !== undefined && !endpoints.includes(endpoint)) {
    const judged = endpoints.length === 0 ? 'is not judged by endpoint' : `is judged at ${endpoints.join(', ')} only`;
    return { key: 'endpoint', message: `\`${rule}\` ${judged}` };
  }
  if (scenario !== undefined && !subjects.suite.some(({ id }) => isMeant(scenario, id))) {
    const ids = subjects.suite.flatMap(({ id }) => [id, storyOf(id)]);
    return { key: 'scenario', message: `there is no scenario \`${scenario}\``, mend: meant(scenario, ids) };
  }
  if (client !== undefined && subjects.clients.length > 0 && !subjects.clients.includes(client)) {
    return { key: 'client', message: `there is no client \`${client}\``, mend: meant(client, subjects.clients) };
  }
  return undefined;
}

function meant(word: string, words: readonly string[]): string | undefined {
  const near = nearest(word, words);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

function storyOf(id: string): string {
  return id.split('#')[0] ?? id;
}

function isMeant(scenario: string, id: string): boolean {
  return scenario === id || scenario === storyOf(id);
}

/** True when nothing that is left out of the run could show that it fails. */
function isTried({ rule, scenario }: Entry, { suite, chosen }: Subjects): boolean {
  const wanted = suite.filter(
    ({ id, rules, tags }) =>
      (scenario === undefined ? !tags.includes('opt-in') : isMeant(scenario, id)) &&
      (rule === EXPECTATION || scenario !== undefined || rules.includes(rule)),
  );
  return wanted.length > 0 && wanted.every(({ id }) => chosen.some((one) => one.id === id));
}
