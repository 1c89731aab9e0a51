import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { JournalEvent, RunStarted } from '../journal/event.ts';
import type { Outcome } from '../journal/exchange.ts';
import { endpointOf } from '../judge/docket.ts';
import type { Crossing } from './crossing.ts';
import { requestOf } from './seen-crossing.ts';
import type { TrafficFinding } from './traffic-judge.ts';

/** What passes is journalled as one scenario, so that every reader of journals can read it. */
const TRAFFIC = 'traffic';
const ATTEMPT = 1;
/** Of one rule at one endpoint so many findings are written down; all are counted. */
const MOST_OF_ONE = 100;

/** Writes what passes down, as the journal of a run that somebody else made. */
export class TrafficJournal {
  readonly #append: (event: JournalEvent) => void;
  readonly #now: () => number;
  readonly #passes: Partial<Record<RuleId, Partial<Record<CallName | '*', number>>>> = {};
  readonly #found = new Map<string, number>();
  #began = 0;

  constructor(append: (event: JournalEvent) => void, now: () => number) {
    this.#append = append;
    this.#now = now;
  }

  start(run: Omit<RunStarted, 'event' | 'scenarios' | 'selection' | 'whole' | 'planHash' | 'seed'>): void {
    this.#began = this.#now();
    this.#append({
      event: 'run-started',
      ...run,
      source: 'proxy',
      seed: '',
      selection: [],
      whole: false,
      planHash: '',
      scenarios: [{ id: TRAFFIC, title: 'Traffic that passed', place: { file: '', line: 1, column: 1 }, rules: [] }],
    });
    this.#append({ event: 'scenario-started', scenario: TRAFFIC, attempt: ATTEMPT, at: this.#began, sessions: {} });
  }

  notice(text: string): void {
    this.#append({ event: 'notice', text });
  }

  requested(crossing: Crossing): void {
    const { id, call, source } = crossing;
    if (call === null) return;
    this.#append({
      event: 'sending',
      id,
      scenario: TRAFFIC,
      step: null,
      purpose: source === 'proxy' ? 'probe' : 'step',
      call,
      request: requestOf(crossing),
      source,
    });
  }

  /** @param aside what else became of it on its way, which is not the operator's doing */
  ended(crossing: Crossing, outcome: Outcome, aside: string | null): void {
    const { id, call, start, connected, sent, firstByte, end, connection, reused } = crossing;
    if (call === null) return;
    this.#append({
      event: 'received',
      id,
      scenario: TRAFFIC,
      outcome,
      stamps: {
        start,
        resolved: null,
        connected: reused ? null : connected,
        secured: null,
        sent,
        firstByte,
        end: end ?? start,
      },
      connection: connected === null ? null : { id: connection, reused },
      model: null,
      ...(aside !== null && { aside }),
    });
  }

  found({ rule, verdict, call, exchange, text }: TrafficFinding): void {
    if (rule === null) return;
    const endpoint = endpointOf(rule, call);
    if (verdict === 'pass') {
      const counts = this.#passes[rule] ?? {};
      this.#passes[rule] = counts;
      const name = endpoint ?? '*';
      counts[name] = (counts[name] ?? 0) + 1;
      return;
    }
    const key = `${rule} ${call} ${verdict}`;
    const count = (this.#found.get(key) ?? 0) + 1;
    this.#found.set(key, count);
    if (count > MOST_OF_ONE) return;
    this.#append({
      event: 'finding',
      scenario: TRAFFIC,
      attempt: ATTEMPT,
      finding: {
        rule,
        verdict,
        endpoint,
        step: null,
        place: null,
        exchange,
        expected: ruleById(rule).sentence,
        actual: text,
        causes: [],
      },
    });
  }

  end(how: { readonly signal: 'SIGINT' | 'SIGTERM' | null; readonly hasBreach: boolean }): void {
    const durationMs = this.#now() - this.#began;
    const hasPasses = Object.keys(this.#passes).length > 0;
    this.#append({
      event: 'scenario-ended',
      scenario: TRAFFIC,
      attempt: ATTEMPT,
      verdict: how.hasBreach ? 'fail' : hasPasses ? 'pass' : 'inconclusive',
      reason: how.hasBreach || hasPasses ? null : 'nothing that passed could be judged',
      durationMs,
      restored: null,
      passes: this.#passes,
    });
    this.#append({ event: 'run-ended', how: 'complete', signal: how.signal, detail: null, durationMs });
  }
}
