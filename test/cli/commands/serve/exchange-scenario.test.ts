import { describe, expect, it } from 'vitest';
import { scenarioOfExchange } from '../../../../src/cli/commands/serve/exchange-scenario.ts';
import { applicableRules } from '../../../../src/judge/checks/checks.ts';
import { loadScenario } from '../../../../src/scenario/load.ts';
import { planScenario } from '../../../../src/scenario/plan/planner.ts';
import type { LoggedExchange } from '../../../../src/service/exchange-log.ts';

function exchange(name: string, body: unknown, direction: LoggedExchange['direction'] = 'reverse'): LoggedExchange {
  const data = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    id: 1,
    at: 0,
    direction,
    name,
    extCID: 'acme',
    gsID: null,
    roundID: null,
    notes: [],
    request: {
      method: 'POST',
      url: 'http://127.0.0.1/bet',
      headers: [],
      body: { encoding: 'utf8', data, length: data.length, truncated: false },
    },
    outcome: null,
    stamps: null,
    connection: null,
    findings: [],
    balance: null,
  };
}

describe('the scenario that is made from an exchange', () => {
  it.each([
    ['balance', ''],
    ['bet', { amount: '1.50', type: 'regular' }],
    ['bet', { amount: '1.50', type: 'free', frID: 'spring' }],
    ['win', { amount: '0', type: 'regular' }],
    ['refund', { amount: '2.00' }],
  ])('can be run, and tests rules of the same call: %s %j', (name, body) => {
    const text = scenarioOfExchange(exchange(name, body)) ?? '';
    let count = 0;
    const { scenario, diagnostics } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => undefined });
    expect(diagnostics).toEqual([]);
    const plan =
      scenario &&
      planScenario(scenario, undefined, {
        uuid: () => {
          count += 1;
          return `6f1d2c7e-3b54-4a86-9c0f-${String(count).padStart(12, '0')}`;
        },
      });
    expect(plan?.steps.length).toBeGreaterThan(0);
    const claims = plan?.rules ?? [];
    expect(plan && applicableRules(plan, claims)).toEqual(claims);
  });

  it.each([
    ['POST /create-new-game', {}, 'core' as const],
    ['bet', 'no json', 'reverse' as const],
    ['bet', { amount: 1.5 }, 'reverse' as const],
    ['bet', { amount: '1e3' }, 'reverse' as const],
    ['toString', {}, 'reverse' as const],
  ])('is null for an exchange that no scenario can repeat: %s %j', (name, body, direction) => {
    expect(scenarioOfExchange(exchange(name, body, direction))).toBeNull();
  });
});
