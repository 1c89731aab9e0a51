import { bodyText } from '../../journal/exchange.ts';
import type { Fold } from '../../journal/fold.ts';
import { baseUrlsText } from '../base-urls.ts';
import { curlLine } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import { noReplySentence, notableReplyHeaders, notableRequestHeaders } from '../exchange-summary.ts';
import type { JournalledExchange, PlayedScenario } from '../exchanges.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain, shownFile } from '../run-again.ts';
import { block, html, type Markup, NOTHING } from './markup.ts';

/** Maximum number of characters of a body in a ticket. */
const MAX_BODY = 2000;

/**
 * Renders a button that copies the first failure of a scenario as Markdown, for the ticket system of the operator. All text from
 * outside is inside one code block, so that it is never read as Markdown.
 */
export function ticket(played: PlayedScenario, fold: Fold, options: ReportOptions): Markup {
  const text = ticketText(played, fold, options);
  if (text === null) return NOTHING;
  return html`<p class="ticket"><button type="button" class="copy" hidden>Copy as ticket</button><code hidden>${block(text)}</code></p>
`;
}

function ticketText({ scenario, exchanges }: PlayedScenario, fold: Fold, { curl }: ReportOptions): string | null {
  const [finding] = scenario.findings;
  if (!finding) return null;
  const { planned } = scenario;
  const { run } = fold;
  const rule = fold.rules.find(({ rule: { id } }) => id === finding.rule)?.rule;
  const exchange = exchanges.find(({ sending }) => sending.id === finding.exchange);
  const again = runAgain(planned, run.flags);
  const weight = rule === undefined ? '' : ` (${rule.level}${rule.money ? ', money is at stake' : ''})`;
  const lines = [
    `scenario  ${planned.id}: ${planned.title}`,
    `where     ${finding.place ? `${shownFile({ id: planned.id, place: finding.place })}:${finding.place.line}` : shownFile(planned)}`,
    `operator  ${run.client.extCID} at ${baseUrlsText(run)}`,
    `run       ${run.startedAt}, contract ${run.contract}, croupier ${run.croupier}, run ${run.runID}`,
    '',
    `expected  ${finding.expected}`,
    `actual    ${finding.actual}`,
    ...(exchange ? ['', ...exchangeLines(exchange, curl)] : []),
    ...(again === null ? [] : ['', `run again ${again}`]),
  ].map(forTerminal);
  const longest = Math.max(2, ...[...lines.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [
    `### ${finding.rule} is broken${weight}`,
    ...(rule?.means ? ['', rule.means] : []),
    ...(rule ? ['', `To fix: ${rule.hint}`] : []),
    '',
    `${fence}text`,
    ...lines,
    fence,
    '',
  ].join('\n');
}

function exchangeLines({ sending, received }: JournalledExchange, curl: boolean): readonly string[] {
  const { request, trace } = sending;
  const line = curl ? curlLine(request) : null;
  const headers = notableRequestHeaders(sending, curl).map(([name, value]) => `          ${name}: ${value}`);
  const sent = [
    `request   ${request.method} ${request.url}`,
    ...headers,
    ...(request.body === null ? [] : [`          ${bodyText(request.body).slice(0, MAX_BODY)}`]),
    ...(trace === undefined ? [] : [`trace     ${trace.traceID}, span ${trace.spanID}`]),
    ...(line === null ? [] : [`curl      ${line}`]),
  ];
  if (received === null) return [...sent, 'reply     unknown: the journal ends before the reply'];
  const { outcome } = received;
  if (outcome.kind === 'none') return [...sent, `reply     none: ${noReplySentence(outcome.reason)}`];
  return [
    ...sent,
    `reply     ${outcome.reply.status}`,
    ...notableReplyHeaders(outcome.reply.headers).map(([name, value]) => `          ${name}: ${value}`),
    `          ${bodyText(outcome.reply.body).slice(0, MAX_BODY)}`,
  ];
}
