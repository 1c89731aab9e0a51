import { describe, expect, it } from 'vitest';
import { startProgress } from '../../src/cli/progress.ts';
import type { Sink } from '../../src/cli/stdio.ts';

function sinkOf(tty: boolean): Sink & { readonly written: string[] } {
  const written: string[] = [];
  return { written, write: (text) => void written.push(text), tty, colour: false, columns: 40 };
}

describe('progress', () => {
  it('writes nothing at once where there is no terminal', () => {
    const sink = sinkOf(false);
    const progress = startProgress(sink);
    progress.on({ event: 'notice', text: 'x' });
    progress.end();
    expect(sink.written).toEqual([]);
  });

  it('draws one line, no wider than the terminal, and takes it away', async () => {
    const sink = sinkOf(true);
    const progress = startProgress(sink);
    progress.on({ event: 'scenario-started', scenario: 's'.repeat(100), attempt: 1, at: 0, sessions: {} });
    await expect.poll(() => sink.written.length).toBeGreaterThan(0);
    progress.end();
    const lines = sink.written.map((text) => text.replace('\r\u001B[2K', ''));
    expect(lines[0]).toMatch(/^. 0\/0 scenarios · 0 calls · s+$/);
    expect(lines.every((line) => line.length < 40)).toBe(true);
    expect(lines.at(-1)).toBe('');
  });

  it('prints above the line', async () => {
    const sink = sinkOf(true);
    const progress = startProgress(sink);
    await expect.poll(() => sink.written.length).toBeGreaterThan(0);
    progress.print('an exchange\n');
    progress.end();
    expect(sink.written.join('')).toContain('\r\u001B[2Kan exchange\n');
  });
});
