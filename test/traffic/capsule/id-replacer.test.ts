import { describe, expect, it } from 'vitest';
import { IdReplacer } from '../../../src/traffic/capsule/id-replacer.ts';

const sweep = (text: string, ...ids: readonly string[]): string =>
  new IdReplacer({ aliases: new Map(ids.map((id, index) => [id, `player-${index}`])) }).replace(text);

describe('IdReplacer', () => {
  it.each([
    ['plain', 'see eu-usd-1!', 'see player-0!'],
    ['within a longer word', 'tx_eu-usd-12', 'tx_player-02'],
    ['percent-encoded throughout', '%65%75%2d%75%73%64%2d%31', 'player-0'],
    ['in hexadecimal', Buffer.from('eu-usd-1').toString('hex').toUpperCase(), Buffer.from('player-0').toString('hex')],
    ['in base64', Buffer.from('eu-usd-1').toString('base64'), Buffer.from('player-0').toString('base64')],
  ])('finds an id %s', (_, text, expected) => {
    expect(sweep(text, 'eu-usd-1')).toBe(expected);
  });

  it.each([0, 1, 2])('leaves no part of an id in the base64 of a longer text, at offset %d', (offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}{"sid":"eu-usd-1"}`).toString('base64');
    expect(Buffer.from(sweep(text, 'eu-usd-1'), 'base64').toString('latin1')).not.toContain('eu-usd-1');
  });

  it.each([
    ['a/ü', 'q=a%2F%C3%BC', 'q=player-0'],
    ['a/ü', 'q=a%2f%c3%bc', 'q=player-0'],
    ['a/ü', 'q=a%252F%25C3%25BC', 'q=player-0'],
    ['a b@c', 'q=a+b%40c', 'q=player-0'],
  ])('finds %s as an address writes it: %s', (id, text, expected) => {
    expect(sweep(text, id)).toBe(expected);
  });

  it('replaces the longest of several matching ids', () => {
    expect(sweep('eu-usd-10 eu-usd-1', 'eu-usd-1', 'eu-usd-10')).toBe('player-1 player-0');
  });

  it.each([
    ['ines', 'these lines are Ines and ines.', 'these lines are Ines and player-0.'],
    ['4711', 'player 4711 lost 4711.00, not 47110', 'player player-0 lost 4711.00, not 47110'],
    ['4711', '0d9a4d19-4711-4c2f-8d16-9b1c7c0c3f0e', '0d9a4d19-4711-4c2f-8d16-9b1c7c0c3f0e'],
    ['4711', 'user-4711', 'user-player-0'],
    ['7', '7 checks', '7 checks'],
  ])('does not take %s for a part of something else: %s', (id, text, expected) => {
    expect(sweep(text, id)).toBe(expected);
  });

  it('searches a long text for many ids in a short time', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `session-of-${index}`);
    const text = `${'{"balance":"10.00","txID":"op-1"}'.repeat(20_000)} session-of-4999`;
    expect(sweep(text, ...ids)).toMatch(/ player-4999$/);
  });
});
