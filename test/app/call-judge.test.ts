import { expect, it, onTestFinished } from 'vitest';
import { judgeOfCalls } from '../../src/app/call-judge.ts';
import { defectByName } from '../../src/operator/defects.ts';
import { demoOperator } from '../../src/operator/demo.ts';
import { createOperator } from '../../src/operator/operator.ts';
import { behaviourWith } from '../../src/operator/variation.ts';
import type { GameSession } from '../../src/service/game-sessions.ts';
import { createService } from '../../src/service/service.ts';

const { clients } = demoOperator({ first: 'the-first-key-of-tests', second: 'the-second-key-of-tests' });
const [{ extCID, integrationApiKey, basePath }] = clients;

/** Starts the reference operator, with a defect if one is named, and a service that judges its calls. */
async function start(defect?: string) {
  const found = defect === undefined ? undefined : defectByName(defect);
  const operator = createOperator({ clients }, behaviourWith(found ? [found] : []));
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
  const session: GameSession = {
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
  return { parts, session };
}

/** Returns the exchanges as short lines: call, balance in the reply, expected balance, result and broken rules. */
function lines({ log }: Awaited<ReturnType<typeof start>>['parts']): readonly string[] {
  return log.recent().map(({ name, balance, findings }) => {
    const expected = balance?.expected?.map((money) => money.format(2)).join(' or ') ?? '-';
    const broken = findings.flatMap(({ rule, verdict }) =>
      verdict === 'pass' ? [] : [`${verdict} ${rule ?? 'no rule'}`],
    );
    return [name, balance?.said?.format(2) ?? '-', expected, balance?.result ?? '-', ...broken].join(' ');
  });
}

it('shows the expected balance beside the balance of each reply, and accuses no correct wallet', async () => {
  const { parts, session } = await start();
  await parts.play.balance(session);
  await parts.play.round(session, '10.00', '2');
  parts.faults.add('bet', { kind: 'drop' });
  await parts.play.round(session, '10.00', '0');
  await expect.poll(() => parts.log.find(5)?.outcome?.kind).toBe('reply');
  await parts.play.balance(session);
  expect(lines(parts)).toEqual([
    'balance 1000.00 - unknown',
    'bet 990.00 990.00 right',
    'win 1010.00 1010.00 right',
    'bet - 1010.00 or 1000.00 unknown',
    expect.stringMatching(/^refund 1010\.00 1010\.00 unknown$/),
    'balance 1010.00 1010.00 right',
  ]);
});

it('reports money that a refund pays back for a bet that was never sent', async () => {
  const { parts, session } = await start('refund-unknown-credited');
  await parts.play.balance(session);
  parts.faults.add('bet', { kind: 'refund-first' });
  await parts.play.round(session, '10.00', '0');
  await parts.play.balance(session);
  expect(lines(parts).at(-1)).toBe('balance 1010.00 1000.00 wrong fail refund.unknown-pays-nothing');
});

it('accuses no wallet that pays nothing for a bet that was never sent', async () => {
  const { parts, session } = await start();
  await parts.play.balance(session);
  parts.faults.add('bet', { kind: 'refund-first' });
  await parts.play.round(session, '10.00', '0');
  await parts.play.balance(session);
  expect(lines(parts).at(-1)).toBe('balance 1000.00 1000.00 right');
});

it('names the rule that a wrong balance breaks, at the call whose reply shows it', async () => {
  const { parts, session } = await start('replayed-bet-charged');
  await parts.play.balance(session);
  parts.faults.add('bet', { kind: 'repeat' });
  await parts.play.round(session, '10.00', '0');
  const [, , again, win] = lines(parts);
  expect(again).toMatch(/^bet 980\.00 990\.00 wrong fail idempotency\.bet/);
  expect(win).toBe('win 980.00 980.00 right');
  expect(parts.log.find(3)?.findings).toContainEqual(
    expect.objectContaining({ rule: 'idempotency.bet', text: expect.stringContaining('980') }),
  );
});

it('judges the signature over the exact bytes that were sent', async () => {
  const { parts, session } = await start('signature-ignored');
  await parts.play.round(session, '10.00', '0');
  parts.faults.add('bet', { kind: 'sign-wrongly' });
  await parts.play.round(session, '10.00', '0');
  expect(lines(parts)[2]).toContain('fail signature.mismatch');
});

it('accepts a balance that was changed on purpose, and compares the next one again', async () => {
  const { parts, session } = await start();
  await parts.play.balance(session);
  parts.judge?.balanceChanged({ extCID, player: 'ben', currency: 'EUR' });
  await parts.play.round(session, '10.00', '0');
  expect(lines(parts)).toEqual(['balance 1000.00 - unknown', 'bet 990.00 - unknown', 'win 990.00 990.00 right']);
});
