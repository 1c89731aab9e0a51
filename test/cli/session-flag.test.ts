import { describe, expect, it } from 'vitest';
import { readSession } from '../../src/cli/session-flag.ts';

describe('readSession', () => {
  it('reads an id alone', () => {
    expect(readSession('eu-usd-1')).toEqual({ sessionID: 'eu-usd-1' });
  });

  it('reads everything that a session can say', () => {
    expect(readSession('eu-1,player=p1,currency=USD,game=catch,state=expired')).toEqual({
      sessionID: 'eu-1',
      player: 'p1',
      currency: 'USD',
      gameID: 'catch',
      state: 'expired',
    });
  });

  it('leaves an = within a value alone', () => {
    expect(readSession('eu-1,player=a=b').player).toBe('a=b');
  });

  it.each([
    ['', 'begins with the sessionID'],
    [',player=p1', 'begins with the sessionID'],
    ['eu-1,plyer=p1', 'did you mean player?'],
    ['eu-1,zzz=1', 'zzz is none of player, currency, game, state'],
    ['eu-1,player', 'player needs a value'],
    ['eu-1,player=', 'player needs a value'],
    ['eu-1,state=old', 'state is active or expired'],
  ])('refuses %j: %s', (text, reason) => {
    expect(() => readSession(text)).toThrow(reason);
  });
});
