import type { Sink } from '../../../app/stdio.ts';
import { type Check, type CheckName, type CheckState, firstToFix } from '../../../engine/doctor/check.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { forTerminal } from '../../../report/escape.ts';
import { mark, tint } from '../../../report/marks.ts';
import { ANSI, PLAIN } from '../../../report/paint.ts';
import { wrap } from '../../../report/terminal/layout.ts';

/** A client with the results of its checks. */
export interface Examined {
  readonly client: ClientUnderTest;
  readonly checks: readonly Check[];
}

const TITLES: Readonly<Record<CheckName, string>> = {
  configuration: 'configuration',
  'base-url': 'base URL',
  resolution: 'name',
  tcp: 'TCP',
  proxy: 'proxy',
  tls: 'TLS',
  http: 'HTTP',
  redirects: 'redirects',
  latency: 'latency',
  clock: 'clock',
  key: 'key',
  session: 'session',
  rate: 'rate',
  target: 'target',
};

/** Returns the verdict that gives a check in this state its mark and its colour. */
function verdictOf(state: CheckState): 'pass' | 'warn' | 'fail' | 'skip' {
  switch (state) {
    case 'good':
      return 'pass';
    case 'warn':
      return 'warn';
    case 'bad':
    case 'unreachable':
      return 'fail';
    case 'not-tried':
    case 'not-needed':
      return 'skip';
  }
}

const INDENT = 18;

/** Returns the text output: a line for each check with its advice, and at the end the problem to fix first. */
export function doctorText(
  examined: readonly Examined[],
  { sink, unicode }: { readonly sink: Sink; readonly unicode: boolean },
): string {
  const paint = sink.colour ? ANSI : PLAIN;
  const room = Math.max(30, Math.min(sink.columns, 120) - INDENT);
  const indented = (text: string): readonly string[] => wrap(forTerminal(text), room);
  const lines = examined.flatMap(({ client, checks }) => {
    const body = checks.flatMap((one) => {
      const verdict = verdictOf(one.state);
      const said = indented(one.about === null ? one.seen : `${one.about} ${one.seen}`);
      const [first = '', ...rest] = said;
      return [
        `${tint(verdict, paint)(mark(verdict, unicode))} ${TITLES[one.name].padEnd(INDENT - 2)}${first}`,
        ...rest.map((line) => ' '.repeat(INDENT) + line),
        ...(one.advice === null ? [] : indented(one.advice).map((line) => ' '.repeat(INDENT) + paint.cyan(line))),
      ];
    });
    return [
      paint.bold(forTerminal(client.extCID)),
      ...body,
      '',
      ...wrap(forTerminal(ending(checks)), room + INDENT),
      '',
    ];
  });
  return `${lines.slice(0, -1).join('\n')}\n`;
}

function ending(checks: readonly Check[]): string {
  const first = firstToFix(checks);
  if (first) {
    const what = first.about === null ? TITLES[first.name] : `${TITLES[first.name]} ${first.about}`;
    return `Fix first: ${what}. ${first.advice ?? first.seen}`;
  }
  const warnings = checks.filter(({ state }) => state === 'warn').length;
  if (warnings === 0) return 'You need not fix anything before a run.';
  return `You need not fix anything before a run; ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}
