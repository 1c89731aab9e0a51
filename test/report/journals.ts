import { readFileSync } from 'node:fs';
import type { JournalEvent } from '../../src/journal/event.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { readJournal } from '../../src/journal/read.ts';
import { REPORT_FORMS, REPORT_KINDS } from '../../src/report/exports/kinds.ts';
import type { OpenJournal, ReportOptions } from '../../src/report/options.ts';
import { PLAIN } from '../../src/report/paint.ts';

/** The names of the journals in fixtures/journals. Each is from a run with another result. */
export const JOURNALS = ['green', 'failing', 'killed', 'interrupted', 'unreachable', 'hostile'] as const;

export type JournalName = (typeof JOURNALS)[number];

const SOURCE: Readonly<Record<string, string>> = {
  'scenarios/idempotency/bet.yaml:9': '  - resend: first',
  'scenarios/idempotency/bet-later.yaml:14': '  - resend: first',
  'scenarios/signature/mismatch.yaml:8': '  - win:',
  'scenarios/refund/broken-connection.yaml:11': '  - balance:',
  'scenarios/reply/error-message.yaml:6': '  - bet: { note: "\u001B[31m" }',
  'our-scenarios/first-deposit.yaml:7': '    expect: { body: { bonus.amount: "5.00" } }',
};

export const OPTIONS: ReportOptions = {
  paint: PLAIN,
  width: 80,
  unicode: true,
  verbosity: 0,
  readLine: ({ file, line }) => SOURCE[`${file}:${line}`] ?? null,
  journal: '.croupier/run.ndjson',
  exchangesPerScenario: 100,
  curl: false,
  scrub: (text) => text,
  page: () => ({ style: 'body { margin: 0 }', script: 'void 0;' }),
};

export function journalText(name: JournalName): string {
  return readFileSync(new URL(`../../fixtures/journals/${name}.ndjson`, import.meta.url), 'utf8');
}

function openJournal(name: JournalName): OpenJournal {
  return () => readJournal([journalText(name)]);
}

export function foldOf(name: JournalName): Promise<Fold> {
  return foldJournal(openJournal(name)());
}

/** Options of a report, and perhaps its form, such as `strict`. */
type Given = Partial<ReportOptions> & { readonly form?: string };

export async function reportText(name: JournalName, kind: string, options: Given = {}): Promise<string> {
  return textOf(kind, openJournal(name), options);
}

/** Returns the report of the events that a test made itself. */
export async function reportOfEvents(
  events: readonly JournalEvent[],
  kind: string,
  options: Given = {},
): Promise<string> {
  return textOf(kind, () => events, options);
}

async function textOf(kind: string, open: OpenJournal, options: Given): Promise<string> {
  const report = options.form === undefined ? REPORT_KINDS[kind] : REPORT_FORMS[kind]?.[options.form];
  if (!report) throw new Error(`no report is called ${kind}`);
  let text = '';
  for await (const piece of report(await foldJournal(open()), open, { ...OPTIONS, ...options })) text += piece;
  return text;
}
