import { expect, it } from 'vitest';
import { startReference } from '../../src/app/reference-operator.ts';
import { denominationOf } from '../../src/engine/stakes.ts';
import { runLoad } from '../../src/load/load.ts';
import { DEFAULT_MIX } from '../../src/load/mix.ts';

it('a journal that can no longer be written ends the test before the next call', { timeout: 20_000 }, async () => {
  const reference = await startReference(() => {});
  try {
    const { client } = reference;
    let lines = 0;
    const test = runLoad({
      endpoint: client,
      wire: client.wire,
      wallets: [{ player: 'ben', currency: 'EUR', sessions: [{ sessionID: 'eu-ben-eur', index: 2 }] }],
      arrivals: { kind: 'rate', from: 20, to: 20 },
      durationMs: 10_000,
      mix: DEFAULT_MIX,
      campaign: null,
      credit: false,
      deadlineMs: 5000,
      lingerMs: 50,
      seed: 'test',
      numbers: { after: 0, step: 1 },
      origin: performance.now(),
      denominationOf: (currency, decimals) => denominationOf(currency, { stakes: {}, decimals: {} }, decimals),
      scrub: (text) => text,
      write: () => {
        lines += 1;
        if (lines > 10) throw new Error('no space left on the device');
      },
      signal: new AbortController().signal,
      onProgress: () => {},
      onBegin: () => {},
      onEnd: () => Promise.resolve(),
    });
    await expect(test).rejects.toThrow('no space left on the device');
  } finally {
    await reference.close();
  }
});
