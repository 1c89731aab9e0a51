import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { playPart } from '../../../app/load/load-part.ts';
import type { FromWorker, ToWorker, WorkerOrder } from '../../../app/load/load-workers.ts';
import { joinJournalFile, UnwritableJournal } from '../../../engine/run/journal-file.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';

const port = parentPort;
if (!port) throw new Error('this file cannot be started directly: `croupier load` starts it in a thread');

const { order, journalPath, secrets } = workerData as WorkerOrder;
const tell = (message: FromWorker): void => port.postMessage(message);
const begun = Promise.withResolvers<void>();
const closed = Promise.withResolvers<void>();
const stopped = new AbortController();
port.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'begin':
      void sleep(Math.max(0, message.atEpochMs - performance.timeOrigin - performance.now())).then(begun.resolve);
      break;
    case 'stop':
      stopped.abort();
      break;
    case 'close':
      closed.resolve();
      break;
  }
});

async function play(): Promise<void> {
  const scrub = createScrubber(secrets);
  const journal = joinJournalFile(journalPath, scrub);
  try {
    const part = await playPart(order, {
      write: (lines) => journal.appendLines(lines),
      scrub,
      signal: stopped.signal,
      onProgress: (progress) => tell({ kind: 'progress', progress: { ...progress } }),
      onOpened: () => {
        tell({ kind: 'opened' });
        return begun.promise;
      },
      onBegin: () => {},
      onSecond: (second, responses) => tell({ kind: 'second', second: { ...second }, responses }),
      onEnd: () => {
        tell({ kind: 'ended' });
        return closed.promise;
      },
      onInterrupted: (part) => tell({ kind: 'interrupted', part }),
    });
    tell({ kind: 'done', part });
  } catch (error) {
    if (!(error instanceof UnwritableJournal)) throw error;
    const { message, code } = error.cause as NodeJS.ErrnoException;
    tell({ kind: 'unwritable', message, code });
  }
}

void play();
