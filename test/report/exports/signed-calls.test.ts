import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/read.ts';
import { JOURNALS, journalText, reportText } from '../journals.ts';

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
