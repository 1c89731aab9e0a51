import { make } from '../../../pages/client/element.ts';
import type { BoardRow, GroupCounts } from '../view.ts';
import { reportAddress } from './api.ts';
import { ageOf, groupSign, isNewFailure, momentOf, percent, RUN_VERDICTS, trendWords } from './words.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** The width and the height of one day in a trend. */
const DAY = { width: 5, bar: 4, height: 18 } as const;
/** The height of a bar. Days with the verdict conforming have low bars, so that other days can be seen without colours. */
const HEIGHTS: Readonly<Record<string, number>> = { c: 7, u: 12, n: 18, '-': 1 };

/** Creates the row of one operator. @param open opens the details of the operator */
export function rowOf(row: BoardRow, groups: readonly string[], now: number, open: () => void): HTMLTableRowElement {
  const { name, extCID, run, flaky, load } = row;
  const button = make('button', { class: 'open', click: open, is: { type: 'button', tabindex: '-1' } }, name);
  const about = [extCID === name ? '' : extCID, run?.build ?? ''].filter(Boolean).join(' · ');
  return make(
    'tr',
    { data: { state: run ? RUN_VERDICTS[run.verdict].tone : 'none' } },
    make('th', { class: 'operator', is: { scope: 'row' } }, button, make('span', { class: 'about' }, about)),
    make('td', { class: 'result' }, ...resultOf(row, now)),
    ...groups.map((group, at) => groupCell(group, row.groups[at] ?? null)),
    make('td', { class: 'trend' }, trendOf(row.trend)),
    make(
      'td',
      { class: 'flaky', data: { some: String((flaky?.rules ?? 0) > 0) } },
      flaky === null ? '…' : flakyText(flaky),
    ),
    make('td', { class: 'load' }, load ? verdictLink(load, now) : make('span', { class: 'dim' }, '–')),
  );
}

/** The cells of groups by their titles. Most cells of a group are the same, and a copy is faster than a new cell. */
const CELLS = new Map<string, HTMLElement>();

function groupCell(group: string, counts: GroupCounts | null): Node {
  const { tone, text, title } = groupSign(group, counts);
  let cell = CELLS.get(title);
  if (!cell) {
    const is = { title, 'aria-label': title };
    cell = make('td', { class: 'group', data: { state: tone, title: group }, is }, text);
    CELLS.set(title, cell);
  }
  return cell.cloneNode(true);
}

function flakyText({ rules, worst }: NonNullable<BoardRow['flaky']>): string {
  if (rules === 0) return '–';
  return `${rules} ${rules === 1 ? 'rule' : 'rules'}${worst === null ? '' : `, ${percent(worst)}`}`;
}

function resultOf(row: BoardRow, now: number): readonly Node[] {
  const { run, late, runningSince, owed } = row;
  const badges = [
    ...(isNewFailure(row)
      ? [badge('new', 'fail', 'Newly not conforming: the day before with a run had another result')]
      : []),
    ...(late
      ? [badge(late.since === null ? 'late' : `late ${ageOf(late.since, now)}`, 'undecided', lateTitle(late))]
      : []),
    ...((owed ?? 0) > 0 ? [badge(`owes ${owed}`, 'fail', 'Calls and balances that runs owe')] : []),
    ...(runningSince ? [badge('running', 'none', `Running since ${momentOf(runningSince)}`)] : []),
  ];
  const verdict = run
    ? verdictLink(run, now)
    : make('span', { class: 'verdict', data: { state: 'none' } }, 'never judged');
  return [verdict, ...badges];
}

function lateTitle({ since }: NonNullable<BoardRow['late']>): string {
  return since === null ? 'No run has judged it yet' : `Due since ${momentOf(since)}`;
}

function badge(text: string, state: string, title: string): HTMLElement {
  return make('span', { class: 'badge', data: { state }, is: { title } }, text);
}

/** Creates the link to the report of a run. */
function verdictLink(run: NonNullable<BoardRow['run'] | BoardRow['load']>, now: number): HTMLElement {
  const { sign, words, tone } = RUN_VERDICTS[run.verdict];
  return make(
    'a',
    {
      class: 'verdict',
      data: { state: tone },
      is: {
        href: reportAddress(run.number),
        target: '_blank',
        rel: 'noreferrer',
        title: `Report of run ${run.number}, ${momentOf(run.startedAt)}`,
      },
    },
    make('span', { class: 'words' }, `${sign} ${words}`),
    make('span', { class: 'age' }, ageOf(run.startedAt, now)),
  );
}

/** Draws one bar for each day. */
function trendOf(trend: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${trend.length * DAY.width} ${DAY.height}`);
  svg.setAttribute('width', String(trend.length * DAY.width));
  svg.setAttribute('height', String(DAY.height));
  svg.setAttribute('role', 'img');
  const words = trendWords(trend);
  svg.setAttribute('aria-label', words);
  for (const [mark, height] of Object.entries(HEIGHTS)) {
    let bars = '';
    for (let at = 0; at < trend.length; at += 1)
      if (trend[at] === mark) bars += `M${at * DAY.width} ${DAY.height - height}h${DAY.bar}v${height}h-${DAY.bar}z`;
    if (bars === '') continue;
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', bars);
    path.setAttribute('class', `day-${mark === '-' ? 'none' : mark}`);
    svg.append(path);
  }
  return svg;
}
