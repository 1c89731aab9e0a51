import { describe, expect, it, onTestFinished } from 'vitest';
import { judgeOfCalls } from '../../../../src/app/call-judge.ts';
import { scenarioWriter } from '../../../../src/cli/commands/serve/exchange-scenario.ts';
import { applicableRules } from '../../../../src/judge/checks/checks.ts';
import { defectByName } from '../../../../src/operator/defects.ts';
import { demoOperator } from '../../../../src/operator/demo.ts';
import { NextReplies } from '../../../../src/operator/next-replies.ts';
import { createOperator } from '../../../../src/operator/operator.ts';
import { behaviourWith } from '../../../../src/operator/variation.ts';
import { loadScenario } from '../../../../src/scenario/load.ts';
import { planScenario } from '../../../../src/scenario/plan/planner.ts';
import type { LoggedExchange } from '../../../../src/service/exchange-log.ts';
import { createService } from '../../../../src/service/service.ts';

const { clients } = demoOperator({ first: 'the-first-key-of-tests', second: 'the-second-key-of-tests' });
const [{ extCID, integrationApiKey, basePath }] = clients;

/** Starts the reference operator, with a defect if one is named, and a service that calls it. */
async function start(defect?: string) {
  const found = defect === undefined ? undefined : defectByName(defect);
  const replies = new NextReplies(() => {});
  const operator = createOperator({ clients }, replies.appliedTo(behaviourWith(found ? [found] : [])));
  const { url, close } = await operator.start();
  const known = [{ cID: 'c', extCID, apiKey: 'an-api-key', integrationApiKey, integratorBaseUrl: `${url}${basePath}` }];
  const service = createService({
    clients: known,
    judgeCalls: (sink) => judgeOfCalls(known, sink),
    backoff: { initialMs: 10, factor: 1, maxMs: 10, jitter: 0 },
  });
  onTestFinished(async () => {
    await service.close(0);
    await close(0);
  });
  const { parts } = service;
  const session = {
    gsID: parts.uuid(),
    cID: 'c',
    extCID,
    sessionID: 'eu-ben-eur',
    player: 'ben',
    currency: 'EUR',
    locale: 'en_us',
    gameID: 'catch',
    demo: false,
    openedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  parts.sessions.open(session);
  const write = scenarioWriter(known);
  const scenarioOf = (pick: (one: LoggedExchange) => boolean): string => {
    const exchange = parts.log.recent().findLast(pick);
    return (exchange && write(exchange, session, parts.log.recent())) ?? '';
  };
  return { parts, replies, session, scenarioOf, play: (prize = '2') => parts.play.round(session, '10.00', prize) };
}

/** Returns the steps of a scenario after checking that it can be run, and that it tests the rules that it names. */
function stepsOf(text: string): string {
  const { scenario, diagnostics } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => undefined });
  expect(diagnostics).toEqual([]);
  let count = 0;
  const uuid = (): string => {
    count += 1;
    return `6f1d2c7e-3b54-4a86-9c0f-${String(count).padStart(12, '0')}`;
  };
  const plan = scenario && planScenario(scenario, undefined, { uuid });
  expect(plan?.rules.length).toBeGreaterThan(0);
  expect(plan && applicableRules(plan, plan.rules)).toEqual(plan?.rules);
  return text.slice(text.indexOf('steps:'));
}

describe('the scenario that is made from an exchange', () => {
  it.each(['balance', 'bet', 'win'])('makes the same %s, after the calls of its round', async (name) => {
    const { parts, session, scenarioOf, play } = await start();
    await parts.play.balance(session);
    await play();
    const text = scenarioOf((one) => one.name === name);
    expect(text).not.toContain('Seen');
    expect(stepsOf(text)).toContain(`- ${name}:`);
    expect(text).not.toContain(integrationApiKey);
  });

  it('keeps a repeated call, and names the rule that its reply broke', async () => {
    const { parts, scenarioOf, play } = await start('replayed-bet-charged');
    await play();
    parts.faults.add('bet', { kind: 'repeat' });
    await play();
    const text = scenarioOf(({ findings }) => findings.some(({ verdict }) => verdict === 'fail'));
    expect(text).toMatch(/^rules: \[.*idempotency\.bet.*\]$/m);
    expect(text).toMatch(/^# Seen in call 4 \(bet\): idempotency\.bet: the balance is 990\.00, but must be 1000\.00/m);
    expect(stepsOf(text)).toMatch(/- bet: .*\n {4}as: bet1\n {2}- resend: bet1/);
  });

  it('keeps a broken connection, and the refund after it', async () => {
    const { parts, scenarioOf, play } = await start();
    parts.faults.add('bet', { kind: 'drop' });
    await play();
    await expect.poll(() => parts.log.recent().at(-1)?.outcome?.kind).toBe('reply');
    const text = scenarioOf(({ name }) => name === 'bet');
    expect(text).toContain('# Seen in call 1 (bet): no reply (broken)');
    expect(stepsOf(text)).toMatch(/- bet: .*\n.*as: bet1\n {4}break: sent\n {2}- refund: \{ of: bet1 \}/);
  });

  it('keeps a wrong signature that was accepted', async () => {
    const { parts, scenarioOf, play } = await start('signature-ignored');
    await play();
    parts.faults.add('bet', { kind: 'sign-wrongly' });
    await play();
    const text = scenarioOf(({ name }) => name === 'bet');
    expect(text).toMatch(/^rules: \[.*signature\.mismatch.*\]$/m);
    expect(stepsOf(text)).toMatch(/sign: garbage\n {4}expect: refused/);
  });

  it('says that a call was answered 500, and expects that it is accepted', async () => {
    const { parts, replies, scenarioOf, play } = await start();
    replies.add('win', 'error-500');
    await play();
    await expect.poll(() => parts.log.find(3)?.outcome?.kind).toBe('reply');
    const text = scenarioOf(({ name }) => name === 'win');
    expect(text).toContain('# Seen in call 2 (win): answered 500');
    expect(stepsOf(text)).toMatch(/- win: .*\n {4}as: win1\n {2}- resend: win1/);
    expect(text).not.toContain('expect');
  });

  it('is empty for a request to the Core API', async () => {
    const { parts, session } = await start();
    const exchange = parts.log.begin(
      { direction: 'core', name: 'GET /games', extCID, gsID: null, roundID: null, notes: [] },
      { method: 'GET', url: 'http://127.0.0.1/games', headers: [], body: null },
    );
    const logged = parts.log.find(exchange.id);
    expect(logged && scenarioWriter([])(logged, session, [logged])).toBeNull();
  });
});
