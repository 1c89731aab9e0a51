import type { JournalledExchange } from '../evidence.ts';
import { capital, duration } from '../layout.ts';
import type { PlayedScenario } from '../scenario-exchanges.ts';
import { timeAxis } from '../time-axis.ts';
import { leftEdge, type Timeline, timedCalls, timelineSummary } from '../timeline.ts';
import { type Content, html, type Markup, NOTHING } from './markup.ts';

/** Units of the axis; drawings are stretched to the width that there is. */
const AXIS = 1000;
const MOST_ROWS = 40;
/** So many calls are drawn from the first broken connection on. */
const STORY = 12;
const MOST_RACES = 3;

/** Races, those in which something was found first, and what followed when a connection was broken. */
export function timelineCharts({ scenario, exchanges, races }: PlayedScenario): Content {
  const named = new Set(scenario.findings.map(({ exchange }) => exchange));
  const byID = new Map(exchanges.map((exchange) => [exchange.sending.id, exchange]));
  const telling = races.filter((race) => race.exchanges.some((id) => named.has(id)));
  const drawn = (telling.length > 0 ? telling : races.slice(0, 1)).slice(0, MOST_RACES).map((race) => ({
    calls: race.exchanges.flatMap((id) => byID.get(id) ?? []),
    race,
  }));
  const story = storyOf(exchanges);
  return [...drawn, ...(story ? [story] : [])].map((timeline) => chart(timeline, named));
}

function storyOf(exchanges: readonly JournalledExchange[]): Timeline | null {
  const own = exchanges.filter(({ sending: { purpose } }) => purpose !== 'restore' && purpose !== 'prepare');
  const broken = own.findIndex(
    ({ received }) => received?.outcome.kind === 'none' && received.outcome.reason === 'broken',
  );
  return broken < 0 ? null : { calls: own.slice(broken, broken + STORY), race: null };
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
  const rows = timed.slice(0, MOST_ROWS).map(({ id, label, stamps, answer }) => {
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
  return html`<figure class="timeline"><figcaption>${capital(timelineSummary(timed, race))}. <span class="key sending">on its way</span> <span class="key waiting">with the operator</span> <span class="key lost">broken off</span>${axis.cuts.length > 0 ? html` <span class="key cut">a wait, cut short</span>` : null}</figcaption>
<p class="scale"><span>0</span><span>${duration(to - from)}</span></p>
<ol>${rows}</ol>${more > 0 ? html`<p class="dim">and ${more} more</p>` : null}</figure>
`;
}
