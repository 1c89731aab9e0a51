import type { Stdio } from '../../../app/stdio.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import { plural } from '../../../contract/plural.ts';
import type { Outcome } from '../../../journal/exchange.ts';
import { forTerminal } from '../../../report/escape.ts';
import { ANSI, type Paint, PLAIN } from '../../../report/paint.ts';
import type { KnownSession } from '../../../traffic/call-selection.ts';
import type { ProxiedCall, ProxiedCallEnd } from '../../../traffic/proxy/proxied-call.ts';
import type { TrafficFinding } from '../../../traffic/proxy/traffic-judge.ts';
import { balanceOf, callLine, endOfCall, fieldsOf, findingText, remarkOf } from './text.ts';

export interface ProxyLogOptions {
  readonly stdio: Stdio;
  readonly scrub: (text: string) => string;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/**
 * Maximum number of full findings for one rule at one endpoint. Of further findings, only their number is printed: when it reaches
 * 10, 100, 1000 and so on.
 */
const MAX_IN_FULL = 5;

/** Prints the output of the proxy: a line for each call, the findings, and a summary at the end. */
export class ProxyLog {
  readonly #options: ProxyLogOptions;
  readonly #paint: Paint;
  readonly #calls = new Map<string, number>();
  readonly #found = new Map<string, number>();
  readonly #broken = new Map<RuleId, { verdict: TrafficFinding['verdict']; count: number; first: string }>();
  #unanswered = 0;
  #unexplained = 0;
  #faults = 0;
  #journal = '';

  constructor(options: ProxyLogOptions) {
    this.#options = options;
    this.#paint = options.stdio.out.colour ? ANSI : PLAIN;
  }

  get hasBreach(): boolean {
    return [...this.#broken.values()].some(({ verdict }) => verdict === 'fail');
  }

  ready(
    url: string,
    setting: {
      readonly to: string;
      readonly keys: readonly string[];
      readonly sessions: ReadonlyMap<string, KnownSession>;
    },
    journal: string,
  ): void {
    this.#journal = journal;
    const { stdio } = this.#options;
    const players = new Set([...setting.sessions.values()].flatMap(({ player }) => player ?? []));
    const who =
      players.size > 0
        ? `${plural(setting.sessions.size, 'session')} of ${plural(players.size, 'player')} ${setting.sessions.size === 1 ? 'is' : 'are'} known`
        : 'are unknown, so each session counts as a separate wallet. If another session may have changed a balance, croupier does not judge this balance';
    stdio.err.write(
      [
        `Calls to    ${url}/balance, /bet, /win, /refund are forwarded to ${setting.to}`,
        `Signatures  ${setting.keys.length === 0 ? 'are not verified' : `are verified with ${setting.keys.length} key${setting.keys.length === 1 ? '' : 's'}`}`,
        `Players     ${who}`,
        `Journal     ${journal}`,
        'Stop it:    Ctrl-C, or SIGTERM',
        '',
      ].join('\n'),
    );
    if (this.#options.isJson) this.#json({ type: 'ready', url, to: setting.to, journal });
    // Scripts wait for this line. It is printed last, when the proxy accepts calls.
    else stdio.out.write(`proxy ${url}\n`);
  }

  /** Prints the line of a call that ended. @returns a remark about the call from `remarkOf`; null if there is none */
  ended(proxiedCall: ProxiedCall, end: ProxiedCallEnd, outcome: Outcome | null): string | null {
    const { call, action, id, source, start, sent } = proxiedCall;
    const name = call ?? 'other';
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    if (outcome?.kind !== 'reply') this.#unanswered += 1;
    if (action) this.#faults += 1;
    const remark = remarkOf(proxiedCall, outcome);
    if (this.#options.isJson) {
      if (this.#options.isQuiet) return remark;
      this.#json({
        type: 'call',
        at: new Date().toISOString(),
        id,
        call,
        method: proxiedCall.method,
        url: proxiedCall.url,
        source,
        ...fieldsOf(proxiedCall),
        status: outcome?.kind === 'reply' ? outcome.reply.status : null,
        reason: outcome?.kind === 'none' ? outcome.reason : null,
        end: endOfCall(proxiedCall, end, outcome),
        balance: balanceOf(outcome),
        tookMs: Number(((proxiedCall.end ?? start) - (sent ?? start)).toFixed(3)),
        aside: remark,
      });
    } else if (!this.#options.isQuiet || action) {
      const at = new Date().toISOString().slice(11, 23);
      this.#out(callLine(proxiedCall, end, outcome, at, this.#paint));
    }
    return remark;
  }

  found(finding: TrafficFinding): void {
    const { rule, verdict, call, exchange } = finding;
    if (verdict === 'pass') return;
    if (rule === null) this.#unexplained += 1;
    else {
      const known = this.#broken.get(rule) ?? { verdict, count: 0, first: exchange };
      this.#broken.set(rule, {
        ...known,
        verdict: verdict === 'fail' ? verdict : known.verdict,
        count: known.count + 1,
      });
    }
    if (this.#options.isJson) {
      this.#json({ type: 'finding', ...finding });
      return;
    }
    const key = `${rule ?? ''} ${call} ${verdict}`;
    const count = (this.#found.get(key) ?? 0) + 1;
    this.#found.set(key, count);
    if (count <= MAX_IN_FULL) this.#out(findingText(finding, this.#paint, this.#options.stdio.out.columns));
    else if (/^10+$/.test(String(count)))
      this.#out(
        `${this.#paint.yellow(`  … ${rule ?? 'an unexplained balance'} at ${call}: ${count} times so far, last at ${exchange}`)}\n`,
      );
  }

  notice(text: string): void {
    if (this.#options.isJson) this.#json({ type: 'notice', text });
    else this.#out(`${this.#paint.yellow(`! ${forTerminal(text)}`)}\n`);
  }

  end(notes: { readonly unjudged: number; readonly unwritten: number }, forgottenWallets: number): void {
    const findings = [...this.#broken].map(([rule, one]) => ({ rule, ...one }));
    const calls = Object.fromEntries(this.#calls);
    if (this.#options.isJson) {
      const { unjudged, unwritten } = notes;
      this.#json({
        type: 'summary',
        calls,
        unanswered: this.#unanswered,
        faults: this.#faults,
        unjudged,
        unwritten,
        forgottenWallets,
        unexplainedBalances: this.#unexplained,
        findings,
        journal: this.#journal,
      });
      return;
    }
    const total = [...this.#calls.values()].reduce((sum, count) => sum + count, 0);
    const each = [...this.#calls].map(([name, count]) => `${count} ${name}`).join(', ');
    const paint = this.#paint;
    const lines = [
      '',
      paint.bold(
        `${plural(total, 'call')} forwarded${total === 0 ? '' : ` (${each})`}, ${this.#unanswered} without a reply`,
      ),
      ...(this.#faults > 0 ? [`${this.#faults} of them were disturbed on purpose (--fault)`] : []),
      ...(notes.unjudged > 0
        ? [
            paint.yellow(
              `${notes.unjudged} of the calls were not judged, because too many calls came at once or because of an error in croupier. ${notes.unwritten} of these ${notes.unjudged} calls were not recorded either`,
            ),
          ]
        : []),
      ...(forgottenWallets > 0
        ? [
            `${forgottenWallets} ${forgottenWallets === 1 ? 'wallet was' : 'wallets were'} dropped from memory, so later calls of ${forgottenWallets === 1 ? 'it' : 'them'} were judged without the earlier calls`,
          ]
        : []),
      ...(this.#unexplained > 0
        ? [
            `${this.#unexplained === 1 ? 'once' : `${this.#unexplained} times`} a balance had changed without a forwarded call: by a deposit, another game, or a fault of the operator`,
          ]
        : []),
      ...findings
        .toSorted((a, b) => Number(b.verdict === 'fail') - Number(a.verdict === 'fail') || b.count - a.count)
        .map(({ rule, verdict, count, first }) => {
          const text = `${verdict === 'fail' ? '✗' : verdict === 'warn' ? '!' : '○'} ${rule}  ${count === 1 ? 'once, at' : `${count} times, first at`} ${first}`;
          return verdict === 'fail' ? paint.red(text) : paint.yellow(text);
        }),
      ...(this.hasBreach || total === 0 ? [] : [paint.green('No forwarded call broke a rule.')]),
      `For details:  croupier incident ${this.#journal}`,
      '',
    ];
    this.#out(lines.join('\n'));
  }

  #json(value: object): void {
    this.#out(`${JSON.stringify(value)}\n`);
  }

  #out(text: string): void {
    this.#options.stdio.out.write(this.#options.scrub(text));
  }
}
