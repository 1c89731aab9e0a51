import type { ExampleCall, RuleExample } from '../../src/cli/commands/list/rule-example.ts';
import { type Exchange, replyMs } from '../../src/journal/exchange.ts';
import { noReplySentence } from '../../src/report/exchange-summary.ts';
import type { CallStep, Plan } from '../../src/scenario/plan/plan.ts';
import { type Renaming, renaming } from './renaming.ts';

/** The fields of a scenario in the JSON report that an example needs. */
export interface PlayedScenario {
  readonly id: string;
  readonly findings: readonly {
    readonly rule: string;
    readonly verdict: string;
    readonly exchange: string | null;
    readonly expected: string;
    readonly actual: string;
  }[];
  readonly exchanges: readonly (Exchange & { readonly step: string | null; readonly purpose: string })[];
}

interface ShownCall {
  readonly key: string;
  readonly id: string;
  readonly request: string;
  readonly note: string;
  readonly reply: string;
}

const PARTS_SHOWN = { first: 4, last: 4 };

/** Describes how the call of a step differs from a plain call, with the keys of the scenario language. */
function deviationNote(step: CallStep): string {
  const { sign, tamper, headerCase, body, query, break: broken, trickle } = step.deviations;
  const notes = [
    sign !== undefined && sign !== 'valid' && `sign: ${sign}`,
    tamper && `${tamper.fields.map(([field]) => field).join(', ')} changed after signing`,
    headerCase && `header-case: ${headerCase}`,
    body?.format && `body: ${body.format}`,
    query?.order && `order: ${query.order}`,
    query?.encode && `encode: ${query.encode}`,
    broken && (broken.at === 'sent' ? 'break: sent' : `break: ${broken.at}`),
    trickle && `in ${String(trickle.pieces)} pieces`,
  ].filter((note) => typeof note === 'string');
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function stepNotes(plan: Plan): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const step of [...plan.steps, ...(plan.always ?? [])]) {
    if (step.kind === 'call') notes.set(step.key, deviationNote(step));
    if (step.kind === 'together')
      for (const part of step.steps) notes.set(part.key, ` (at the same moment)${deviationNote(part)}`);
  }
  return notes;
}

function bodyText(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, (sign) =>
    sign === '\n' ? '\\n' : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function replyText({ outcome, stamps }: Exchange, names: Renaming, withType: boolean): string {
  if (outcome.kind === 'none') return `no reply: ${noReplySentence(outcome.reason)}`;
  const type = outcome.reply.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'no Content-Type';
  const took = replyMs(stamps) ?? 0;
  return [
    String(outcome.reply.status),
    withType ? `[${type}]` : '',
    bodyText(names(outcome.reply.body.data)),
    took > 2000 ? `after ${(took / 1000).toFixed(1)} s` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function shownCalls(scenario: PlayedScenario, plan: Plan, withType: boolean): { shown: ShownCall[]; names: Renaming } {
  const names = renaming();
  const notes = stepNotes(plan);
  const seen = new Map<string, number>();
  const shown: ShownCall[] = [];
  for (const exchange of scenario.exchanges) {
    if (exchange.purpose === 'restore' || exchange.purpose === 'prepare') continue;
    const at = `${exchange.purpose} ${String(exchange.step)}`;
    const nth = (seen.get(at) ?? 0) + 1;
    seen.set(at, nth);
    const url = new URL(exchange.request.url);
    const path = url.pathname.slice(url.pathname.lastIndexOf('/'));
    shown.push({
      key: `${at} ${String(nth)}`,
      id: exchange.id,
      request: `${exchange.request.method} ${names(`${path}${url.search} ${bodyText(exchange.request.body?.data ?? '')}`).trim()}`,
      note: notes.get(String(exchange.step)) ?? '',
      reply: replyText(exchange, names, withType),
    });
  }
  return { shown, names };
}

function balanceIn(reply: string): number {
  return Number(/"balance":"?(-?[\d.]+)/u.exec(reply)?.[1]);
}

/**
 * Returns the calls of a scenario up to the call that breaks the rule. If there are many, calls in the middle are left
 * out.
 */
export function exampleOf(
  rule: string,
  defect: string | null,
  plan: Plan,
  right: PlayedScenario,
  wrong: PlayedScenario | null,
): RuleExample | undefined {
  const scenario = wrong ?? right;
  const finding = findingOf(rule, scenario);
  if (!finding) return undefined;
  const withType = rule === 'reply.content-type';
  const { shown, names } = shownCalls(scenario, plan, withType);
  const others = new Map(shownCalls(right, plan, withType).shown.map((one) => [one.key, one]));
  const differs = ({ key, request, reply }: ShownCall): boolean => {
    const other = others.get(key);
    return other !== undefined && other.request === request && other.reply !== reply;
  };
  let end = shown.findIndex(({ id }) => id === finding.exchange);
  if (wrong) {
    // This reply may look right although the rule is broken. Then a later reply shows the error.
    const next = shown.findIndex((one, at) => at >= end && differs(one));
    if (next > end) end = next;
    const balance = /the balance is (\d[\d.]*)/u.exec(finding.actual)?.[1];
    const shows = shown.findIndex(({ reply }, at) => at >= end && balanceIn(reply) === Number(balance));
    if (balance !== undefined && shows > end) end = shows;
  }
  const some = end === -1 ? shown : shown.slice(0, end + 1);
  const calls = some.map((one, at): ExampleCall => {
    const other = others.get(one.key);
    const fits = other !== undefined && other.request === one.request;
    const again = one.request.startsWith('POST') && some.slice(0, at).some(({ request }) => request === one.request);
    return {
      call: (again ? `${one.request.split(' ').slice(0, 2).join(' ')}, the same bytes again` : one.request) + one.note,
      right: wrong ? (fits ? other.reply : null) : one.reply,
      wrong: wrong ? one.reply : null,
    };
  });
  return {
    scenario: scenario.id,
    defect,
    calls: shortened(calls),
    expected: names(finding.expected),
    actual: names(finding.actual),
  };
}

function shortened(calls: readonly ExampleCall[]): readonly ExampleCall[] {
  const { first, last } = PARTS_SHOWN;
  if (calls.length <= first + last + 1) return calls;
  const left = calls.length - first - last;
  const gap: ExampleCall = { call: `… ${String(left)} more calls …`, right: null, wrong: null };
  return [...calls.slice(0, first), gap, ...calls.slice(-last)];
}

/** Returns the finding of a scenario about the rule. Prefers a breach to other findings. */
export function findingOf(rule: string, { findings }: PlayedScenario): PlayedScenario['findings'][number] | undefined {
  const some = findings.filter((one) => one.rule === rule);
  return (
    some.find(({ verdict }) => verdict === 'fail') ??
    some.find(({ verdict }) => verdict === 'warn' || verdict === 'note')
  );
}

/** Returns the number of calls that a reader must read to see the breach. */
export function lengthOf(rule: string, scenario: PlayedScenario): number {
  const finding = findingOf(rule, scenario);
  const at = scenario.exchanges.findIndex(({ id }) => id === finding?.exchange);
  // If a finding names no exchange, a reader must read all calls.
  return at === -1 ? Number.MAX_SAFE_INTEGER : at;
}
