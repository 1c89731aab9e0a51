import { byId } from '../../../pages/client/element.ts';
import type { BoardView } from '../view.ts';
import { readOverview } from './api.ts';
import { Detail } from './detail.ts';
import { Table } from './table.ts';

/** The pause between two readings, in milliseconds: shorter while the board is still reading the history. */
const PAUSE_MS = { complete: 15_000, incomplete: 1000 } as const;

const detail = new Detail((name) => table.restoreFocus(name));
const table = new Table((name) => void detail.show(name));
const live = byId('live');
let view: BoardView | undefined;

for (;;) {
  // A page in the background needs no new results. So it sends no requests, and the board has no work.
  if (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
  const reading = await readOverview(view?.version ?? '');
  if (reading.kind === 'read') {
    const isNew = 'operators' in reading.value;
    view = 'operators' in reading.value ? reading.value : view && { ...view, ...reading.value };
    if (view) table.take(view);
    if (isNew && view?.isComplete) void detail.refresh();
    say('live', view?.isComplete ? 'Live' : 'Live, still reading flakiness and debts');
  } else say(reading.kind === 'refused' ? 'refused' : 'lost', reading.message);
  if (reading.kind === 'refused') break;
  await new Promise((resolve) => setTimeout(resolve, view?.isComplete ? PAUSE_MS.complete : PAUSE_MS.incomplete));
}

function say(state: 'live' | 'lost' | 'refused', message: string): void {
  live.dataset.state = state;
  if (live.textContent !== message) live.textContent = message;
}
