import { describe, expect, it } from 'vitest';
import { readSession } from '../../../src/app/config/flag-values.ts';

describe('readSession', () => {
  it('reads a session that is only an id', () => {
    expect(readSession('eu-usd-1')).toEqual({ sessionID: 'eu-usd-1' });
  });

  it('reads every field of a session', () => {
    expect(readSession('eu-1,player=p1,currency=USD,game=catch,state=expired')).toEqual({
      sessionID: 'eu-1',
      player: 'p1',
      currency: 'USD',
      gameID: 'catch',
      state: 'expired',
    });
  });

  it('reads the game also by its name in croupier.yaml', () => {
    expect(readSession('eu-1,gameID=catch')).toEqual({ sessionID: 'eu-1', gameID: 'catch' });
  });

  it('keeps an = inside a value', () => {
    expect(readSession('eu-1,player=a=b').player).toBe('a=b');
  });

  it.each([
    ['', 'must begin with the sessionID'],
    [',player=p1', 'must begin with the sessionID'],
    ['eu-1,plyer=p1', 'did you mean player?'],
    ['eu-1,zzz=1', 'zzz is unknown; the fields are player, currency, game (or gameID), state'],
    ['eu-1,gameId=catch', 'did you mean gameID?'],
    ['eu-1,player', 'player needs a value'],
    ['eu-1,player=', 'player needs a value'],
    ['eu-1,state=old', 'state must be active or expired'],
  ])('refuses %j with the message: %s', (text, reason) => {
    expect(() => readSession(text)).toThrow(reason);
  });
});
