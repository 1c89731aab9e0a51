import type { Timeline } from '../evidence.ts';
import type { JournalledExchange, PlayedScenario } from '../exchanges.ts';
import { capital, duration } from '../terminal/layout.ts';
import { timeAxis } from '../terminal/time-axis.ts';
import { leftEdge, timedCalls, timelineSummary } from '../terminal/timeline.ts';
import { type Content, html, type Markup, NOTHING } from './markup.ts';

/** Width of the axis, in units of the drawing. The browser stretches the drawing to the available width. */
const AXIS = 1000;
const MAX_ROWS = 40;
/** Maximum number of calls that are drawn after a broken connection. The call with the broken connection counts too. */
const MAX_FOLLOW_UP = 12;
const MAX_RACES = 3;

/**
 * Draws timelines of races and of the calls after a broken connection. Draws the races with findings. If no race has a finding,
 * draws the first race.
 */
export function timelineCharts({ scenario, exchanges, races }: PlayedScenario): Content {
  const named = new Set(scenario.findings.map(({ exchange }) => exchange));
  const byID = new Map(exchanges.map((exchange) => [exchange.sending.id, exchange]));
  const withFindings = races.filter((race) => race.exchanges.some((id) => named.has(id)));
  const drawn = (withFindings.length > 0 ? withFindings : races.slice(0, 1)).slice(0, MAX_RACES).map((race) => ({
    calls: race.exchanges.flatMap((id) => byID.get(id) ?? []),
    race,
  }));
  const followUp = followUpOf(exchanges);
  return [...drawn, ...(followUp ? [followUp] : [])].map((timeline) => chart(timeline, named));
}

function followUpOf(exchanges: readonly JournalledExchange[]): Timeline | null {
  const own = exchanges.filter(({ sending: { purpose } }) => purpose !== 'restore' && purpose !== 'prepare');
  const broken = own.findIndex(
    ({ received }) => received?.outcome.kind === 'none' && received.outcome.reason === 'broken',
  );
  return broken < 0 ? null : { calls: own.slice(broken, broken + MAX_FOLLOW_UP), race: null };
}

function chart({ calls, race }: Timeline, named: ReadonlySet<string | null>): Markup {
  const timed = timedCalls(calls);
  if (timed.length < 2) return NOTHING;
  const barrier = race?.barrier ?? null;
  const axis = timeAxis(
    timed.map(({ stamps }) => ({ from: leftEdge(stamps, barrier), to: stamps.end })),
    AXIS,
  );
  const from = Math.min(...timed.map(({ stamps }) => leftEdge(stamps, barrier)));
  const to = Math.max(...timed.map(({ stamps }) => stamps.end));
  const rows = timed.slice(0, MAX_ROWS).map(({ id, label, stamps, answer }) => {
    const start = axis.column(leftEdge(stamps, barrier));
    const sent = axis.column(stamps.sent ?? stamps.end);
    const end = axis.column(stamps.end);
    const lost =
      answer.fate === 'replied'
        ? null
        : html`<rect class="lost" x="${Math.min(end, AXIS - 8)}" y="0" width="8" height="14"/>`;
    const isNamed = named.has(id);
    return html`<li${isNamed ? html` class="named"` : null}><span class="label">${isNamed ? '› ' : ''}${label}</span><svg viewBox="0 0 ${AXIS} 14" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="${AXIS}" height="14"/>${axis.cuts.map((at) => html`<rect class="cut" x="${at - 2}" width="4" height="14"/>`)}<rect class="sending" x="${start}" y="5" width="${Math.max(sent - start, 0)}" height="4"/><rect class="waiting" x="${sent}" y="1" width="${Math.max(end - sent, 4)}" height="12"/>${lost}</svg><span class="answer">${answer.fate === 'replied' ? null : html`<span aria-hidden="true">× </span>`}${answer.text}</span></li>
`;
  });
  const more = timed.length - rows.length;
  return html`<figure class="timeline"><figcaption>${capital(timelineSummary(timed, race))}. <span class="key sending">request being sent</span> <span class="key waiting">waiting for the reply</span> <span class="key lost">no reply</span>${axis.cuts.length > 0 ? html` <span class="key cut">shortened wait</span>` : null}</figcaption>
<p class="scale"><span>0</span><span>${duration(to - from)}</span></p>
<ol>${rows}</ol>${more > 0 ? html`<p class="dim">and ${more} more</p>` : null}</figure>
`;
}
