import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_ERROR_CODES } from '../src/contract/error-codes.ts';
import { queryPayload, signBody } from '../src/contract/signature.ts';

const PAGE = readFileSync(new URL('../docs/operators.md', import.meta.url), 'utf8');

/** Returns the text between a heading and the next heading. */
function section(heading: string): string {
  const [, rest = ''] = PAGE.split(`\n${heading}\n`);
  return rest.split(/\n#+ /u)[0] ?? '';
}

describe('docs/operators.md', () => {
  it('shows signatures that the key gives for the body and for the query', () => {
    const [, block = ''] = /```\n([\s\S]*?)```/u.exec(section('### The signature')) ?? [];
    const lines = block
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/u));
    const [key = '', body = '', query = ''] = ['key', 'POST body', 'GET query'].map(
      (name) => lines.find(([label]) => label === name)?.[1] ?? '',
    );
    const signed = queryPayload([...new URLSearchParams(query)]);
    expect(lines).toEqual([
      ['key', key],
      ['POST body', body],
      ['signature', signBody(Buffer.from(body), key)],
      ['GET query', query],
      ['signed', signed],
      ['signature', signBody(Buffer.from(signed), key)],
    ]);
  });

  it('lists exactly the published error codes', () => {
    const rows = section('### Errors')
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.includes('`'));
    const codes = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/gu)].map(([, code]) => code));
    expect(codes).toHaveLength(PUBLISHED_ERROR_CODES.length);
    expect(new Set(codes)).toEqual(new Set(PUBLISHED_ERROR_CODES));
  });
});
