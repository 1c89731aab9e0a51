import type { PlannedScenario } from '../../journal/event.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import type { ReportOptions } from '../options.ts';
import { shownFile } from '../run-again.ts';
import { clip } from '../terminal/layout.ts';
import { block, html, type Markup, NOTHING } from './markup.ts';

/** Number of lines of a scenario file that are always shown. Later lines are shown only if they are near a finding. */
const WHOLE_LINES = 80;
const LINES_AROUND = 8;
const MAX_LINE = 240;

/** Renders the source of the scenario, with the lines of findings marked. */
export function sourceListing(
  planned: PlannedScenario,
  findings: readonly JudgedFinding[],
  readLine: ReportOptions['readLine'],
): Markup {
  const { place } = planned;
  if (place.file === '') return NOTHING;
  const hits = new Map(
    // The first finding of a line is the most severe one. A map keeps the last value of a key, so the order is reversed to keep the
    // first finding.
    findings
      .toReversed()
      .flatMap(({ place: at, verdict }) => (at?.file === place.file ? [[at.line, verdict] as const] : [])),
  );
  const last = Math.max(WHOLE_LINES, ...[...hits.keys()].map((line) => line + LINES_AROUND));
  const lines: Markup[] = [];
  let isCut = false;
  for (let line = 1; line <= last; line += 1) {
    const text = readLine({ file: place.file, line, column: 1 });
    if (text === null || (line > WHOLE_LINES && !isNear(line, hits))) {
      isCut ||= text !== null;
      continue;
    }
    if (text === '' && readLine({ file: place.file, line: line + 1, column: 1 }) === null) continue;
    // This comment is for editors, not for readers of the report.
    if (text.startsWith('# yaml-language-server:')) continue;
    const verdict = hits.get(line);
    const number = String(line).padStart(4);
    const shown = html`<i>${number}</i> ${withComment(clip(text, MAX_LINE))}`;
    lines.push(verdict === undefined ? html`${shown}\n` : html`<b class="${verdict}">${shown}</b>\n`);
  }
  if (lines.length === 0) return NOTHING;
  isCut ||= readLine({ file: place.file, line: last + 1, column: 1 }) !== null;
  return html`<figure class="source"><figcaption>${shownFile(planned)}</figcaption><pre tabindex="0">${lines}</pre>${isCut ? html`<p class="dim">The file is longer. After line ${WHOLE_LINES}, only lines near a finding are shown.</p>` : null}</figure>
`;
}

function isNear(line: number, hits: ReadonlyMap<number, unknown>): boolean {
  return [...hits.keys()].some((hit) => Math.abs(hit - line) <= LINES_AROUND);
}

/** Renders a line of source with its comment dimmed. */
function withComment(text: string): Markup {
  const at = /(?:^|\s)#\s/.exec(text)?.index;
  return at === undefined
    ? block(text)
    : html`${block(text.slice(0, at))}<span class="dim">${block(text.slice(at))}</span>`;
}
