import type { ExploreProgress } from '../engine/explore/explore-options.ts';
import type { Sink } from './stdio.ts';

const PLAIN_MS = 10_000;
const CLEAR_LINE = '\r\u001B[2K';

/** Shows how far a search is: on a terminal one line that is drawn anew, elsewhere a line now and then. */
export function startExploreProgress(sink: Sink): { on(progress: ExploreProgress): void; end(): void } {
  let latest = '';
  let shown = false;
  const plain = sink.tty
    ? undefined
    : setInterval(() => {
        if (latest !== '') sink.write(`${latest}\n`);
      }, PLAIN_MS);
  plain?.unref();
  return {
    on: ({ histories, runs, broken, shortening }) => {
      const parts = [`${histories}${Number.isFinite(runs) ? `/${runs}` : ''} histories`];
      if (broken > 0) parts.push(`${broken} rule${broken === 1 ? '' : 's'} broken`);
      if (shortening !== null) parts.push(`making one shorter: ${shortening} step${shortening === 1 ? '' : 's'}`);
      latest = parts.join(' · ');
      if (!sink.tty) return;
      sink.write(`${CLEAR_LINE}${latest.slice(0, sink.columns - 1)}`);
      shown = true;
    },
    end: () => {
      clearInterval(plain);
      if (shown) sink.write(CLEAR_LINE);
      shown = false;
    },
  };
}
