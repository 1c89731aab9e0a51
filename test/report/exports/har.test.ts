import { Ajv } from 'ajv';
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import schemas from 'har-schema';
import { describe, expect, it } from 'vitest';
import type { JournalEvent, Received, Sending } from '../../../src/journal/event.ts';
import type { Body, Outcome, Stamps } from '../../../src/journal/exchange.ts';
import { readJournal } from '../../../src/journal/read.ts';
import { JOURNALS, journalText, reportOfEvents, reportText } from '../journals.ts';

interface Entry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: { readonly url: string; readonly postData?: object };
  readonly response: { readonly status: number; readonly content: object; readonly _error?: string };
  readonly timings: object;
  readonly _croupier: object;
}

/** The schema of HAR 1.2. It uses an older draft of JSON Schema, and refers to its parts by file name. */
function complaintsAbout(har: unknown): readonly string[] {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: { 'date-time': DATE_TIME, date: true, uri: true, ipv4: true, ipv6: true },
  });
  ajv.addMetaSchema(draft6);
  ajv.addSchema(Object.values(schemas));
  const validate = ajv.getSchema('har.json#');
  if (!validate) throw new Error('there is no schema of HAR');
  return validate(har) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function entriesOf(text: string): readonly Entry[] {
  const har = JSON.parse(text) as { readonly log: { readonly entries: readonly Entry[] } };
  expect(complaintsAbout(har)).toEqual([]);
  return har.log.entries;
}

const STAMPS: Stamps = { start: 100, resolved: 101, connected: 103, secured: 106, sent: 107, firstByte: 117, end: 120 };

function body(more: Partial<Body> = {}): Body {
  return { encoding: 'utf8', data: '{}', length: 2, truncated: false, ...more };
}

async function runOf(
  ...exchanges: readonly { readonly id: string; readonly request?: Body; readonly outcome: Outcome }[]
): Promise<readonly JournalEvent[]> {
  const { value: started } = await readJournal([journalText('green')]).next();
  if (started?.event !== 'run-started') throw new Error('no run');
  const sendings = exchanges.map(
    ({ id, request = body() }): Sending => ({
      event: 'sending',
      id,
      scenario: null,
      step: '1',
      purpose: 'step',
      call: 'bet',
      request: {
        method: 'POST',
        url: `http://h/bet?of=${id}`,
        headers: [['Content-Type', 'application/json']],
        body: request,
      },
    }),
  );
  const replies = exchanges.map(
    ({ id, outcome }): Received => ({
      event: 'received',
      id,
      scenario: null,
      outcome,
      stamps: STAMPS,
      connection: { id: 3, reused: false },
      model: null,
    }),
  );
  return [started, ...sendings, ...replies.toReversed()];
}

describe('the HAR', () => {
  it.each(JOURNALS)('of the journal %s matches the HAR schema and has every exchange', async (name) => {
    const entries = entriesOf(await reportText(name, 'har'));
    expect(entries).toHaveLength(
      journalText(name)
        .split('\n')
        .filter((line) => line.includes('"event":"sending"')).length,
    );
  });

  it('has the phases of each exchange, with the TLS handshake as part of connect', async () => {
    const reply = { status: 200, headers: [], body: body() };
    const [entry] = entriesOf(
      await reportOfEvents(await runOf({ id: 'x1', outcome: { kind: 'reply', reply } }), 'har'),
    );
    expect(entry?.timings).toEqual({ blocked: -1, dns: 1, connect: 5, ssl: 3, send: 1, wait: 10, receive: 3 });
    expect(entry?.time).toBe(20);
  });

  it('keeps the order in which calls were sent', async () => {
    const outcome: Outcome = { kind: 'none', reason: 'broken', detail: '' };
    const ids = ['x1', 'x2', 'x3'];
    const entries = entriesOf(await reportOfEvents(await runOf(...ids.map((id) => ({ id, outcome }))), 'har'));
    expect(entries.map(({ _croupier }) => _croupier)).toMatchObject(ids.map((id) => ({ id })));
  });

  it('has an entry for a call without a reply, with the reason', async () => {
    const outcome: Outcome = { kind: 'none', reason: 'broken', detail: '' };
    const [entry] = entriesOf(await reportOfEvents(await runOf({ id: 'x1', outcome }), 'har'));
    expect(entry?.response).toMatchObject({ status: 0, _error: 'broken: croupier broke the connection on purpose' });
  });

  it('keeps bytes that are not text, and marks a body of which the journal holds only a part', async () => {
    const data = Buffer.from([0xff, 0x00, 0xe9]).toString('base64');
    const bytes = body({ encoding: 'base64', data, length: 3 });
    const reply = { status: 200, headers: [], body: body({ data: '{"bal', length: 900_000, truncated: true }) };
    const [entry] = entriesOf(
      await reportOfEvents(await runOf({ id: 'x1', request: bytes, outcome: { kind: 'reply', reply } }), 'har'),
    );
    expect(entry?.request.postData).toMatchObject({ text: data, encoding: 'base64' });
    expect(entry?.response.content).toMatchObject({ text: '{"bal', size: 900_000, _truncated: true });
  });
});
