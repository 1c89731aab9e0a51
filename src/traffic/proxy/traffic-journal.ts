import type { CallName } from '../../contract/call-name.ts';
import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { JournalEvent, RunStarted } from '../../journal/event.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { endpointOf } from '../../judge/finding-collector.ts';
import type { ProxiedCall } from './proxied-call.ts';
import { requestOf } from './proxied-exchange.ts';
import type { TrafficFinding } from './traffic-judge.ts';

/** The id of the scenario that contains all traffic. Programs that read journals expect each call in a scenario. */
const TRAFFIC = 'traffic';
const ATTEMPT = 1;
/** Maximum number of findings with the same rule, call and verdict that are logged. Further findings are only counted. */
const MAX_ONE = 100;

/** Writes proxied calls and findings as the journal of a run. */
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
      scenarios: [
        {
          id: TRAFFIC,
          title: 'Traffic that passed through the proxy',
          place: { file: '', line: 1, column: 1 },
          rules: [],
        },
      ],
    });
    this.#append({ event: 'scenario-started', scenario: TRAFFIC, attempt: ATTEMPT, at: this.#began, sessions: {} });
  }

  notice(text: string): void {
    this.#append({ event: 'notice', text });
  }

  requested(proxiedCall: ProxiedCall): void {
    const { id, call, source } = proxiedCall;
    if (call === null) return;
    this.#append({
      event: 'sending',
      id,
      scenario: TRAFFIC,
      step: null,
      purpose: source === 'proxy' ? 'probe' : 'step',
      call,
      request: requestOf(proxiedCall),
      source,
    });
  }

  /**
   * Logs the end of a call.
   *
   * @param aside what happened to the call that the operator did not cause, such as an injected fault; null if nothing happened
   */
  ended(proxiedCall: ProxiedCall, outcome: Outcome, aside: string | null): void {
    const { id, call, start, connected, sent, firstByte, end, connection, reused } = proxiedCall;
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
    if (count > MAX_ONE) return;
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
      reason: how.hasBreach || hasPasses ? null : 'no call that passed through the proxy could be judged',
      durationMs,
      restored: null,
      passes: this.#passes,
    });
    this.#append({ event: 'run-ended', how: 'complete', signal: how.signal, detail: null, durationMs });
  }
}
