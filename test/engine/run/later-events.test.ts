import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LaterEvents } from '../../../src/engine/run/later-events.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { answering, get, ok, openWire, rawServer } from '../../wire/raw-server.ts';

function notice(text: string): JournalEvent {
  return { event: 'notice', text };
}

function textOf(event: JournalEvent): string {
  return event.event === 'notice' ? event.text : '';
}

it('events are passed on in their order, after the code that adds them has ended', async () => {
  const passed: string[] = [];
  const later = new LaterEvents((event) => passed.push(textOf(event)));
  for (const text of ['a', 'b']) later.add(notice(text));
  await Promise.resolve();
  expect(passed).toEqual([]);
  await nextTurn();
  await nextTurn();
  expect(passed).toEqual(['a', 'b']);
});

it('an event of a reply is passed on after the bytes of the next call were sent', async () => {
  const url = `http://127.0.0.1:${await rawServer(answering(ok('x')))}/`;
  const wire = openWire();
  const happened: string[] = [];
  const later = new LaterEvents((event) => happened.push(textOf(event)));
  await wire.send({ request: get(url) });
  later.add(notice('passed'));
  const next = wire.start({ request: get(url) });
  void next.ready.then(() => happened.push('sent'));
  await next.result;
  await nextTurn();
  expect(happened).toEqual(['sent', 'passed']);
});

it('a flush passes on every event at once, and after the end each event is passed on when it is added', () => {
  const passed: string[] = [];
  const later = new LaterEvents((event) => passed.push(textOf(event)));
  later.add(notice('a'));
  later.flush();
  expect(passed).toEqual(['a']);
  later.add(notice('b'));
  later.end();
  later.add(notice('c'));
  expect(passed).toEqual(['a', 'b', 'c']);
});

it('an error of the receiver is thrown once, when the next event is added', async () => {
  const later = new LaterEvents((event) => {
    if (textOf(event) === 'bad') throw new Error('no such event');
  });
  later.add(notice('bad'));
  await nextTurn();
  await nextTurn();
  expect(() => later.add(notice('good'))).toThrow('no such event');
  expect(() => later.end()).not.toThrow();
});
