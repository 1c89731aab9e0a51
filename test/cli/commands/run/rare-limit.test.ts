import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { croupier } from '../../croupier.ts';
import { demoOperator, type Relayed, relayTo } from '../../demo-operator.ts';

/** Plays a scenario at an operator that declines the bets with the numbers `declined` of those whose roundID another game has used. */
async function run(declined: (number: number) => boolean): Promise<{ readonly status: number | null; out: string }> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const relay = await relayTo((await demoOperator(cwd)).url);
  const firstSessions = new Map<string, string>();
  let number = 0;
  const isAgain = ({ call, fields: { roundID = '', sessionID = '' } }: Relayed): boolean => {
    if (call !== 'bet') return false;
    if (!firstSessions.has(roundID)) firstSessions.set(roundID, sessionID);
    return firstSessions.get(roundID) !== sessionID;
  };
  relay.decide((called) => {
    if (!isAgain(called)) return 'pass';
    number += 1;
    return declined(number) ? { status: 409, code: 'reality_check' } : 'pass';
  });
  const flags = ['--client', 'demo-eu', '--base-url', relay.url, '--linger', '50ms'];
  return croupier(['run', 'session/round-id-reuse', ...flags], { cwd });
}

it('a bet that is declined only once, for a reason of the operator, breaks no rule', async () => {
  const { status, out } = await run((number) => number === 1);
  expect(out).toMatch(/^CONFORMING/);
  expect(status).toBe(0);
});

it('a bet that is declined in each attempt, while plain bets are accepted, breaks the rule of the bet', async () => {
  const { status, out } = await run(() => true);
  expect(out).toContain('session.round-id-reuse');
  expect(status).toBe(1);
});
