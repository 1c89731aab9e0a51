import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { plural } from '../../contract/plural.ts';
import type { LoadResult } from '../../journal/load/result.ts';
import { html, type Markup } from '../html/markup.ts';
import { pageHead } from '../html/page-head.ts';
import { duration } from '../terminal/layout.ts';
import { type Chart, lineChart } from './chart.ts';
import { LOAD_STYLE } from './style.ts';
import { declinedFreeBets, exactBalances, settleCommand, whyLateForPlayers, withSign } from './text.ts';

/** Writes the result of a load test as a page that needs no other file. */
export function loadHtml(result: LoadResult): string {
  const { client, startedAt, load, journal, croupier } = result;
  const settle = settleCommand(result);
  const title = `${result.verdict}: load test of ${client.extCID}`;
  return html`${pageHead(title, { style: LOAD_STYLE })}<header class="${tone(result)}"><p class="verdict">${result.verdict}</p><h1>Load test of ${client.extCID}</h1>
<p>${client.integratorBaseUrl}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${duration(load.ranMs)}</p>
${result.verdict === 'RECONCILED' ? html`<p>${exactBalances(result)}</p>` : html`<ul>${result.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}</header>
<main>${search(result)}${problems(result)}${findings(result)}${moneyTable(result)}${rates(result)}${charts(result)}${times(result)}${errors(result)}</main>
${
  settle === undefined
    ? null
    : html`<p>To send what is still owed: <code>${settle}</code></p>
`
}<footer class="dim"><p>croupier ${croupier}, seed ${result.seed}, journal ${journal}</p></footer>
</body>
</html>
`.text;
}

function tone({ verdict }: LoadResult): string {
  return verdict === 'RECONCILED' ? 'pass' : verdict === 'UNDECIDED' ? 'warn' : 'fail';
}

function search({ search: found }: LoadResult): Markup | null {
  if (!found) return null;
  return html`<section><h2>Highest rate: ${found.highest === null ? 'none' : `${plural(found.highest, 'call')} per second`}</h2>
<p>The other sections describe the rate that decides.</p>
<table><thead><tr><th scope="col">Calls per second</th><th scope="col">Limits</th></tr></thead><tbody>
${found.steps.map(
  ({
    rate,
    isHeld,
    why,
  }) => html`<tr><th scope="row">${rate}</th><td>${isHeld ? 'kept' : `not kept: ${why ?? ''}`}</td></tr>
`,
)}</tbody></table></section>
`;
}

function problems({ money }: LoadResult): Markup | null {
  if (money.problems.length === 0) return null;
  const left = money.problemCount - money.problems.length;
  return html`<section><h2>Wrong balances</h2>
${money.problems.map(
  (one) => html`<article><h3>${one.player}: ${withSign(one.difference)} ${one.currency}</h3>
<p>The balance is ${one.shown}, but the answers give ${one.expected}. Read ${duration(one.atMs)} after the start. Rule: <code>${one.rule}</code>.</p>
${
  one.transactions.length === 0
    ? html`<p>${one.possibleTransactions ? 'No transaction explains the difference for certain' : `None of the last ${plural(one.windowSize, 'transaction')} explains the difference`}, so somebody else may have changed the balance.${one.otherPlayer === undefined ? null : ` The balance of ${one.otherPlayer} changed by the opposite amount: perhaps somebody moved money between the two players.`}</p>${one.possibleTransactions ? html`<ul>${one.possibleTransactions.map((each) => html`<li>Perhaps ${named(each)}. This may also fit by chance</li>`)}</ul>` : null}`
    : html`<ul>${one.transactions.map((each) => html`<li>${one.isOneOfSeveral ? 'One of several possibilities: ' : null}${named(each)}</li>`)}</ul>`
}<p>The last minute of this player as a scenario: <code>${one.replay}</code></p></article>
`,
)}${left > 0 ? html`<p>${plural(left, 'further wrong balance')}.</p>` : null}</section>
`;
}

function named({
  call,
  txID,
  amount,
  what,
  traceID,
}: LoadResult['money']['problems'][number]['transactions'][number]): Markup {
  return html`${call} <code>${txID}</code> of ${amount} ${what}${traceID === undefined ? null : html`. Trace <code>${traceID}</code>`}`;
}

function findings({ findings: all }: LoadResult): Markup | null {
  const shown = all.filter(({ verdict }) => verdict !== 'note');
  if (shown.length === 0) return null;
  return html`<section><h2>Rules</h2><div class="wide" tabindex="0" role="region" aria-label="rules"><table><thead><tr><th scope="col">Rule</th><th scope="col">Level</th><th scope="col">Call</th><th scope="col">Calls</th><th scope="col">Expected</th><th scope="col">Actual, for the first call</th></tr></thead><tbody>
${shown.map(
  ({ rule, verdict, call, count, expected, actual, traceID }) =>
    html`<tr><th scope="row"><code>${rule}</code></th><td>${ruleById(rule as RuleId).level}${verdict === 'warn' ? ', warning' : null}</td><td>${call}</td><td class="n">${count}</td><td>${expected}</td><td>${actual}${traceID === undefined ? null : html` Trace <code>${traceID}</code>`}</td></tr>
`,
)}</tbody></table></div></section>
`;
}

function moneyTable({ money }: LoadResult): Markup {
  return html`<section><h2>Money</h2>
<p>${plural(money.players, 'player')}; the balances of ${money.verified} were compared at the end. ${plural(money.transactions, 'accepted transaction')}.</p>
<div class="wide" tabindex="0" role="region" aria-label="money"><table class="numbers"><thead><tr><th scope="col">Currency</th><th scope="col">Before</th><th scope="col">Staked</th><th scope="col">Won</th><th scope="col">Refunded</th><th scope="col">Expected</th><th scope="col">Shown</th><th scope="col">Difference</th></tr></thead><tbody>
${money.byCurrency.map(
  (one) =>
    html`<tr><th scope="row">${one.currency ?? 'unknown'}</th>${[one.opening, one.staked, one.won, one.refunded, one.expected, one.shown ?? 'unknown', one.shown === null ? `unknown (found until then: ${one.difference})` : one.difference].map((text) => html`<td class="n">${text}</td>`)}</tr>
`,
)}</tbody></table></div>
${money.owed.length > 0 ? html`<p>${plural(money.owed.length, 'call')} not answered 200, such as ${money.owed[0]?.call ?? null} <code>${money.owed[0]?.txID ?? null}</code>.</p>` : null}${money.unread.length > 0 ? html`<p>Balances that could not be read: ${money.unread.join(', ')}.</p>` : null}</section>
`;
}

function rates(result: LoadResult): Markup {
  const { rate, limits, croupierItself, load, brokenOnPurpose, declinedBets, money } = result;
  const freeBets = declinedFreeBets(result);
  const facts = [
    ['Rate asked', rate.asked === null ? 'as fast as the replies came' : `${rate.asked.toFixed(1)} per second`],
    ['Rate got', `${rate.got.toFixed(1)} per second`],
    ['Calls', `${rate.calls}, ${brokenOnPurpose} of them broken on purpose`],
    [
      'Sent late',
      `${rate.lateForPlayers} ${whyLateForPlayers(croupierItself)}, ${rate.lateForCroupier} because croupier was slow`,
    ],
    ['Never sent', String(rate.neverSent)],
    ...(declinedBets > 0 ? [['Declined', plural(declinedBets, 'bet')] as const] : []),
    ...(freeBets === undefined ? [] : [['Free bets', freeBets] as const]),
    ...(money.healed > 0
      ? [['Healed', `${plural(money.healed, 'balance')} became right only after the linger`] as const]
      : []),
    ...(load.workers.count > 1
      ? [['Workers', `${load.workers.count}, ${load.workers.lost.length} of them lost`] as const]
      : []),
    ...(load.disturbances.length > 0
      ? [
          [
            'Disturbed',
            `${plural(load.disturbances.length, 'time')}, at ${load.disturbances.map(({ atMs }) => duration(atMs)).join(', ')}`,
          ],
        ]
      : []),
    ['Compared', `within ${duration(load.reconcileMs)} after the load`],
    [
      'croupier itself',
      `event loop p99 ${croupierItself.eventLoopP99Ms} ms, ${croupierItself.stalledMs > 0 ? `stood still for ${duration(croupierItself.stalledMs)}, ` : ''}${Math.round(croupierItself.cpu * 100)} % of one core${croupierItself.isBottleneck ? ': too slow for this load' : ''}`,
    ],
    ...limits.map(({ limit, actual, unit, isHeld }) => [
      `Limit ${limit}`,
      isHeld === null
        ? actual === null
          ? 'unknown'
          : `not decided: the value is ${actual}${unit}, but croupier itself sent calls too late`
        : `${isHeld ? 'kept' : 'not kept'}, it is ${actual}${unit}`,
    ]),
  ];
  return html`<section><h2>Rate and limits</h2><dl>${facts.map(([name = '', value = '']) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>
`;
}

function charts({ seconds, times: all }: LoadResult): Markup {
  const last = Math.max(1, seconds.length - 1);
  const time = {
    ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => `${Number((last * share).toFixed(1))} s`),
    from: 0,
    to: last,
  };
  const of = (value: (second: LoadResult['seconds'][number]) => number | null): Chart['series'][number]['points'] =>
    seconds.map((second) => [second.second, value(second)] as const);
  const highest = (value: (second: LoadResult['seconds'][number]) => number | null): number =>
    Math.max(0, ...seconds.map((second) => value(second) ?? 0));
  const total = all.find(({ call }) => call === 'all');
  const nines = Math.max(1, Math.ceil(Math.log10(Math.max(10, total?.count ?? 10))));
  const curve = (
    points: readonly { readonly percentile: number; readonly ms: number }[],
  ): Chart['series'][number]['points'] =>
    points
      .map(
        ({ percentile, ms }) =>
          [Math.min(nines, Math.log10(1 / Math.max(1 - percentile / 100, 10 ** -nines))), ms] as const,
      )
      .filter(([x]) => x <= nines);
  return html`<section><h2>Over time</h2>
${lineChart({
  id: 'rate',
  title: 'Rate',
  unit: 'calls per second',
  isCount: true,
  summary: `Planned and real rate, up to ${highest(({ sent }) => sent)} calls per second`,
  ...time,
  series: [
    { name: 'asked', tone: 'b', points: of(({ asked }) => asked) },
    { name: 'got', tone: 'a', points: of(({ sent }) => sent) },
  ],
})}${lineChart({
  id: 'response',
  title: 'Response time',
  unit: 'ms',
  summary: `Response time during the test. The slowest second has a p99.9 of ${highest(({ p999 }) => p999)} ms`,
  ...time,
  series: [
    { name: 'p99.9', tone: 'c', points: of(({ p999 }) => p999) },
    { name: 'p99', tone: 'b', points: of(({ p99 }) => p99) },
    { name: 'p50', tone: 'a', points: of(({ p50 }) => p50) },
  ],
})}${lineChart({
  id: 'errors-over-time',
  title: 'Errors',
  unit: 'per second',
  isCount: true,
  summary: `Errors over time, at most ${highest(({ errors: count }) => count)} in one second`,
  ...time,
  series: [{ name: 'errors', tone: 'c', points: of(({ errors: count }) => count) }],
})}</section><section><h2>Percentiles</h2>
${lineChart({
  id: 'percentiles',
  title: 'Time by percentile, all calls',
  unit: 'ms',
  summary: `Response time and service time for each percentile. The axis is logarithmic. The longest time is ${total?.response?.max ?? 0} ms`,
  ticks: Array.from({ length: nines + 1 }, (_, power) => (power === 0 ? '0 %' : `${percentOf(power)} %`)),
  from: 0,
  to: nines,
  series: [
    { name: 'response', tone: 'a', points: curve(total?.responseCurve ?? []) },
    { name: 'service', tone: 'b', points: curve(total?.serviceCurve ?? []) },
  ],
})}</section>
`;
}

/** Returns the percentile with this number of nines as text: 1 is 90, 3 is 99.9. */
function percentOf(nines: number): string {
  return nines === 1 ? '90' : nines === 2 ? '99' : `99.${'9'.repeat(nines - 2)}`;
}

function times({ times: all }: LoadResult): Markup {
  const rows = all.flatMap(({ call, count, responses, service, response }) => [
    ...(response === null ? [] : [{ name: `${call}, response`, count: responses, at: response }]),
    ...(service === null ? [] : [{ name: `${call}, service`, count, at: service }]),
  ]);
  return html`<section><h2>Times in milliseconds</h2>
<p class="dim">Response: from the moment at which the call was due. Service: from the last byte of the request. A wallet that stands still delays the calls after it, which only the response time shows. Calls that no schedule planned, as at the end of the test, have only a service time.</p>
<div class="wide" tabindex="0" role="region" aria-label="times"><table class="numbers"><thead><tr><th scope="col">Call</th><th scope="col">Times</th>${['50 %', '90 %', '99 %', '99.9 %', '99.99 %', 'Longest'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${rows.map(
  ({ name, count, at }) =>
    html`<tr><th scope="row">${name}</th><td class="n">${count}</td>${[at.p50, at.p90, at.p99, at.p999, at.p9999, at.max].map((ms) => html`<td class="n">${ms}</td>`)}</tr>
`,
)}</tbody></table></div></section>
`;
}

function errors({ errors: all }: LoadResult): Markup {
  const rows = all.map(
    ({ kind, count }) =>
      html`<tr><th scope="row">${/^\d+$/.test(kind) ? `answered ${kind}` : kind}</th><td class="n">${count}</td></tr>
`,
  );
  return html`<section><h2>Errors</h2>
${all.length === 0 ? html`<p>None.</p>` : html`<table><thead><tr><th scope="col">Kind</th><th scope="col">Calls</th></tr></thead><tbody>${rows}</tbody></table>`}</section>
`;
}
