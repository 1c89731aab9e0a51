import { plural } from '../../contract/plural.ts';
import { graver, type Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import { quoteWord } from '../curl.ts';
import { duration } from '../terminal/layout.ts';
import { type Content, html, type Markup, NOTHING } from './markup.ts';

/** Renders the run itself: which scenario ran when for which player, the sessions, and the settings. */
export function* runSection(fold: Fold): Generator<Markup> {
  yield html`<section id="run"><h2>This run</h2>
`;
  yield* timeChart(fold);
  yield html`${sessionsTable(fold)}${settingsList(fold)}</section>
`;
}

function sessionsTable({ run: { settings } }: Fold): Markup {
  if (settings.sessions.length === 0) return NOTHING;
  const rows = settings.sessions.map(
    ({ sessionID, player, currency, gameID, state }) =>
      html`<tr><th scope="row">${sessionID}</th><td>${player ?? 'unknown'}</td><td>${currency ?? 'unknown'}</td><td>${gameID ?? ''}</td><td>${state}</td></tr>
`,
  );
  return html`<div class="wide" tabindex="0" role="region" aria-label="sessions"><table class="sessions"><thead><tr><th scope="col">Session</th><th scope="col">Player</th><th scope="col">Currency</th><th scope="col">Game</th><th scope="col">State</th></tr></thead>
<tbody>${rows}</tbody></table></div>
`;
}

function settingsList({ run }: Fold): Markup {
  const { settings, flags = [] } = run;
  const rows: readonly (readonly [string, Content])[] = [
    ['Deadline', duration(settings.deadlineMs)],
    ['Wait for late debits', duration(settings.lingerMs)],
    ['In parallel', plural(settings.workers, 'scenario')],
    ['Warnings of SHOULD rules', settings.strict ? 'fail the run' : 'do not fail the run'],
    ...(flags.length === 0 ? [] : [['Flags', html`<code>${flags.map(quoteWord).join(' ')}</code>`] as const]),
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
`;
}

/** Width of the time axis, in units of the drawing. The browser stretches the drawing to the available width. */
const AXIS = 1000;
/** Scenarios that would be narrower than this width, or closer to each other than this width, share one bar. */
const LEAST = 3;

interface Bar {
  readonly from: number;
  to: number;
  verdict: Verdict;
  readonly ids: string[];
}

/** Draws which scenarios ran when. Each player has a row. */
function* timeChart({ scenarios, run }: Fold): Generator<Markup> {
  const timed = scenarios.filter(({ startedAtMs, durationMs }) => startedAtMs !== null && durationMs !== null);
  const start = timed.reduce(
    (least, { startedAtMs }) => Math.min(least, startedAtMs ?? least),
    Number.POSITIVE_INFINITY,
  );
  const end = timed.reduce((most, one) => Math.max(most, (one.startedAtMs ?? 0) + (one.durationMs ?? 0)), 0);
  if (timed.length < 2 || end <= start) return;
  const players = new Map(run.settings.sessions.map(({ sessionID, player }) => [sessionID, player ?? sessionID]));
  const lanes = new Map<string, ScenarioResult[]>();
  for (const scenario of timed) {
    for (const player of new Set(Object.values(scenario.sessions).map((id) => players.get(id) ?? id))) {
      const lane = lanes.get(player);
      if (lane) lane.push(scenario);
      else lanes.set(player, [scenario]);
    }
  }
  yield html`<figure class="timeline run-time"><figcaption>Which scenarios ran when, by player. <span class="dim">A click on a bar opens its scenario.</span></figcaption>
<p class="scale"><span>0</span><span>${duration(end - start)}</span></p>
<ol>`;
  const x = (ms: number): number => ((ms - start) / (end - start)) * AXIS;
  for (const [player, lane] of lanes) yield laneMarkup(player, barsOf(lane, x));
  yield html`</ol></figure>
`;
}

function barsOf(lane: readonly ScenarioResult[], x: (ms: number) => number): readonly Bar[] {
  const bars: Bar[] = [];
  for (const { planned, verdict, startedAtMs, durationMs } of lane.toSorted(
    (a, b) => (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0),
  )) {
    const from = x(startedAtMs ?? 0);
    const to = Math.max(x((startedAtMs ?? 0) + (durationMs ?? 0)), from + LEAST);
    const last = bars.at(-1);
    if (last && from < last.to && to < last.to + LEAST) {
      last.to = Math.max(last.to, to);
      last.verdict = graver(last.verdict, verdict);
      last.ids.push(planned.id);
    } else bars.push({ from, to, verdict, ids: [planned.id] });
  }
  return bars;
}

const MAX_NAMES = 4;

function laneMarkup(player: string, bars: readonly Bar[]): Markup {
  const drawn = bars.map(({ from, to, verdict, ids }) => {
    const names =
      ids.length > MAX_NAMES
        ? `${ids.slice(0, MAX_NAMES).join(', ')} and ${ids.length - MAX_NAMES} more`
        : ids.join(', ');
    return html`<rect class="${verdict}" x="${from.toFixed(1)}" y="1" width="${Math.max(to - from - 1, 2).toFixed(1)}" height="12" data-scenario="${ids[0] ?? ''}"><title>${names}</title></rect>`;
  });
  return html`<li><span class="label">${player}</span><svg viewBox="0 0 ${AXIS} 14" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="${AXIS}" height="14"/>${drawn}</svg><span class="answer">${plural(
    bars.reduce((sum, { ids }) => sum + ids.length, 0),
    'scenario',
  )}</span></li>
`;
}
