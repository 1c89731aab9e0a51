import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ClientTurns } from '../../../src/app/run/client-turns.ts';

/** Plays clients whose work ends only when the test says so. */
function stage(max: number) {
  const turns = new ClientTurns(max);
  const playing: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    playing,
    ask: (client: string, names: readonly string[]) =>
      turns.play(names, async () => {
        playing.push(client);
        await new Promise<void>((resolve) => ends.set(client, resolve));
        playing.splice(playing.indexOf(client), 1);
      }),
    end: async (client: string) => {
      ends.get(client)?.();
      await turn();
      await turn();
    },
  };
}

it('clients that share no player play in parallel, and the others in the order in which they asked', async () => {
  const { playing, ask, end } = stage(8);
  const all = [ask('a', ['anna', 'ben']), ask('b', ['carla']), ask('c', ['ben', 'carla']), ask('d', ['anna'])];
  await turn();
  expect(playing).toEqual(['a', 'b']);
  await end('b');
  expect(playing).toEqual(['a']);
  await end('a');
  expect(playing).toEqual(['c', 'd']);
  await end('c');
  await end('d');
  await Promise.all(all);
});

it('a client that fails lets the next one play', async () => {
  const turns = new ClientTurns(1);
  const failing = turns.play(['anna'], async () => {
    throw new Error('no session');
  });
  await expect(failing).rejects.toThrow('no session');
  await expect(turns.play(['anna'], async () => 'played')).resolves.toBe('played');
});

it('at most the given number of clients play in parallel', async () => {
  const { playing, ask, end } = stage(2);
  const all = ['a', 'b', 'c'].map((client) => ask(client, [client]));
  await turn();
  expect(playing).toEqual(['a', 'b']);
  await end('a');
  expect(playing).toEqual(['b', 'c']);
  await end('b');
  await end('c');
  await Promise.all(all);
});
