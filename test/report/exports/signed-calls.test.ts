import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/read.ts';
import { ended, exchange, found, planned, runOf } from '../../journal/events.ts';
import { JOURNALS, journalText, reportOfEvents, reportText } from '../journals.ts';

/** The reports that people pass on: in a comment, an artifact, a dashboard or a chat. */
const PASSED_ON = ['markdown', 'html', 'github', 'junit', 'ctrf', 'summary', 'openmetrics', 'otlp', 'baseline'];

async function signaturesIn(name: (typeof JOURNALS)[number]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const event of readJournal([journalText(name)])) {
    if (event.event !== 'sending') continue;
    for (const [header, value] of event.request.headers)
      if (header.toLowerCase() === 'x-request-sign' && value.length >= 32) found.add(value);
  }
  return found;
}

describe.each(PASSED_ON)('the report %s', (kind) => {
  it.each(JOURNALS)('of the journal %s holds no signature and no curl command', async (name) => {
    const text = await reportText(name, kind);
    for (const signature of await signaturesIn(name)) expect(text).not.toContain(signature);
    expect(text).not.toContain('curl -');
  });
});

it.each(['markdown', 'html'])('with --curl, the report %s holds the signed calls as curl commands', async (kind) => {
  const text = await reportText('failing', kind, { curl: true });
  const signatures = [...(await signaturesIn('failing'))];
  expect(signatures.filter((signature) => text.includes(signature)).length).toBeGreaterThan(0);
  expect(text).toMatch(/curl -sSi -X POST .*X-REQUEST-SIGN: [0-9a-f]{64}/);
});

it.each(['markdown', 'html'])('the report %s shows the beginning of a signature', async (kind) => {
  expect(await reportText('failing', kind)).toMatch(/X-REQUEST-SIGN:(<\/span>)?\s+[0-9a-f]{8}…/);
});

describe('a signature that the operator writes into a reply', () => {
  const SIGNATURE = createHash('sha256').update('a signature').digest('hex');
  const TX_ID = createHash('sha256').update('an id of the operator').digest('hex');

  /** A run in which a reply repeats the signature of its call, in upper and lower case, and in bytes that are no text. */
  function events(encoding: 'utf8' | 'base64') {
    const text = `{"error":"bad call: X-REQUEST-SIGN: ${SIGNATURE} or ${SIGNATURE.toUpperCase()}","txID":"${TX_ID}"}`;
    const bytes = encoding === 'utf8' ? Buffer.from(text) : Buffer.concat([Buffer.from(text), Buffer.from([0xff])]);
    const [sending, received] = exchange('x1', 'own/bet');
    const signed = { ...sending, request: { ...sending.request, headers: [['X-REQUEST-SIGN', SIGNATURE]] as const } };
    const body = { encoding, data: bytes.toString(encoding), length: bytes.length, truncated: false };
    const answered = {
      ...received,
      outcome: { kind: 'reply', reply: { status: 400, headers: [['x-echo', SIGNATURE]] as const, body } } as const,
    };
    const breach = found('own/bet', 'balance.read', 'fail', {
      exchange: 'x1',
      actual: `status 400: X-REQUEST-SIGN: ${SIGNATURE}`,
    });
    return runOf(planned('own/bet', ['balance.read']), [
      signed,
      breach,
      answered,
      ended('own/bet', { verdict: 'fail' }),
    ]);
  }

  const WHOLE = new RegExp(SIGNATURE, 'i');

  it.each(PASSED_ON)('is cut in the report %s', async (kind) => {
    for (const encoding of ['utf8', 'base64'] as const)
      expect(await reportOfEvents(events(encoding), kind)).not.toMatch(WHOLE);
  });

  it('is cut in the log of a pipeline, and other ids stay whole', async () => {
    const text = await reportOfEvents(events('utf8'), 'terminal', { isPublic: true, verbosity: 2, width: 120 });
    const flat = text.replaceAll(/\s+/g, '');
    expect(flat).not.toMatch(WHOLE);
    expect(flat).toContain(`X-REQUEST-SIGN:${SIGNATURE.slice(0, 8)}…`);
    expect(flat).toContain(TX_ID);
  });

  it.each([
    ['on the terminal of a person', 'terminal', {}],
    ['in JSON', 'json', {}],
    ['with --curl, in HTML', 'html', { curl: true }],
  ])('is whole %s', async (_where, kind, options) => {
    const text = await reportOfEvents(events('utf8'), kind, { ...options, verbosity: 2, width: 120 });
    expect(text.replaceAll(/\s+/g, '')).toMatch(new RegExp(`X-REQUEST-SIGN:${SIGNATURE}or`));
  });
});
