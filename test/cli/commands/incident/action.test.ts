import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signBody } from '../../../../src/contract/signature.ts';
import { croupier, type Ended } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const EXAMPLE = path.join(ROOT, 'examples', 'incident');
const DOCS = path.join(ROOT, 'docs', 'incident.md');

const bet = (session: string, tx: string): string =>
  JSON.stringify({ amount: '5.00', roundID: `r-${tx}`, sessionID: session, txID: tx, type: 'regular' });

const KEY = 'a key that is none';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'incident-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const write = (name: string, text: string): string => {
  writeFileSync(path.join(cwd, name), text);
  return name;
};
const incident = (args: readonly string[], stdin = ''): Promise<Ended> =>
  croupier(['incident', ...args], { cwd, stdin });

describe('croupier incident', () => {
  it('prints exactly the outputs that its page shows', async () => {
    const page = readFileSync(DOCS, 'utf8');
    const logged = [...page.matchAll(/```\n\$ croupier (incident [^\n]*)\n([\s\S]*?)```/g)];
    expect(logged.length).toBeGreaterThanOrEqual(3);
    for (const [, command = '', output = ''] of logged) {
      const { out, err, status } = await croupier(command.split(' '), { cwd: EXAMPLE });
      // A line of three points stands for lines that the page leaves out.
      const parts = output.split(/^…\n/m);
      let at = 0;
      for (const part of parts) {
        const found = out.indexOf(part, at);
        expect(found, `${command}\n${out}${err}\nhas not: ${part}`).toBeGreaterThanOrEqual(at);
        at = found + part.length;
      }
      expect([0, 1, 3]).toContain(status);
    }
  });

  it('does not say in the summary that nothing is owed if a call of unknown owner may change that', async () => {
    const call = (seconds: number, url: string, request: string, balance: string, txID: string): string =>
      `${JSON.stringify({ time: `2026-11-26T01:57:0${seconds}Z`, method: 'POST', url, requestBody: request, status: 200, responseBody: JSON.stringify({ balance, txID }) })}\n`;
    const win = '{"amount":"5.00","roundID":"r","sessionID":"s-1","txID":"w","type":"regular"}';
    const file = write(
      'summary.log',
      [
        call(1, '/bet', bet('s-1', 'a'), '90.00', 'op-1'),
        call(2, '/bet', bet('s-2', 'b'), '90.00', 'op-2'),
        call(3, '/win', win, '95.00', 'op-3'),
        call(4, '/win', win, '100.00', 'op-4'),
        call(5, '/bet', '{"amount":"***","roundID":"***","sessionID":"***","txID":"***"}', '***', 'op-5'),
      ].join(''),
    );
    const { out, status } = await incident([file]);
    expect(status).not.toBe(0);
    expect(out).toContain('wallets, the worst first');
    expect(out).not.toContain('nothing is owed');
  });

  it('prints JSON that follows its schema', async () => {
    const { out, status } = await croupier(
      ['incident', '--service', 'service.log', '--operator', 'wallet.log', '--json'],
      {
        cwd: EXAMPLE,
      },
    );
    const json = JSON.parse(out) as { wallets: object[] };
    const validate = new Ajv2020({ strict: false }).compile(
      JSON.parse(readFileSync(path.join(ROOT, 'schema', 'incident.json'), 'utf8')) as object,
    );
    validate(json);
    expect(validate.errors).toBeNull();
    expect(status).toBe(1);
    expect(json).toMatchObject({
      schema: 'croupier-incident/1',
      exitCode: 1,
      clocks: { operatorAheadMs: 2328, pairs: 4 },
      wallets: [
        {
          player: '4711',
          should: '102.50',
          lastSaid: '82.50',
          difference: '-20',
          debts: [{ kind: 'refund-pending', amount: '20', owedBy: 'operator' }],
        },
      ],
    });
  });

  it('judges the calls of a journal', async () => {
    const wallet = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ balance: request.method === 'GET' ? '80.00' : '100.00', txID: 'w-1' }));
      });
    });
    await new Promise<void>((resolve) => {
      wallet.listen(0, '127.0.0.1', resolve);
    });
    const { port } = wallet.address() as AddressInfo;
    try {
      const flags = [
        '--base-url',
        `http://127.0.0.1:${port}`,
        '--ext-cid',
        'acme',
        '--session',
        's-1,player=p1,currency=EUR',
        '--linger',
        '50ms',
      ];
      await croupier(['run', 'bet.debit', ...flags, '--journal', 'run.ndjson'], {
        cwd,
        env: { CROUPIER_KEY: 'a-key-of-the-test' },
      });
      const { out, status } = await incident(['run.ndjson', '--player', 'p1']);
      expect(status).toBe(1);
      expect(out).toContain('breaks bet.debit');
      expect(out).not.toContain('a-key-of-the-test');
    } finally {
      wallet.close();
    }
  });

  it('shows the facts that an access log contains', async () => {
    const line = '10.0.0.1 - - [21/Nov/2026:14:03:07 +0100] "POST /eu/bet HTTP/1.1" 500 52';
    const { out, status } = await incident([write('alone.log', line)]);
    expect(status).toBe(3);
    expect(out).toContain('bet of an unknown amount: 500');
    expect(out).toMatch(/^It is unknown whether the player \(not named in the logs\) has the correct balance/);
  });

  it('reads a curl line with its reply from standard input', async () => {
    const text = `curl -X POST 'http://h/eu/bet' --data-raw '${bet('s-1', 't-1')}'\nHTTP/1.1 500 Internal Server Error\n\n{"message":"at Wallet.bet(Wallet.java:17)"}\n`;
    const { out, status } = await incident(['-'], text);
    expect(status).toBe(1);
    expect(out).toContain('the bet of 5.00 (txID t-1) was answered 500, may have been taken and was never refunded');
    expect(out).toContain('the `message` contains a stack trace');
  });

  it('finds one player in a long log without much memory', async () => {
    const lines: string[] = [];
    for (let index = 0; index < 60_000; index += 1) {
      const session = `s-${index % 500}`;
      const responseBody = { balance: '95.00', txID: `w-${index}` };
      lines.push(
        JSON.stringify({
          time: 1_795_266_187_000 + index,
          method: 'POST',
          url: '/bet',
          status: 200,
          requestBody: bet(session, `t-${index}`),
          responseBody,
          player: `p-${index % 500}`,
        }),
      );
    }
    const file = write('long.log', `${lines.join('\n')}\n`);
    const one = JSON.parse((await incident([file, '--player', 'p-7', '--json'])).out) as {
      calls: object[];
      read: object;
    };
    expect(one.calls).toHaveLength(120);
    expect(one.read).toMatchObject({ calls: 60_000, cut: false });
    const round = JSON.parse((await incident([file, '--round', 'r-t-9', '--json'])).out) as { calls: object[] };
    expect(round.calls).toHaveLength(1);
  }, 30_000);

  it('uses players, currencies and paths of the configuration, and never prints its keys', async () => {
    const key = 'the-integration-key-of-acme';
    const config = [
      'clients:',
      '  - extCID: acme',
      '    integratorBaseUrl: https://wallet.example',
      '    integrationApiKey: ${ACME_KEY}',
      '    paths: { bet: /v2/place-bet }',
      '    sessions: [{ sessionID: s-1, player: p9, currency: EUR }]',
    ];
    const line = { method: 'POST', url: '/v2/place-bet', status: 500, requestBody: bet('s-1', key) };
    const args = [
      'incident',
      write('paths.log', JSON.stringify(line)),
      '--player',
      'p9',
      '--config',
      write('paths.yaml', config.join('\n')),
    ];
    for (const json of [[], ['--json']]) {
      const { out, status } = await croupier([...args, ...json], { cwd, env: { ACME_KEY: key } });
      expect(status).toBe(1);
      expect(out).toMatch(/bet of 5\.00(?: EUR)?: 500/);
      expect(out).not.toContain(key);
    }
  });

  it('escapes control characters in logs', async () => {
    const line = {
      method: 'POST',
      url: '/bet',
      status: 500,
      requestBody: { sessionID: 's\u001B[2J', txID: 't\u202E', amount: '1.00' },
    };
    const { out } = await incident([write('hostile.log', JSON.stringify(line))]);
    expect(out).toContain('s\\x1b[2J');
    expect(out).toContain('t\\u{202e}');
    expect(out).not.toMatch(/[\u001B\u202E]/);
  });

  it("reports an accepted signature of another client's key", async () => {
    const clients = ['eu', 'us'].map(
      (brand) =>
        `  - { extCID: ${brand}, integratorBaseUrl: "https://wallet.example/${brand}", integrationApiKey: "the key of ${brand}" }\n`,
    );
    const config = write('brands.yaml', `clients:\n${clients.join('')}`);
    const line = (brand: string, url: string, status = 200): string => {
      const requestBody = bet('s-1', `t-${brand}`);
      const headers = { 'X-REQUEST-SIGN': signBody(Buffer.from(requestBody), `the key of ${brand}`) };
      return `${JSON.stringify({ method: 'POST', url, headers, requestBody, status, responseBody: status === 200 ? { balance: '1.00' } : { message: 'no' } })}\n`;
    };
    const whole = 'https://wallet.example/eu/bet';
    const files = [
      write('brands.log', line('eu', whole) + line('us', whole)),
      // Most logs have only the path of an address.
      write('paths.log', line('eu', '/eu/bet') + line('us', '/eu/bet')),
    ];
    for (const file of files) {
      const { out, status } = await incident([file, '--config', config]);
      expect(status).toBe(1);
      expect(out.match(/breaks signature\.\S+/g)).toEqual(['breaks signature.client-key:']);
      expect(out).not.toContain('the key of');
    }
    for (const url of ['/eu/bet', '/bet']) {
      const { out } = await incident([write('refused.log', line('us', url, 401)), '--config', config]);
      expect(out).not.toContain('breaks');
    }
  });

  it('verifies signatures with the given keys, also of body files beside the log', async () => {
    const body = bet('s-1', 't-1');
    write('bet.json', body);
    write('key', `${KEY}\n`);
    const line = (sign: string, file: string): string =>
      `curl -X POST http://h/bet -H 'X-REQUEST-SIGN: ${sign}' --data-binary @${file}\nHTTP/1.1 401 Unauthorized\n\n{"message":"no"}\n`;
    const right = signBody(Buffer.from(body), KEY);
    const file = write(
      'signed.txt',
      line(right, '/somewhere/bet.json') + line('0'.repeat(64), 'bet.json') + line(right, 'lost.json'),
    );
    const none = await incident([file]);
    expect(none.out).not.toContain('Signatures');
    const { out, status } = await incident([file, '--key-file', 'key']);
    expect(status).toBe(1);
    expect(out).toContain(
      'breaks signature.accepted: expected a correctly signed call is accepted; the call was answered 401',
    );
    expect(out).toContain('signature wrong, signed.txt:5');
    expect(out).toContain('Signatures, verified with the given keys: 1 right, 1 wrong');
    expect(out).toContain('signed.txt:9: its body is in lost.json, which is not in the folder of the file');
    expect(out).not.toContain(KEY);
    const explained = await croupier(['explain', file, '--key-file', 'key'], { cwd });
    expect(explained.err).toBe('');
  });

  it('reads times of day in the time zone, on the day of the log', async () => {
    const at = (time: string, tx: string): string =>
      JSON.stringify({ time, method: 'POST', url: '/bet', status: 402, requestBody: bet('s-1', tx) });
    const file = write(
      'zone.log',
      [at('2026-11-21 14:02:59', 't-1'), at('2026-11-21 14:03:30', 't-2'), at('2026-11-21T13:04:00Z', 't-3')].join(
        '\n',
      ),
    );
    const { out } = await incident([file, '--zone', 'Europe/Berlin', '--from', '14:03', '--to', '14:03']);
    expect([...out.matchAll(/txID (t-\d)/g)].map(([, tx]) => tx)).toEqual(['t-2']);
    expect(out).toContain('croupier reads a time of day as a time on 2026-11-21');
    expect(out).toContain('2 log entries have a time without a zone. croupier assumes the zone Europe/Berlin');
  });

  it.each([
    [['nowhere.log'], "nowhere.log can't be read: there is no such file."],
    [['.'], '. is a folder'],
    [['empty.log'], 'The files are empty'],
    [['other.log', '--player', '9'], 'The files name no player'],
    [
      ['other.log', '--session', 'none'],
      'The only call is not selected. The files have no session none. They have only s-1.',
    ],
    [['access.log', '--session', 's-1'], 'The only call does not name a session or a transaction'],
    [['other.log', '--zone', 'Atlantis'], 'there is no time zone Atlantis'],
    [['other.log', '--field', 'sesion=x'], 'Did you mean session?'],
    [['other.log', '--pattern', '('], '--pattern is not a regular expression'],
    [['repeated.log', '--pattern', '^(?<session>(a+)+)$'], 'The files have no call of the service'],
    [
      ['repeated.log', '--pattern', '(?=a)^(?<session>(a+)+)$'],
      'The expression of --pattern needs more than 1 s for a line of 60',
    ],
    [['other.log', '--from', 'noon'], '--from noon: write a time such as 14:03'],
    [['other.log', '--from', '14:03'], 'The files contain no date, so a time of day is not enough'],
    [['-', '--operator', '-'], 'can be read only once'],
  ])('refuses %j with a reason', async (args, message) => {
    write('empty.log', '');
    write('repeated.log', `${'a'.repeat(59)}b\n`);
    write('other.log', JSON.stringify({ method: 'POST', url: '/bet', status: 402, requestBody: bet('s-1', 't-1') }));
    write('access.log', '10.0.0.1 - - [21/Nov/2026:14:03:07 +0100] "POST /eu/bet HTTP/1.1" 200 52');
    const { err, out, status } = await incident(args);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['unknown.log', 'could not read 1 line that may be a call. The first one is unknown.log:1: its format is unknown'],
    ['capture.pcap', 'it looks like a packet capture (pcap): save each HTTP stream as text'],
  ])('leaves open what is in a file that it cannot read: %s', async (file, message) => {
    write('unknown.log', 'wallet sessionID s-1 txID t-1 took 5.00');
    write('capture.pcap', '\n\r\r\n and some calls in binary form');
    const { err, out, status } = await incident([file]);
    expect([status, out]).toEqual([3, '']);
    expect(err).toContain(message);
  });

  it('has a help page that lists its fields', async () => {
    const { out, status } = await incident(['--help']);
    expect(status).toBe(0);
    expect(out).toContain('--operator wallet.log');
    expect(out).toContain('Exit status: 0 nothing is wrong, 1 a rule was broken or something is owed');
  });
});
