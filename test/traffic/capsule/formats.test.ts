import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Capsule } from '../../../src/traffic/capsule/capsule.ts';
import { type RecordedCall, recordedCall } from '../../../src/traffic/recorded-call.ts';
import { entriesIn } from '../read/entries-in.ts';

const FOLDER = 'fixtures/logs';
/** Archives are unpacked, and HARs are documents. Other tests are about them. */
const TEXTS = readdirSync(FOLDER).filter((file) => !/\.(?:gz|zip|har)$/.test(file));
const SESSION = 's-7731';
const digest = (text: string): string => createHmac('sha256', 'salt').update(text).digest('hex');

/** Writes a capsule of a text, which is one JSON document or has lines. */
function capsuleOf(text: string, isDocument: boolean): string {
  const parts = isDocument ? [text] : text.split('\n');
  const capsule = new Capsule({
    digest,
    keysOf: () => ({ own: [], others: [] }),
    privateHeaders: new Set(),
    addresses: new Set(),
  });
  const learning = capsule.learning();
  for (const part of parts) learning.line(part);
  const rewriting = capsule.rewriting();
  return parts.map((part) => rewriting.last(rewriting.line(part))).join('\n');
}

async function callsIn(text: string): Promise<readonly RecordedCall[]> {
  const all = await entriesIn(text);
  return all.flatMap((entry) => (entry.kind === 'exchange' ? (recordedCall(entry.exchange) ?? []) : []));
}

describe('a capsule of a log', () => {
  it.each(TEXTS)('has the same calls, and one alias for the session: %s', async (file) => {
    const original = readFileSync(`${FOLDER}/${file}`, 'utf8');
    const written = capsuleOf(original, file.endsWith('.json'));
    expect(written).not.toContain(SESSION);
    const [before, after] = [await callsIn(original), await callsIn(written)];
    const alias = `session-${digest(SESSION).slice(0, 10)}`;
    const shown = ({ call, sessionID, txID, roundID, amount, exchange: { time, answer } }: RecordedCall) => ({
      call,
      session: sessionID === SESSION ? alias : sessionID,
      ids: [txID, roundID, amount],
      ms: time?.ms,
      status: answer.kind === 'reply' ? answer.status : answer.kind,
    });
    expect(after.map(shown)).toEqual(before.map(shown));
  });
});
