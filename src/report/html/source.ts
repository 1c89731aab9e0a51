import type { PlannedScenario } from '../../journal/event.ts';
import type { JudgedFinding } from '../../journal/judged-cell.ts';
import { clip } from '../layout.ts';
import type { ReportOptions } from '../options.ts';
import { shownFile } from '../run-again.ts';
import { block, html, type Markup, NOTHING } from './markup.ts';

/** Longer files are shown around the lines in which something was found. */
const WHOLE = 80;
const AROUND = 8;
const LINE = 240;

/** The scenario as it is written, with the lines at which something was found. */
export function sourceListing(
  planned: PlannedScenario,
  findings: readonly JudgedFinding[],
  readLine: ReportOptions['readLine'],
): Markup {
  const { place } = planned;
  if (place.file === '') return NOTHING;
  const hits = new Map(
    // The gravest of a line is set last.
    findings
      .toReversed()
      .flatMap(({ place: at, verdict }) => (at?.file === place.file ? [[at.line, verdict] as const] : [])),
  );
  const last = Math.max(WHOLE, ...[...hits.keys()].map((line) => line + AROUND));
  const lines: Markup[] = [];
  let isCut = false;
  for (let line = 1; line <= last; line += 1) {
    const text = readLine({ file: place.file, line, column: 1 });
    if (text === null || (line > WHOLE && !isNear(line, hits))) {
      isCut ||= text !== null;
      continue;
    }
    if (text === '' && readLine({ file: place.file, line: line + 1, column: 1 }) === null) continue;
    // What an editor reads is of no use to a reader.
    if (text.startsWith('# yaml-language-server:')) continue;
    const verdict = hits.get(line);
    const number = String(line).padStart(4);
    const shown = html`<i>${number}</i> ${withComment(clip(text, LINE))}`;
    lines.push(verdict === undefined ? html`${shown}\n` : html`<b class="${verdict}">${shown}</b>\n`);
  }
  if (lines.length === 0) return NOTHING;
  isCut ||= readLine({ file: place.file, line: last + 1, column: 1 }) !== null;
  return html`<figure class="source"><figcaption>${shownFile(planned)}</figcaption><pre tabindex="0">${lines}</pre>${isCut ? html`<p class="dim">The file is longer: only what is near a finding is shown.</p>` : null}</figure>
`;
}

function isNear(line: number, hits: ReadonlyMap<number, unknown>): boolean {
  return [...hits.keys()].some((hit) => Math.abs(hit - line) <= AROUND);
}

/** Comments stay in the background. */
function withComment(text: string): Markup {
  const at = /(?:^|\s)#\s.*$/.exec(text)?.index;
  return at === undefined
    ? block(text)
    : html`${block(text.slice(0, at))}<span class="dim">${block(text.slice(at))}</span>`;
}
