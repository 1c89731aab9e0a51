import type { RuleId } from '../contract/catalogue.ts';
import type { KnownSession } from '../incident/story/story.ts';
import type { Outcome } from '../journal/exchange.ts';
import type { Crossing, CrossingEnd } from '../proxy/crossing.ts';
import type { TrafficFinding } from '../proxy/traffic-judge.ts';
import { forTerminal } from '../report/escape.ts';
import { ANSI, type Paint, PLAIN } from '../report/paint.ts';
import { asideOf, balanceOf, callLine, endOfCall, findingText, saidOf } from './proxy-text.ts';
import type { Stdio } from './stdio.ts';

export interface ProxyLogOptions {
  readonly stdio: Stdio;
  readonly scrub: (text: string) => string;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Of one rule at one call so many findings are told in full; then only how many there were, each time it is ten times as many. */
const MOST_IN_FULL = 5;

/** What the proxy prints: a line for each call, what is wrong, and a summary at its end. */
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
        ? `${setting.sessions.size} sessions of ${players.size} players are known`
        : 'who plays in which session is not known: each is taken for a wallet of its own, and doubted where others move money';
    stdio.err.write(
      [
        `Calls to    ${url}/balance, /bet, /win, /refund are passed on to ${setting.to}`,
        `Signatures  ${setting.keys.length === 0 ? 'are not verified' : `are verified with ${setting.keys.length} key${setting.keys.length === 1 ? '' : 's'}`}`,
        `Players     ${who}`,
        `Journal     ${journal}`,
        'Stop it:    Ctrl-C, or SIGTERM',
        '',
      ].join('\n'),
    );
    if (this.#options.isJson) this.#json({ type: 'ready', url, to: setting.to, journal });
    // Whoever waits for this line may call at once.
    else stdio.out.write(`proxy ${url}\n`);
  }

  /** @returns what else became of it on its way, in words; null: nothing */
  ended(crossing: Crossing, end: CrossingEnd, outcome: Outcome | null): string | null {
    const { call, deed, id, source, start, sent } = crossing;
    const name = call ?? 'other';
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    if (outcome?.kind !== 'reply') this.#unanswered += 1;
    if (deed) this.#faults += 1;
    const aside = asideOf(crossing, outcome);
    if (this.#options.isJson) {
      if (this.#options.isQuiet) return aside;
      this.#json({
        type: 'call',
        at: new Date().toISOString(),
        id,
        call,
        method: crossing.method,
        url: crossing.url,
        source,
        ...saidOf(crossing),
        status: outcome?.kind === 'reply' ? outcome.reply.status : null,
        reason: outcome?.kind === 'none' ? outcome.reason : null,
        end: endOfCall(crossing, end, outcome),
        balance: balanceOf(outcome),
        tookMs: Number(((crossing.end ?? start) - (sent ?? start)).toFixed(3)),
        aside,
      });
    } else if (!this.#options.isQuiet || deed) {
      const at = new Date().toISOString().slice(11, 23);
      this.#out(callLine(crossing, end, outcome, at, this.#paint));
    }
    return aside;
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
    if (count <= MOST_IN_FULL) this.#out(findingText(finding, this.#paint, this.#options.stdio.out.columns));
    else if (/^10+$/.test(String(count)))
      this.#out(
        `${this.#paint.yellow(`  … ${rule ?? 'an unexplained balance'} at ${call}: ${count} times by now, last at ${exchange}`)}\n`,
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
      paint.bold(`${total} calls passed${total === 0 ? '' : ` (${each})`}, ${this.#unanswered} without a reply`),
      ...(this.#faults > 0 ? [`${this.#faults} of them met a fault of croupier's (--fault)`] : []),
      ...(notes.unjudged > 0
        ? [
            paint.yellow(
              `${notes.unjudged} were not judged, ${notes.unwritten} of them not written down: there were too many, or the judging failed`,
            ),
          ]
        : []),
      ...(forgottenWallets > 0
        ? [`${forgottenWallets} wallets were forgotten meanwhile: what was known of them counted for nothing`]
        : []),
      ...(this.#unexplained > 0
        ? [
            `${this.#unexplained} times a balance had moved by what did not pass here: a deposit, another game, or a fault of the operator's`,
          ]
        : []),
      ...findings
        .toSorted((a, b) => Number(b.verdict === 'fail') - Number(a.verdict === 'fail') || b.count - a.count)
        .map(({ rule, verdict, count, first }) => {
          const text = `${verdict === 'fail' ? '✗' : verdict === 'warn' ? '!' : '○'} ${rule}  ${count} times, first at ${first}`;
          return verdict === 'fail' ? paint.red(text) : paint.yellow(text);
        }),
      ...(this.hasBreach || total === 0 ? [] : [paint.green('No rule was seen to be broken by what passed.')]),
      `Look closer:  croupier incident ${this.#journal}`,
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
