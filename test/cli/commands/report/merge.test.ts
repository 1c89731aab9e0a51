import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sink, Stdio } from '../../../../src/app/stdio.ts';
import { mergeCommand } from '../../../../src/cli/commands/report/merge.ts';
import type { RunStarted } from '../../../../src/journal/event.ts';
import { journalText } from '../../../report/journals.ts';

describe('croupier report merge', () => {
  let cwd: string;
  let out: string;
  let err: string;
  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'merge-'));
    out = '';
    err = '';
    const [head = '', ...rest] = journalText('failing').split('\n');
    const start = JSON.parse(head) as RunStarted;
    const count = { planHash: 'p', divisionHash: 'd', scenarios: 1, players: 1, whole: false, seed: '1' };
    const shard = JSON.stringify({ ...start, shard: { index: 1, count: 1, ...count } });
    writeFileSync(path.join(cwd, 's1.ndjson'), [shard, ...rest].join('\n'));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  const sink = (write: (text: string) => void): Sink => {
    return { write, command: write, writeSecret: write, tty: false, colour: false, columns: 80, rows: 24 };
  };
  const stdio = (): Stdio => ({
    out: sink((text) => {
      out += text;
    }),
    err: sink((text) => {
      err += text;
    }),
    env: {},
    cwd,
    stdinIsTty: false,
    hide: () => {},
    readStdin: async () => '',
    readStdinBytes: async () => new Uint8Array(),
  });
  const merge = (flags: { readonly to: string[]; readonly out?: string }): Promise<number> =>
    mergeCommand(['s1.ndjson'], { github: true, ...flags }, stdio());

  const VERDICT = /^NOT CONFORMING: acme-eu .*\nExit status 1: not conforming\.\n$/;

  it('says the verdict, the exit status and the files that it wrote, if all reports go to files', async () => {
    expect(await merge({ to: ['junit=junit.xml', 'json=report.json'], out: 'whole.ndjson' })).toBe(1);
    expect(out).toMatch(VERDICT);
    expect(err).toBe(
      'The journal of all shards: whole.ndjson\nThe junit report: junit.xml\nThe json report: report.json\n',
    );
  });

  it('says the verdict and the exit status on stderr, if stdout has a report without them', async () => {
    expect(await merge({ to: ['curl=-'] })).toBe(1);
    expect(out).toMatch(/^#!\/bin\/sh/);
    expect(err).toMatch(VERDICT);
  });

  it.each(['terminal', 'json'])('says the verdict once, if the %s report is on stdout', async (kind) => {
    expect(await merge({ to: [`${kind}=-`] })).toBe(1);
    expect(out).toContain('NOT CONFORMING: acme-eu');
    expect(err).toBe('');
  });
});
