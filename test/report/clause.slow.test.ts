import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clauseText } from '../../src/report/clause.ts';
import { croupier } from '../cli/croupier.ts';

const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-clause-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const LONG_MS = 60_000;
const POSITION = 'Not in the contract: a decision of croupier (docs/positions.md)';

interface Report {
  readonly rules: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly money: boolean;
    readonly clause: string;
  }[];
}

/** The reports of a run against the embedded operator with one defect or variant. */
async function reports(variation: readonly string[], ...words: readonly string[]) {
  const file = (kind: string): string => path.join(cwd, `report.${kind}`);
  const kinds = ['json', 'html', 'markdown', 'junit'].flatMap((kind) => ['--report', `${kind}=${file(kind)}`]);
  const { out } = await croupier(['run', '--reference', ...variation, '--linger', '200ms', ...kinds, ...words], {
    cwd,
  });
  const text = (kind: string): string => readFileSync(file(kind), 'utf8');
  const { rules } = JSON.parse(text('json')) as Report;
  return { terminal: out, html: text('html'), markdown: text('markdown'), junit: text('junit'), rules };
}

it('a rule of the contract names its section and, if it is not the first, its version', () => {
  expect(clauseText({ clause: 'Rules 2', since: '1.0.0' })).toBe('Contract: Rules 2');
  expect(clauseText({ clause: 'Versioning 1.5.0', since: '1.5.0' })).toBe('Contract: Versioning 1.5.0, since 1.5.0');
});

describe('a report', { timeout: LONG_MS }, () => {
  it('says of a position that the contract does not state it, and where it is explained', async () => {
    const all = await reports(['--defect', 'unknown-session-500'], 'session.unknown');
    expect(all.terminal).toContain(POSITION);
    expect(all.html).toContain(POSITION);
    expect(all.junit).toContain(POSITION);
    expect(all.rules.find(({ id }) => id === 'session.unknown')?.clause).toBe('position');
  });

  it('says why a MUST only warns', async () => {
    const why =
      'This is only a warning although the rule is a MUST, because the contract requires a `message` only of a 401.';
    const all = await reports(['--variant', 'declines-without-message'], 'bet/insufficient-funds');
    expect(all.terminal.replace(/\s+/g, ' ')).toContain(why);
    expect(all.html).toContain(why);
  });

  it('has the mark of money only where the call was carried out', async () => {
    const mismatch = ({ rules }: { readonly rules: Report['rules'] }) =>
      rules.find(({ id }) => id === 'signature.mismatch');
    const declined = await reports(['--defect', 'signature-403'], 'signature/mismatch');
    expect(mismatch(declined)).toMatchObject({ verdict: 'fail', money: false });
    expect(declined.terminal).not.toContain('$ money');
    expect(declined.terminal).not.toContain('about money');
    expect(declined.markdown).not.toContain('money at stake');
    expect(declined.junit).not.toContain('MUST $: a call with a wrong signature');

    const done = await reports(['--defect', 'signature-ignored-on-refund'], 'signature/mismatch');
    expect(mismatch(done)).toMatchObject({ verdict: 'fail', money: true });
    expect(done.terminal).toContain('signature.mismatch  MUST  $ money is at stake');
    expect(done.markdown).toContain('money at stake');
  });
});
