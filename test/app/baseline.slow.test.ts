import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(path.join(cwd, name), text);
const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8');

const entry = (rule: string, more = '', expires = '2999-12-31') =>
  `- rule: ${rule}\n  reason: Release 42 fixes it.\n  ticket: PAY-1\n  expires: ${expires}\n${more}`;

/** Judges the reference operator, which has the given defect, with a baseline. */
async function judged(baseline: string, selection: readonly string[], defect = true) {
  write('baseline.yaml', baseline);
  const args = ['run', '--reference', ...(defect ? ['--defect', 'replayed-bet-charged'] : []), ...selection];
  const reports = ['--report', 'json=r.json', '--report', 'junit=r.xml', '--linger', '10ms'];
  const ended = await croupier([...args, '--baseline', 'baseline.yaml', ...reports], { cwd });
  return { ...ended, out: ended.out.replaceAll(/\s+/g, ' '), firstLine: ended.out.split('\n')[0] };
}

const report = () =>
  JSON.parse(read('r.json')) as { exitCode: number; verdict: string; baseline: { rule: string; state: string }[] };

describe('croupier run --baseline', () => {
  it('lets a listed rule fail, and every report shows it as a known failure', async () => {
    const { status, firstLine, out } = await judged(entry('idempotency.bet'), ['idempotency.bet']);
    expect(firstLine).toMatch(
      /^CONFORMING: demo-eu breaks none of \d+ rules judged, not counting 1 known failure, in the selected part/,
    );
    expect(status).toBe(0);
    expect(out).toContain('Known failures (baseline.yaml)');
    expect(out).toContain('still fails. The baseline allows this until 2999-12-31 (PAY-1): Release 42 fixes it.');
    expect(out).not.toContain('── Failures');
    expect(report()).toMatchObject({ exitCode: 0, verdict: 'conforming', causes: [] });
    expect(report().baseline).toMatchObject([{ rule: 'idempotency.bet', state: 'failing', line: 1 }]);
    expect(read('r.xml')).toMatch(
      /name="idempotency.bet"[^>]*>\s*<skipped message="It still fails\. The baseline allows this until/,
    );
    expect(read('r.xml')).toContain('failures="0"');
  });

  it('fails the run for a failure that is not listed', async () => {
    const { status, firstLine } = await judged(entry('idempotency.win'), ['idempotency.bet']);
    expect(status).toBe(1);
    expect(firstLine).toMatch(/^NOT CONFORMING: demo-eu breaks 1 of/);
    expect(report().baseline).toMatchObject([{ state: 'undecided' }]);
  });

  it('fails the run for a listed rule that is fixed, until its entry is removed', async () => {
    const { status, firstLine, out } = await judged(entry('idempotency.bet'), ['idempotency.bet'], false);
    expect(status).toBe(1);
    expect(firstLine).toBe(
      'NOT CONFORMING TO THE BASELINE: 1 known failure of demo-eu no longer fails: remove its entry from baseline.yaml.',
    );
    expect(out).toContain('the rule no longer fails: remove the entry at line 1 of the baseline (PAY-1)');
    expect(report()).toMatchObject({ exitCode: 1, verdict: 'nonconforming' });
    expect(read('r.xml')).toMatch(/<testsuite name="baseline" tests="1" failures="1"/);
  });

  it('does not count a rule as fixed if only a part of its scenarios was played', async () => {
    const list = entry('reply.success-is-200') + entry('idempotency.bet');
    await judged(list, ['idempotency.bet'], false);
    expect(report().baseline.map(({ state }) => state)).toEqual(['undecided', 'fixed']);
    const { status: partly } = await judged(list, ['idempotency/bet'], false);
    expect(report().baseline.map(({ state }) => state)).toEqual(['undecided', 'undecided']);
    expect(partly).toBe(0);
  });

  it('fails the run for an entry that has expired', async () => {
    const { status, firstLine } = await judged(entry('idempotency.bet', '', '2020-01-01'), ['idempotency.bet']);
    expect(status).toBe(1);
    expect(firstLine).toMatch(/^NOT CONFORMING: .*\. 1 known failure of demo-eu has expired \(baseline\.yaml\)\.$/);
    await judged(entry('win.credit', '', '2020-01-01'), ['idempotency.bet']);
    expect(report().baseline).toMatchObject([{ state: 'expired' }]);
  });

  it('lets a rule fail only at the endpoint, in the scenario and for the client of its entry', async () => {
    const elsewhere = await judged(entry('idempotency.bet', '  scenario: idempotency/durable\n'), ['idempotency.bet']);
    expect(elsewhere.status).toBe(1);
    expect(report().baseline).toMatchObject([{ state: 'undecided' }]);
    const key = 'integrationApiKey: "key-of-acme"';
    write(
      'croupier.yaml',
      `clients:\n  - { extCID: acme, integratorBaseUrl: "http://127.0.0.1:1", ${key}, sessions: [{ sessionID: s1 }] }\n`,
    );
    const another = await judged(entry('idempotency.bet', '  client: acme\n'), ['idempotency.bet']);
    expect(another.status).toBe(1);
    expect(report().baseline).toEqual([]);
  });

  it('refuses a baseline with mistakes before anything is sent, and shows the place of each mistake', async () => {
    const list = [
      entry('idempotency.bett'),
      entry('bet.debit').replace('PAY-1', '"" ').replace('reason', 'raeson'),
      entry('bet.debit', '', '2027-02-30'),
    ].join('');
    const { status, err, out } = await judged(list, []);
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('baseline.yaml:1:9: `rule` is not one of the');
    expect(err).toContain('did you mean `idempotency.bet`?');
    expect(err).toContain('baseline.yaml:6:3: `raeson` is not a key of a known failure');
    expect(err).toContain('baseline.yaml:7:11: `ticket` of the entry for bet.debit is empty');
    expect(err).toContain('baseline.yaml:12:12: `expires` must be a date that exists, such as 2027-03-31');
    expect(err).toContain('4 mistakes in one file. Nothing was sent.');
  });

  it('refuses a client that neither the configuration nor the embedded operator has', async () => {
    const misspelt = await judged(entry('idempotency.bet', '  client: demo-ue\n'), ['idempotency.bet']);
    expect(misspelt).toMatchObject({ status: 2, out: '' });
    expect(misspelt.err).toContain('baseline.yaml:5:11: there is no client `demo-ue`');
    expect(misspelt.err).toContain('did you mean `demo-eu`?');
    const right = await judged(entry('idempotency.bet', '  client: demo-eu\n'), ['idempotency.bet']);
    expect(right.status).toBe(0);
  });

  it('is refused by --list for the same mistakes, and a list without mistakes is printed', async () => {
    const list = (...flags: string[]) => croupier(['run', 'idempotency/bet', '--list', ...flags], { cwd });
    write('baseline.yaml', entry('idempotency.bett'));
    const broken = await list('--baseline', 'baseline.yaml');
    expect(broken).toMatchObject({ status: 2, out: '' });
    expect(broken.err).toContain('baseline.yaml:1:9: `rule` is not one of the');
    expect(await list('--baseline', 'missing.yaml')).toMatchObject({ status: 2, out: '' });
    write('baseline.yaml', entry('idempotency.bet', '  client: other\n'));
    const flags = ['--baseline', 'baseline.yaml', '--ext-cid'];
    expect(await list(...flags, 'acme')).toMatchObject({ status: 2, out: '' });
    expect(await list(...flags, 'other')).toMatchObject({ status: 0, out: (await list()).out });
  });

  it('names all empty fields of an entry that croupier wrote in one mistake', async () => {
    const empty = 'reason: ""\n  ticket: ""\n  expires: # the last day\n';
    const { err } = await judged(`- rule: bet.debit\n  ${empty}- rule: win.credit\n  ${empty}`, []);
    expect(err).toContain('baseline.yaml:2:11: `reason`, `ticket` and `expires` of the entry for bet.debit are empty');
    expect(err).toContain('2 mistakes in one file. Nothing was sent.');
  });

  it('refuses entries that can never match', async () => {
    const list = [
      entry('bet.zero'),
      entry('bet.debit', '  endpoint: win\n'),
      entry('expectation'),
      entry('win.credit', '  scenario: win/cred\n'),
      entry('win.zero'),
      entry('win.zero'),
      entry('reply.json', '  money: false\n'),
      entry('bet.debit', '  scenario: [win/credit, win/cred]\n'),
      entry('win.credit', '  undecided: true\n  scenario: win/credit\n'),
      entry('reply.content-type', '  undecided: true\n'),
      entry('refund.restore', '  moneyIn: { refund/restor: 1 USD }\n'),
      entry('refund.once', '  money: false\n  moneyIn: { refund/once: 1 USD }\n'),
      entry('reply.deadline', '  share: 50%\n'),
      entry('bet.debit', '  otherPlayers: false\n'),
    ].join('');
    const { status, err } = await judged(list, []);
    expect(status).toBe(2);
    expect(err).toContain('`bet.zero` is a NOTE, which never fails a run');
    expect(err).toContain('`bet.debit` is not judged for single endpoints');
    expect(err).toContain('an expectation belongs to a scenario: add `scenario`');
    expect(err).toContain('did you mean `win/credit`?');
    expect(err).toContain('`win.zero` is already listed in line 19');
    expect(err).toContain('baseline.yaml:31:10: `reply.json` is not about money');
    expect(err.match(/baseline\.yaml:(18:13|3\d:\d\d): there is no scenario `win\/cred`/g)).toHaveLength(2);
    expect(err).toContain('an entry with `undecided` is about the whole rule');
    expect(err).toContain('only a MUST rule can leave a run undecided');
    expect(err).toContain('baseline.yaml:52:29: there is no scenario `refund/restor`\n');
    expect(err).toContain('the key `money` allows only failures that move no money');
    expect(err).toMatch(/: `reply\.deadline` is not about money/);
    expect(err).toContain('the key `players` is missing, which says whose calls break the rule');
  });

  it('refuses a share that is not in percent', async () => {
    const { status, err } = await judged(entry('win.credit', '  share: 0.5\n'), []);
    expect(status).toBe(2);
    expect(err).toContain('must be a share in percent, such as 50%');
  });

  it('lets a listed expectation of a scenario fail', async () => {
    write('ours.yaml', 'croupier: 1\ntitle: Ours\nsteps:\n  - balance:\n    expect: { status: 201 }\n');
    const plain = await judged('[]\n', ['ours.yaml'], false);
    expect(plain.status).toBe(1);
    const listed = await judged(entry('expectation', '  scenario: ours\n'), ['ours.yaml'], false);
    expect(listed.firstLine).toMatch(/^CONFORMING/);
  });
});

describe('a listed rule that got worse', () => {
  it('fails as a new failure, and every report says what the baseline does not allow', async () => {
    const narrow = entry('idempotency.bet', '  scenario: [idempotency/durable, money/conservation]\n');
    const { status, firstLine, out } = await judged(narrow, ['idempotency/bet', 'money/conservation']);
    expect(status).toBe(1);
    expect(firstLine).toContain(', 1 of them worse than the baseline allows');
    const said = 'the baseline lists this rule, but not for this failure: it fails in idempotency/bet';
    expect(out.replace(/\s+/g, ' ')).toContain(said);
    expect(read('r.xml')).toContain(`worse: ${said}`);
    expect(report()).toMatchObject({ rules: expect.arrayContaining([expect.objectContaining({ isWorse: true })]) });
    expect(report().baseline).toMatchObject([
      { scenario: 'idempotency/durable', state: 'undecided', checks: 0 },
      { scenario: 'money/conservation', state: 'failing' },
    ]);
  });

  it('never counts as fixed if it fails only now and then, and its rate is shown', async () => {
    const list = entry('idempotency.bet', '  intermittent: true\n');
    const passed = await judged(list, ['idempotency/bet'], false);
    expect(passed.status).toBe(0);
    expect(report().baseline).toMatchObject([{ state: 'passed', failed: 0, intermittent: true }]);
    expect(passed.out).toMatch(
      /failed in 0 of \d+ checks\. The baseline allows until 2999-12-31 that it fails now and then/,
    );
    const failing = await judged(list, ['idempotency/bet']);
    expect(failing.status).toBe(0);
    expect(failing.out).toMatch(
      /failed in [1-9]\d* of \d+ checks?\. The baseline allows until 2999-12-31 that it fails now and then/,
    );
    const over = await judged(list.replace('2999-12-31', '2020-01-01'), ['idempotency/bet'], false);
    expect(over.status).toBe(1);
  });
});

describe('croupier report convert --to baseline', () => {
  it('lists the failing rules with gaps to fill in, and keeps the entries that are filled in', async () => {
    const args = ['run', '--reference', '--defect', 'replayed-bet-charged', 'idempotency.bet', '--linger', '10ms'];
    const first = await croupier([...args, '--journal', 'run.ndjson', '--report', 'baseline=baseline.yaml'], { cwd });
    expect(first.err).toContain('Run again with this baseline, and update the baseline, before a pipeline uses it.');
    expect(read('baseline.yaml')).toContain('- rule: idempotency.bet\n  client: demo-eu\n  scenario:\n    - ');
    const refused = await croupier([...args, '--baseline', 'baseline.yaml'], { cwd });
    expect(refused.status).toBe(2);
    expect(refused.err).toContain('`reason`, `ticket` and `expires` of the entry for idempotency.bet are empty');
    const filled = read('baseline.yaml')
      .replaceAll('""', '"say \\"why\\""')
      .replace(/expires: .*/, 'expires: 2999-01-01');
    write('baseline.yaml', filled);
    const taken = await croupier([...args, '--baseline', 'baseline.yaml', '--report', 'baseline=again.yaml'], { cwd });
    expect(taken.status).toBe(0);
    expect(taken.err).not.toContain('Run again with this baseline');
    // The run does not know how the sums of an older entry were made.
    expect(read('again.yaml')).toBe(
      filled.replaceAll('# the highest sum in one scenario', '# the highest sum that is allowed in one scenario'),
    );
    write('ours.yaml', `# ours\n- rule: win.credit\n  client: other\n${filled.replace(/^#.*\n/, '')}`);
    const ours = read('ours.yaml');
    await croupier(['report', 'convert', 'run.ndjson', '--to', 'baseline=ours.yaml'], { cwd });
    expect(read('ours.yaml')).toBe(ours);
    const wrong = await croupier([...args, '--report', 'baseline=run.ndjson'], { cwd });
    expect([wrong.status, wrong.out]).toEqual([2, '']);
  });
});
