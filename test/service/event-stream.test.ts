import { describe, expect, it } from 'vitest';
import { eventStream, type PageEvent } from '../../src/service/event-stream.ts';
import { Feed } from '../../src/service/feed.ts';
import { sleep } from '../../src/service/sleep.ts';

function stream(take: () => readonly PageEvent[], heartbeatMs = 10_000) {
  const news = new Feed<void>();
  const closing = new AbortController();
  let listeners = 0;
  const { headers, body } = eventStream({
    subscribe: (wake) => {
      listeners += 1;
      const end = news.subscribe(wake);
      return () => {
        listeners -= 1;
        end();
      };
    },
    take,
    closing: closing.signal,
    sleep,
    batchMs: 5,
    heartbeatMs,
  });
  if (typeof body === 'string' || body instanceof Uint8Array) throw new Error('not in pieces');
  const pieces = body[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { value, done } = await pieces.next();
    return done ? undefined : value;
  };
  return { headers, next, news, closing, end: () => pieces.return?.(), listeners: () => listeners };
}

describe('a stream of events', () => {
  it('begins with the current events, and then sends events that happen close together as one piece', async () => {
    let count = 0;
    const { headers, next, news } = stream(() => [{ name: 'count', data: { count } }]);
    expect(headers).toContainEqual(['Content-Type', 'text/event-stream; charset=utf-8']);
    expect(await next()).toBe('event: count\ndata: {"count":0}\n\n');
    const later = next();
    for (count = 1; count < 5; count += 1) news.publish();
    expect(await later).toBe('event: count\ndata: {"count":5}\n\n');
  });

  it('writes data with line breaks on one line', async () => {
    const { next } = stream(() => [{ name: 'words', data: 'a\n\nevent: forged\ndata: {}\u2028' }]);
    expect((await next())?.split('\n')).toHaveLength(4);
  });

  it('loses no event that happens while its reader is busy', async () => {
    let count = 0;
    const { next, news } = stream(() => [{ name: 'count', data: count }]);
    await next();
    count = 7;
    news.publish();
    expect(await next()).toContain('data: 7');
  });

  it('sends a comment when nothing has happened for a while', async () => {
    const { next } = stream(() => [], 5);
    expect(await next()).toBe(': still here\n\n');
    expect(await next()).toBe(': still here\n\n');
  });

  it('ends when the service is closed, and removes its listener', async () => {
    const { next, closing, listeners } = stream(() => [{ name: 'x', data: null }]);
    await next();
    const last = next();
    expect(listeners()).toBe(1);
    closing.abort();
    for (let piece = await last; piece !== undefined; ) piece = await next();
    expect(listeners()).toBe(0);
  });

  it('removes its listener when its reader goes away', async () => {
    const { next, end, listeners } = stream(() => [{ name: 'x', data: null }]);
    await next();
    await end();
    expect(listeners()).toBe(0);
  });
});
