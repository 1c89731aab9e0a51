import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type GameSession, GameSessions } from '../../src/service/game-sessions.ts';
import { openServiceDatabase } from '../../src/service/service-database.ts';

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

it('a game session is found by its gsID, and expires after its lifetime', () => {
  let now = 0;
  const sessions = new GameSessions({ database: openServiceDatabase(), now: () => now });
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

it('a game session is deleted a day after it expired, unless one of its rounds is still open', () => {
  let now = 0;
  const owing = session();
  const hasOpenRounds = (gsID: string): boolean => gsID === owing.gsID;
  const database = openServiceDatabase();
  const sessions = new GameSessions({ database, now: () => now, hasOpenRounds });
  sessions.open(owing);
  for (let count = 0; count < 10; count += 1) sessions.open(session());
  now = DAY_MS + 1000;
  for (let count = 0; count < 20; count += 1) sessions.open(session({ expiresAt: now + 1000 }));
  expect(sessions.all()).toHaveLength(21);
  expect(sessions.byId(owing.gsID)).toEqual(owing);
  // The sessions are deleted from the database too.
  expect(new GameSessions({ database, now: () => 0 }).all()).toEqual(sessions.all());
});

it('the game sessions are kept over a restart, except the deleted ones', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sessions-'));
  const first = openServiceDatabase(folder);
  const before = new GameSessions({ database: first, now: () => 0 });
  const [short, owing, long] = [session(), session(), session({ expiresAt: 2 * DAY_MS, platform: 'mobile' })];
  for (const one of [short, owing, long]) before.open(one);
  first.close();
  const second = openServiceDatabase(folder);
  const hasOpenRounds = (gsID: string): boolean => gsID === owing.gsID;
  const after = new GameSessions({ database: second, now: () => DAY_MS + 1000, hasOpenRounds });
  expect(after.all()).toEqual([owing, long]);
  second.close();
});
