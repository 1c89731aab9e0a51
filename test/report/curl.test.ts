import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Body, ExchangeRequest } from '../../src/journal/exchange.ts';
import { curlLine } from '../../src/report/curl.ts';
import * as fc from '../properties.ts';

function utf8(data: string): Body {
  return { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false };
}

function request(more: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    method: 'POST',
    url: 'http://127.0.0.1/bet',
    headers: [['Content-Type', 'application/json']],
    body: utf8('{}'),
    ...more,
  };
}

describe('a curl line', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'curl-line-'));
    // This script replaces curl. It writes its arguments and its input to files, so that the test needs no network.
    const script =
      '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done > "$OUT/words"\ncase "$*" in *@-) cat > "$OUT/stdin";; esac\n';
    writeFileSync(path.join(dir, 'curl'), script, { mode: 0o755 });
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  /** Runs a line in a shell. Returns the arguments and the body that the shell passes to curl. */
  function run(line: string): { readonly words: readonly string[]; readonly body: Buffer } {
    execFileSync('/bin/sh', ['-c', line], { env: { PATH: `${dir}:${process.env.PATH}`, OUT: dir } });
    const words = readFileSync(path.join(dir, 'words'), 'utf8').split('\0').slice(0, -1);
    const raw = words.indexOf('--data-raw');
    return { words, body: raw === -1 ? readFileSync(path.join(dir, 'stdin')) : Buffer.from(words[raw + 1] ?? '') };
  }

  it('sends method, address, headers and body, and leaves out what curl makes itself', () => {
    const line = curlLine(
      request({
        url: 'http://127.0.0.1/eu/bet?a=1&b=it%27s',
        headers: [
          ['Host', 'x'],
          ['Content-Type', 'application/json'],
          ['X-REQUEST-SIGN', 'ab12'],
          ['Content-Length', '2'],
        ],
      }),
    );
    expect(line).toBe(
      "curl -sSi -X POST 'http://127.0.0.1/eu/bet?a=1&b=it%27s' -H 'Content-Type: application/json' -H 'X-REQUEST-SIGN: ab12' --data-raw '{}'",
    );
  });

  it('sends an empty header with a semicolon, and sends no content type if the request had none', () => {
    const line = curlLine(request({ headers: [['X-REQUEST-SIGN', '']] })) ?? '';
    expect(run(line).words).toEqual(expect.arrayContaining(['X-REQUEST-SIGN;', 'Content-Type:']));
  });

  it('prevents curl from expanding brackets and normalising the path', () => {
    const { words } = run(curlLine(request({ url: 'http://127.0.0.1/a/../b?x=[1-3]' })) ?? '');
    expect(words).toEqual(expect.arrayContaining(['--globoff', '--path-as-is']));
  });

  it('is not made if the journal does not hold the whole body', () => {
    expect(curlLine(request({ body: { ...utf8('{'), truncated: true, length: 9 } }))).toBeNull();
  });

  it('sends any text, byte for byte, through a shell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 40 }), (data, value) => {
        fc.pre(data.isWellFormed() && data !== '' && value !== '');
        const line = curlLine(request({ body: utf8(data), headers: [['X-Note', value]] })) ?? '';
        const { words, body } = run(line);
        expect(body.toString('utf8')).toBe(data);
        expect(words).toContain(`X-Note: ${value}`);
      }),
      { numRuns: 40 },
    );
  });

  it('writes control characters of a header or an address as codes, and a shell still gets them', () => {
    const value = 'a\u001B]0;x\u0007\u009B2J\u202E%s\'"`$(id)';
    const line = curlLine(request({ body: utf8('{}'), headers: [['X-Note', value]], url: `http://x/\u001B[2J` })) ?? '';
    expect(line).toMatch(/^[\x20-\x7E]+$/);
    expect(run(line).words).toEqual(expect.arrayContaining([`X-Note: ${value}`, 'http://x/\u001B[2J']));
  });

  it('sends bytes that are not valid UTF-8', () => {
    const bytes = Buffer.from([0x2d, 0x00, 0xff, 0x25, 0x5c, 0x27, 0x0a]);
    const line = curlLine(
      request({ body: { encoding: 'base64', data: bytes.toString('base64'), length: 7, truncated: false } }),
    );
    expect(line).toMatch(/^[\x20-\x7E]+$/);
    expect(run(line ?? '').body).toEqual(bytes);
  });
});
