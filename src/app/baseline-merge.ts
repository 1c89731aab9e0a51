import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { RULES } from '../contract/catalogue.ts';
import { allows, breachAt, judgeKnown } from '../journal/baseline.ts';
import type { KnownFailure } from '../journal/event.ts';
import { EXPECTATION } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import {
  type BaselineEntry,
  brokenPlaces,
  entriesFor,
  entryText,
  undecidedEntries,
  unneededIn,
} from '../report/exports/baseline.ts';
import { readDocument } from '../scenario/yaml/document.ts';
import { editList } from '../scenario/yaml/edit-list.ts';
import { allowedMoney, sum } from './baseline-file.ts';
import { diagnosticsError } from './config/configuration.ts';
import { diagnosticsOf, PlacedValues, type Words } from './config/placed-values.ts';

/** An entry of a baseline, in which the user may still have to fill in the reason, the ticket and the last day. */
const draft = z.object({
  rule: z.enum([...RULES.map(({ id }) => id), EXPECTATION]),
  client: z.string().optional(),
  endpoint: z.enum(CALL_NAMES).optional(),
  scenario: z.union([z.string(), z.array(z.string())]).optional(),
  money: z.union([z.literal(false), sum, z.array(sum)]).optional(),
  moneyIn: z.record(z.string(), sum).optional(),
  intermittent: z.boolean().optional(),
  undecided: z.boolean().optional(),
  reason: z.string().nullish(),
  ticket: z.string().nullish(),
  expires: z.string().nullish(),
});

type Draft = z.infer<typeof draft>;

const WORDS = {
  schema: z.array(draft),
  whole: 'a baseline',
  named: { '': 'a known failure' },
  eitherOf: 'text or a list of texts',
} satisfies Words;

/** The last day of an entry without a last day. It is later than every real last day. */
const NEVER = '9999-12-31';

/**
 * Brings a baseline up to date after a run. Removes the failures that the run has shown to be fixed, and adds the failures that are
 * not listed. Everything else stays unchanged: other entries, entries of other clients, comments, reasons and dates.
 *
 * @param yaml the text of the baseline
 * @param file the name of the baseline in messages
 * @throws UsageError if the text is not a baseline
 */
export function mergeBaseline(yaml: string, file: string, fold: Fold): string {
  const drafts = readDrafts(yaml, file);
  const known = drafts.flatMap((entry, index) => knownFailures(entry, index, fold));
  const states = judgeKnown(known, fold);
  const isUnneeded = unneededIn(fold);
  const isFixed = ({ line }: KnownFailure): boolean =>
    states.some((result) => result.known.line === line && isUnneeded(result));
  const removed = new Set(known.filter(isFixed).map(({ line }) => line - 1));
  const listed = known.filter((one) => !isFixed(one));
  const missing = brokenPlaces(fold).filter((place) => !listed.some((one) => allows(one, breachAt(place))));
  const open = undecidedEntries(fold, listed);
  const added = [...entriesFor(fold, missing, listed), ...open].map((entry) => {
    const narrower = drafts.flatMap((draft, index) => (isWithin(draft, entry) ? [index] : []));
    for (const index of narrower) removed.add(index);
    const [first] = narrower.map((index) => drafts[index]);
    const { reason, ticket, expires } = first ?? {};
    return {
      ...entry,
      reason: reason || entry.reason,
      ticket: ticket || entry.ticket,
      expires: expires || entry.expires,
    };
  });
  return editList(yaml, { removed, added: added.map(entryText).join('') });
}

/**
 * True if a new entry for all scenarios replaces an entry for some scenarios. If both stayed, the older entry would fail a run in
 * which the rule fails only in other scenarios.
 */
function isWithin({ rule, client, endpoint, scenario }: Draft, entry: BaselineEntry): boolean {
  return (
    entry.scenarios.length === 0 &&
    !entry.undecided &&
    scenario !== undefined &&
    rule === entry.rule &&
    client === entry.client &&
    (endpoint ?? null) === entry.endpoint
  );
}

/**
 * Reads the entries of a baseline. Their values may be empty. @throws UsageError with every mistake if the text is not a
 * baseline
 */
export function readDrafts(yaml: string, file: string): readonly Draft[] {
  const { root, diagnostics } = readDocument(yaml, file);
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  if (root === undefined) return [];
  const values = new PlacedValues(root);
  const parsed = WORDS.schema.safeParse(values.value);
  if (!parsed.success) throw diagnosticsError(diagnosticsOf(parsed.error.issues, values, WORDS));
  return parsed.data;
}

/**
 * Returns one known failure for each scenario of an entry; returns an empty list if the entry belongs to another client. The
 * field `line` contains the number of the entry, from 1.
 */
function knownFailures(entry: Draft, index: number, { run, baseline }: Fold): readonly KnownFailure[] {
  if (entry.client !== undefined && entry.client !== run.client.extCID) return [];
  const { rule, endpoint = null, scenario = null, intermittent, undecided, expires } = entry;
  return (Array.isArray(scenario) ? scenario : [scenario]).map((name: string | null) => ({
    rule,
    endpoint,
    scenario: name,
    reason: '',
    ticket: '',
    expires: expires ?? NEVER,
    ...allowedMoney(entry),
    ...(intermittent && { intermittent: true as const }),
    ...(undecided && { undecided: true as const }),
    line: index + 1,
    tried:
      name === null
        ? baseline.some(({ known }) => known.rule === rule && known.scenario === null && known.tried)
        : run.scenarios.some(({ id }) => id === name || id.split('#')[0] === name),
  }));
}
