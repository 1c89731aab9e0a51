import { isKnownBreach } from '../../journal/baseline.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';

/**
 * Writes the failures of this run as a baseline for later runs. Entries of the current baseline that still fail or are undecided
 * are kept.
 *
 * In new entries, reason, ticket and expiry are empty. A run does not accept empty values, so a person has to fill them in.
 */
export async function* baselineReport(fold: Fold): AsyncGenerator<string> {
  const kept = fold.baseline.filter(({ state }) => state === 'failing' || state === 'undecided');
  const entries = [
    ...kept.map(({ known }) => known),
    ...fold.rules
      .filter(({ verdict, isKnown }) => verdict === 'fail' && !isKnown)
      .map(({ rule }) => ({ rule: rule.id, ...UNDECIDED })),
    ...missed(fold).map((scenario) => ({ rule: EXPECTATION, scenario, ...UNDECIDED })),
  ];
  yield `# Rules that ${comment(fold.run.client.extCID)} breaks, from the run of ${comment(fold.run.startedAt.slice(0, 10))}. See docs/baseline.md.\n`;
  if (entries.length === 0) yield '[]\n';
  for (const entry of entries) yield* entryLines(entry);
}

const UNDECIDED = { reason: '', ticket: '', expires: '' };

interface Entry {
  readonly rule: string;
  readonly endpoint?: string | null;
  readonly scenario?: string | null;
  readonly reason: string;
  readonly ticket: string;
  readonly expires: string;
}

function* entryLines({ rule, endpoint = null, scenario = null, reason, ticket, expires }: Entry): Generator<string> {
  yield `- rule: ${rule}\n`;
  if (endpoint !== null) yield `  endpoint: ${endpoint}\n`;
  if (scenario !== null) yield `  scenario: ${quoted(scenario)}\n`;
  yield `  reason: ${quoted(reason)}\n  ticket: ${quoted(ticket)}\n`;
  yield expires === ''
    ? '  expires: # the last day on which the failure is accepted, as in 2027-03-31\n'
    : `  expires: ${expires}\n`;
}

/** Returns the scenarios with a missed expectation, each once. */
function missed({ expectations, baseline }: Fold): readonly string[] {
  const failing = expectations.filter((finding) => finding.verdict === 'fail' && !isKnownBreach(baseline, finding));
  return [...new Set(failing.map(({ scenario }) => scenario))];
}

/** Quotes a text as JSON, which is also valid YAML. Characters that YAML could read as a line end are written as codes. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function comment(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
