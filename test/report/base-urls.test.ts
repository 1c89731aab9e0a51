import { expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import { journalText, reportOfEvents } from './journals.ts';

const events = journalText('failing')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as JournalEvent)
  .map((event) =>
    event.event === 'run-started'
      ? { ...event, client: { ...event.client, otherBaseUrls: ['https://second.example/eu'] } }
      : event,
  );

it.each(['terminal', 'json', 'ctrf', 'summary', 'html', 'markdown', 'har', 'curl'])(
  'the %s report of joined shards names every address that they called',
  async (kind) => {
    const text = await reportOfEvents(events, kind, { width: 200 });
    expect(text).toContain('second.example/eu');
  },
);
