import { expect, it } from 'vitest';
import { Gate } from '../../src/wire/gate.ts';

const isOpen = (gate: Gate): Promise<boolean> =>
  Promise.race([gate.opened.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

it('lets those pass who wait and those who come later', async () => {
  const gate = new Gate();
  expect(await isOpen(gate)).toBe(false);
  const waiting = gate.opened;
  gate.open();
  gate.open();
  await waiting;
  expect(await isOpen(gate)).toBe(true);
});
