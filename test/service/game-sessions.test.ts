import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { GameSession } from '../../src/service/game-session.ts';
import { GameSessions } from '../../src/service/game-sessions.ts';

const DAY_MS = 86_400_000;

function session(changes: Partial<GameSession> = {}): GameSession {
  return {
    gsID: randomUUID(),
    cID: 'c',
    extCID: 'acme',
    sessionID: 's-1',
    player: 'anna',
    currency: 'USD',
    locale: 'en_us',
    gameID: 'catch',
    demo: false,
    openedAt: 0,
    expiresAt: 1000,
    ...changes,
  };
}

it('finds a session by its gsID, and tells when it expires', () => {
  let now = 0;
  const sessions = new GameSessions({ now: () => now });
  const one = session({ returnUrl: 'https://acme.example' });
  sessions.open(one);
  expect(sessions.byId(one.gsID)).toEqual(one);
  expect(sessions.byId(randomUUID())).toBeUndefined();
  now = 999;
  expect(sessions.isExpired(one)).toBe(false);
  now = 1000;
  expect(sessions.isExpired(one)).toBe(true);
  expect(sessions.byId(one.gsID)).toEqual(one);
});

it('forgets what expired a day ago, unless it owes something', () => {
  let now = 0;
  const owing = session();
  const sessions = new GameSessions({ now: () => now, owes: (gsID) => gsID === owing.gsID });
  sessions.open(owing);
  for (let count = 0; count < 10; count += 1) sessions.open(session());
  now = DAY_MS + 1000;
  for (let count = 0; count < 20; count += 1) sessions.open(session({ expiresAt: now + 1000 }));
  expect(sessions.all()).toHaveLength(21);
  expect(sessions.byId(owing.gsID)).toEqual(owing);
});

it('outlives the process, but for what is forgotten', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'sessions-')), 'sessions.ndjson');
  const before = new GameSessions({ path: file, now: () => 0 });
  const [short, owing, long] = [session(), session(), session({ expiresAt: 2 * DAY_MS, platform: 'mobile' })];
  for (const one of [short, owing, long]) before.open(one);
  before.close();
  const options = { path: file, now: () => DAY_MS + 1000, owes: (gsID: string) => gsID === owing.gsID };
  const after = new GameSessions(options);
  expect(after.all()).toEqual([owing, long]);
  after.close();
});
