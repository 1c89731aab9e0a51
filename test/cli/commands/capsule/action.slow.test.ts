import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended, line, start } from '../../croupier.ts';

let cwd = '';
let ids: readonly string[] = [];
let map: Readonly<Record<string, string>> = {};

const run = (...args: readonly string[]): Promise<Ended> => croupier(args, { cwd });
const read = (name: string): string => readFileSync(path.join(cwd, name), 'utf8');
const json = (name: string): unknown => JSON.parse(read(name)) as unknown;

/** Replaces the aliases in an output by the ids that they stand for. */
function unmasked(text: string): string {
  let result = text;
  for (const [alias, id] of Object.entries(map)) result = result.replaceAll(alias, id);
  return result;
}

beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'capsule-'));
  const operator = start(['serve', 'operator', '--defect', 'refund-half', '--write-config', 'croupier.yaml'], { cwd });
  try {
    await line(operator, 'operator ');
    const of = ['refund/restore', 'signature/mismatch', 'refund/broken-connection'];
    await run(
      'run',
      ...of,
      '--client',
      'demo-eu',
      '--journal',
      'run.ndjson',
      '--report',
      'har=run.har,json=report.json',
    );
  } finally {
    operator.kill();
    await once(operator, 'close');
  }
  const { settings } = JSON.parse(read('run.ndjson').split('\n', 1)[0] ?? '') as {
    settings: { sessions: { sessionID: string; player: string }[] };
  };
  ids = settings.sessions.flatMap(({ sessionID, player }) => [sessionID, player]);
  const made = await run('capsule', 'run.ndjson', 'run.har', 'report.json', '--out', 'ticket', '--map', 'map.json');
  expect(made).toMatchObject({ status: 0, out: '' });
  map = json('map.json') as typeof map;
}, 120_000);
afterAll(() => rmSync(cwd, { recursive: true }));

describe('croupier capsule', () => {
  it('removes sessions and players, plain and encoded', () => {
    expect(ids.length).toBeGreaterThan(10);
    for (const name of readdirSync(path.join(cwd, 'ticket'))) {
      const text = read(`ticket/${name}`);
      for (const secret of ids) {
        const bytes = Buffer.from(secret);
        const forms = [
          secret,
          bytes.toString('base64').replace(/=+$/, ''),
          bytes.toString('hex'),
          encodeURIComponent(secret),
        ];
        for (const form of forms) {
          // The name of a player may be a part of another word.
          const found = new RegExp(`(?<![A-Za-z])${form.replace(/[+/.*]/g, '\\$&')}(?![A-Za-z])`).exec(text);
          expect(found && text.slice(found.index - 40, found.index + 40)).toBeNull();
        }
      }
      expect(text).not.toMatch(/[0-9a-f]{64}/);
    }
  });

  it('replaces the player of a CSV, whose name is only in the header', async () => {
    const request = '"{""amount"":""1.00"",""sessionID"":""s-771"",""txID"":""t-1""}"';
    const rows = [
      '@timestamp,method,path,status,request,player',
      `2026-11-23T13:00:00Z,POST,/bet,402,${request},90017`,
    ];
    writeFileSync(path.join(cwd, 'kibana.csv'), `${rows.join('\n')}\n`);
    const { status } = await run('capsule', 'kibana.csv', '--out', 'kibana-capsule.csv');
    expect([status, read('kibana-capsule.csv')]).toEqual([0, expect.stringMatching(/,player-[0-9a-f]{10}\n$/)]);
    expect(read('kibana-capsule.csv')).not.toContain('90017');
  });

  it('removes keys from every place of a file', async () => {
    const key = read('.croupier/demo-eu.key').trim();
    const bytes = Buffer.from(key);
    const forms = [key, bytes.toString('base64'), bytes.toString('hex'), bytes.toString('base64url')];
    writeFileSync(path.join(cwd, 'keys.log'), forms.map((form) => `14:03 hmac with ${form} of anna\n`).join(''));
    const { out } = await run('capsule', 'keys.log');
    expect(out.split('\n').slice(0, -1)).toHaveLength(forms.length);
    for (const form of [...forms, 'anna']) expect(out).not.toContain(form.replace(/.?=*$/, ''));
  });

  it.each(['run.ndjson', 'run.har'])('lets croupier incident give the same result for %s as before', async (name) => {
    const [before, after] = [await run('incident', name, '--json'), await run('incident', `ticket/${name}`, '--json')];
    expect(after.status).toBe(before.status);
    expect(unmasked(after.out).replaceAll(`ticket/${name}`, name)).toBe(before.out);
  });

  it('lets croupier replay send the same calls as before', async () => {
    const args = ['--reference', '--no-wait', '--linger', '200ms', '--json', '--round'];
    const refund = read('run.ndjson')
      .split('\n')
      .find((event) => event.includes('"scenario":"refund/restore"') && event.includes('origTxID'));
    const round = /"roundID\\":\\"([^"\\]+)/.exec(refund ?? '')?.[1] ?? '';
    const results = await Promise.all(
      ['run.ndjson', 'ticket/run.ndjson'].map(async (name) => await run('replay', name, ...args, round)),
    );
    const logged = results.map(({ out, status }) => {
      const { verdict, wrong, calls } = JSON.parse(out) as { verdict: string; wrong: object; calls: object[] };
      return { status, verdict, wrong, calls };
    });
    expect(logged[0]?.calls).toMatchObject([{ call: 'bet' }, { call: 'refund', verdict: 'differs' }]);
    expect(logged[1]).toEqual(logged[0]);
  }, 60_000);

  it('lets report convert write the same reports as before', async () => {
    await run('report', 'convert', 'run.ndjson', '--to', 'junit=a.xml,json=a.json');
    await run('report', 'convert', 'ticket/run.ndjson', '--to', 'junit=b.xml,json=b.json');
    const verdicts = (name: string) =>
      (json(name) as { rules: { id: string; verdict: string; reason: string }[] }).rules.map(
        ({ id, verdict, reason }) => ({ id, verdict, reason: reason && unmasked(reason) }),
      );
    expect(verdicts('b.json')).toEqual(verdicts('a.json'));
    expect(verdicts('ticket/report.json')).toEqual(verdicts('report.json'));
  });

  it('records for each call whether its signature was right, because it cannot be verified any more', () => {
    const sent = read('ticket/run.ndjson')
      .split('\n')
      .filter((each) => each.includes('"event":"sending"'))
      .map((each) => JSON.parse(each) as { scenario: string | null; purpose: string; signature: string });
    const ofSteps = sent.filter(({ purpose }) => purpose === 'step');
    expect(new Set(sent.map(({ signature }) => signature))).toEqual(new Set(['right', 'wrong', 'missing']));
    expect(
      ofSteps.filter(({ scenario }) => scenario?.startsWith('refund/')).every(({ signature }) => signature === 'right'),
    ).toBe(true);
    const { log } = json('ticket/run.har') as { log: { entries: { _croupier: { signature: string } }[] } };
    expect(log.entries.map(({ _croupier }) => _croupier.signature)).toEqual(sent.map(({ signature }) => signature));
  });

  it('makes the same aliases with the same salt, and other aliases with another salt', async () => {
    const [again, other] = [
      await run('capsule', 'run.ndjson'),
      await run('capsule', 'run.ndjson', '--salt', 'other.salt'),
    ];
    expect(again.out).toBe(read('ticket/run.ndjson'));
    expect(other.out).not.toBe(again.out);
    expect(statSync(path.join(cwd, '.croupier/capsule.salt')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(cwd, 'map.json')).mode & 0o777).toBe(0o600);
  });

  it('removes cookies, authorization and configured headers from HARs and curl lines, and keeps bodies that are not text', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('of eu-x-99'), Buffer.from([0xfe])]);
    const entry = {
      startedDateTime: '2026-11-21T14:03:07.200+01:00',
      time: 5,
      request: {
        method: 'POST',
        url: 'https://wallet.example/eu/bet?sessionID=eu-x-99',
        headers: [
          { name: 'Cookie', value: 'sid=crumbs' },
          { name: 'X-Gateway', value: 'let-me-in' },
          { name: 'Accept', value: 'application/json' },
        ],
        cookies: [{ name: 'sid', value: 'crumbs' }],
        postData: {
          mimeType: 'text/plain',
          text: '{"sessionID":"eu-x-99","amount":"5.00"}',
          params: [
            { name: 'password', value: 'let-me-out', comment: 'password=let-me-see' },
            { name: 'email', value: 'eva@example.com' },
          ],
          comment: 'sent with secret=let-me-try',
        },
      },
      response: {
        status: 200,
        headers: [],
        content: { size: bytes.length, encoding: 'base64', text: bytes.toString('base64') },
      },
    };
    writeFileSync(path.join(cwd, 'browser.har'), JSON.stringify({ log: { version: '1.2', entries: [entry] } }));
    writeFileSync(
      path.join(cwd, 'calls.sh'),
      "curl https://h/eu/balance?sessionID=eu-x-99 -H 'Authorization: Basic crumbs'\n",
    );
    const { err } = await run('capsule', 'browser.har', 'calls.sh', '--out', 'two/', '--header', 'x-gateway');
    expect(err).toContain('1 session');
    const [har, curl] = [read('two/browser.har'), read('two/calls.sh')];
    expect(har + curl).not.toMatch(/crumbs|let-me|eu-x-99|eva@/);
    expect(har).toContain('"application/json"');
    const { log } = JSON.parse(har) as {
      log: { entries: { response: { content: { text: string; size: number } } }[] };
    };
    const content = log.entries[0]?.response.content;
    const kept = Buffer.from(content?.text ?? '', 'base64');
    expect([kept[0], kept[1], kept.at(-1), kept.length]).toEqual([0xff, 0x00, 0xfe, content?.size]);
    expect(kept.toString('latin1')).toMatch(/of session-[0-9a-f]{10}/);
  });

  it('keeps a scenario valid', async () => {
    await run('replay', 'run.ndjson', '--round', 'none', '--scenario', 'none.yaml');
    writeFileSync(
      path.join(cwd, 'scenario.yaml'),
      'croupier: 1\ntitle: Calls of anna\nrules: [bet.debit]\nneeds: { second: { player: other } }\nsteps:\n  - bet: { amount: "1.00" }\n  - balance: { session: second }\n',
    );
    const { out, status } = await run('capsule', 'scenario.yaml');
    expect(status).toBe(0);
    expect(out).toMatch(/^title: Calls of player-[0-9a-f]{10}$/m);
    expect(out).toContain('needs: { second: { player: other } }');
  });

  it.each([
    ['run.ndjson --out run.ndjson', 'would be overwritten'],
    ['run.ndjson run.har', 'need a folder'],
    ['missing.har', 'there is no such file'],
    ['run.ndjson --salt croupier.yaml/x', 'The salt can’t be read'.replace('’', "'")],
  ])('refuses %s: %s', async (args, why) => {
    const { status, err, out } = await run('capsule', ...args.split(' '));
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(why);
  });
});

describe('a capsule of selected calls', () => {
  const entry = (session: string, call: 'bet' | 'win', balance: string, more: object = {}): string =>
    JSON.stringify({
      time: '2026-11-23T14:00:00.123Z',
      method: 'POST',
      path: `/${call}`,
      status: 200,
      player: `player-of-${session}`,
      requestBody: {
        amount: '1.00',
        roundID: `r-${session}`,
        sessionID: session,
        txID: `${call}-${session}`,
        type: 'regular',
      },
      responseBody: { balance, txID: `o-${session}` },
      ...more,
    });
  const log = ['alpha-1', 'beta-2'].flatMap((session) => [
    entry(session, 'bet', '9.00'),
    entry(session, 'win', '10.00'),
  ]);

  it('has only the calls of their players, and gives the same verdict', async () => {
    writeFileSync(path.join(cwd, 'two.log'), `${log.join('\n')}\n`);
    const made = await run('capsule', 'two.log', '--session', 'beta-2', '--out', 'one.ndjson', '--map', 'one.json');
    expect(made.status).toBe(0);
    const written = read('one.ndjson');
    expect(written.split('\n').filter((each) => each !== '')).toHaveLength(2);
    expect(written).not.toMatch(/alpha-1|beta-2/);
    const { out, status } = await run('incident', 'one.ndjson');
    expect(status).toBe(0);
    expect(out).toContain('should have 10.00, and the operator said 10.00');
  });

  it('needs a log or a HAR', async () => {
    const { status, err } = await run('capsule', 'run.ndjson', '--player', 'p', '--out', 'none.ndjson');
    expect(status).toBe(2);
    expect(err).toContain('calls can be selected in logs and HARs');
  });
});
