import type { RuleId } from '../../src/contract/catalogue.ts';
import type {
  Attributed,
  Found,
  JournalEvent,
  PlannedScenario,
  Received,
  RunEnded,
  RunStarted,
  ScenarioEnded,
  ScenarioStarted,
  Sending,
} from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';

export function planned(id: string, rules: readonly RuleId[]): PlannedScenario {
  return { id, title: `The story of ${id}`, place: { file: `scenarios/${id}.yaml`, line: 1, column: 1 }, rules };
}

export function runStarted(scenarios: readonly PlannedScenario[], strict = false, whole = true): RunStarted {
  return {
    event: 'run-started',
    format: 'croupier-journal/1',
    croupier: '0.1.0',
    contract: '1.10.2',
    runID: 'run-1',
    startedAt: '2026-11-20T09:30:00.000Z',
    seed: 'seed',
    client: { extCID: 'acme', integratorBaseUrl: 'http://127.0.0.1:4000' },
    selection: [],
    whole,
    planHash: 'plan',
    settings: { deadlineMs: 5000, lingerMs: 2000, strict, workers: 1, sessions: [] },
    scenarios,
  };
}

export function started(scenario: string, attempt = 1): ScenarioStarted {
  return { event: 'scenario-started', scenario, attempt, at: 0, sessions: { main: 's-1' } };
}

export function ended(scenario: string, more: Partial<ScenarioEnded> = {}): ScenarioEnded {
  return {
    event: 'scenario-ended',
    scenario,
    attempt: 1,
    verdict: 'pass',
    reason: null,
    durationMs: 10,
    restored: true,
    passes: {},
    ...more,
  };
}

export function found(
  scenario: string,
  rule: Finding['rule'],
  verdict: Finding['verdict'],
  more: Partial<Finding> = {},
  attempt = 1,
): Found {
  const base = { endpoint: null, step: '1', place: null, exchange: null, causes: [] };
  const finding = { rule, verdict, expected: 'what is right', actual: `what was seen (${verdict})`, ...base, ...more };
  return { event: 'finding', scenario, attempt, finding };
}

export function attributed(rule: RuleId, because: RuleId, more: Partial<Attributed> = {}): Attributed {
  return {
    event: 'blamed',
    rule,
    endpoint: null,
    scenario: null,
    verdict: 'inconclusive',
    because,
    reason: `${because} explains it`,
    ...more,
  };
}

export function runEnded(how: RunEnded['how'] = 'complete', signal: RunEnded['signal'] = null): RunEnded {
  return { event: 'run-ended', how, signal, detail: null, durationMs: 100 };
}

export function exchange(id: string, scenario: string | null): readonly [Sending, Received] {
  const body = { encoding: 'utf8', data: '{"balance":"1.00"}', length: 18, truncated: false } as const;
  return [
    {
      event: 'sending',
      id,
      scenario,
      step: '1',
      purpose: 'step',
      call: 'balance',
      request: { method: 'GET', url: 'http://127.0.0.1:4000/balance?sessionID=s-1', headers: [], body: null },
    },
    {
      event: 'received',
      id,
      scenario,
      outcome: { kind: 'reply', reply: { status: 200, headers: [], body } },
      stamps: { start: 0, resolved: null, connected: 1, secured: null, sent: 1, firstByte: 2, end: 3 },
      connection: { id: 1, reused: false },
      model: { before: ['1.00'], after: ['1.00'] },
    },
  ];
}

/** A run of one scenario that goes as `events` say. */
export function runOf(
  scenario: PlannedScenario,
  events: readonly JournalEvent[],
  strict = false,
): readonly JournalEvent[] {
  return [runStarted([scenario], strict), started(scenario.id), ...events, runEnded()];
}
