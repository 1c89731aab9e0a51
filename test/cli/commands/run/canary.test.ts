import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

/** A key with every character that an encoding changes. */
const CANARY = 'can"ary/<key>+&=%é\\n';

/** The encodings of a key in a text. */
const FORMS: Readonly<Record<string, string>> = {
  plain: CANARY,
  json: JSON.stringify(CANARY).slice(1, -1),
  'json in json': JSON.stringify(JSON.stringify(CANARY).slice(1, -1)).slice(1, -1),
  base64: Buffer.from(CANARY).toString('base64'),
  base64url: Buffer.from(CANARY).toString('base64url'),
  'base64 of a longer text': Buffer.from(`a${CANARY}b`).toString('base64'),
  hex: Buffer.from(CANARY).toString('hex'),
  'upper-case hex': Buffer.from(CANARY).toString('hex').toUpperCase(),
  url: encodeURIComponent(CANARY),
  html: CANARY.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
};

/** The part of each encoding that is searched for. In base64, the neighbours change the first and last characters. */
const NEEDLES = Object.entries(FORMS).map(
  ([form, text]) => [form, form.startsWith('base64') ? text.slice(4, -4) : text] as const,
);

let server: Server;
let dir = '';
let run: Ended;

/** An operator whose replies contain the key in every encoding, also in headers. */
function blurt(): Server {
  return createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(400, {
        'content-type': 'application/json',
        'x-debug': Object.values(FORMS).join(' ').replaceAll('é', '%C3%A9'),
      });
      response.end(JSON.stringify({ message: `no: ${Object.values(FORMS).join(' ')}`, debug: CANARY }));
    });
  });
}

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  server = blurt().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  run = await croupier(
    [
      'run',
      'balance/read',
      'bet/debit',
      '-v',

      '--base-url',
      `http://127.0.0.1:${port}/eu`,
      '--ext-cid',
      'eu',
      '--session',
      'eu-1,currency=USD',
      '--linger',
      '10ms',

      '--journal',
      'run.ndjson',
      '--report',
      'json=r.json',
      '--report',
      'junit=r.xml',
      '--report',
      'terminal=r.txt',
      '--report',
      'html=r.html',
    ],
    { cwd: dir, env: { CROUPIER_KEY: CANARY, CROUPIER_DEBUG: '1' } },
  );
}, 60_000);

afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('the key of a client whose operator puts the key into its replies', () => {
  const outputs: Readonly<Record<string, () => string>> = {
    stdout: () => run.out,
    stderr: () => run.err,
    'the journal': () => readFileSync(path.join(dir, 'run.ndjson'), 'utf8'),
    'the JSON report': () => readFileSync(path.join(dir, 'r.json'), 'utf8'),
    'the JUnit report': () => readFileSync(path.join(dir, 'r.xml'), 'utf8'),
    'the HTML report': () => readFileSync(path.join(dir, 'r.html'), 'utf8'),
    'the terminal report': () => readFileSync(path.join(dir, 'r.txt'), 'utf8'),
  };

  it.each(Object.keys(outputs))('is not in %s in any encoding', (name) => {
    const text = outputs[name]?.() ?? '';
    expect(text.length).toBeGreaterThan(0);
    expect(NEEDLES.flatMap(([form, needle]) => (text.includes(needle) ? [form] : []))).toEqual([]);
  });

  it('is used to sign the calls, and the replies are still recorded', () => {
    const journal = readFileSync(path.join(dir, 'run.ndjson'), 'utf8');
    const signature = createHmac('sha256', CANARY).update('{"sessionID":"eu-1"}').digest('hex');
    expect(journal).toContain(signature);
    expect(journal).toContain('no: ***');
  });

  it('is removed without damage to the journal, which only its owner can read', () => {
    const lines = readFileSync(path.join(dir, 'run.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('run-ended');
  });
});
