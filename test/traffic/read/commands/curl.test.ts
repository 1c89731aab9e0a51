import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { ExchangeRequest } from '../../../../src/journal/exchange.ts';
import { curlLine } from '../../../../src/report/curl.ts';
import type { LoggedRequest } from '../../../../src/traffic/logged-exchange.ts';
import { readCommand } from '../../../../src/traffic/read/commands/read-command.ts';

const BODY = '{"amount":"1.00","note":"it\'s 100% \\"é\\" & <b>","txID":"t-1"}';
const URL = 'https://wallet.example/eu/bet?a=1&b=%20x';

function request(command: string): LoggedRequest {
  const reading = readCommand(command);
  if (reading.kind !== 'request') throw new Error(JSON.stringify(reading));
  return reading.request;
}

const bodyOf = ({ body }: LoggedRequest): string | null | undefined => (body === 'unknown' ? undefined : body?.data);

describe('a command copied from a browser', () => {
  it('is read in the quoting of bash, as Chrome and Firefox write it', () => {
    const read = request(
      `curl '${URL}' \\\n  -X 'POST' \\\n  -H 'content-type: application/json' \\\n  -H 'x-request-sign: abc' \\\n  --data-raw '${BODY.replaceAll("'", "'\\''")}' \\\n  --compressed`,
    );
    expect(read).toMatchObject({ method: 'POST', url: URL });
    expect(read.headers).toEqual([
      ['content-type', 'application/json'],
      ['x-request-sign', 'abc'],
    ]);
    expect(bodyOf(read)).toBe(BODY);
  });

  it('is read with the escapes of $ quotation', () => {
    expect(bodyOf(request('curl http://h/bet --data-raw $\'{"a":"it\\\'s \\u00e9\\n\\x41\\ud83d\\ude00"}\''))).toBe(
      '{"a":"it\'s é\nA😀"}',
    );
  });

  it('is read in the quoting of cmd with carets, as Chrome writes it', () => {
    const json = '^{^\\^"amount^\\^":^\\^"1.00^\\^",^\\^"p^\\^":^\\^"100^%^\\^"^}';
    const read = request(
      `curl ^"https://h/bet?a=1^&b=2^" ^\r\n  -H ^"content-type: application/json^" ^\r\n  --data-raw ^"${json}^"`,
    );
    expect(read).toMatchObject({ method: 'POST', url: 'https://h/bet?a=1&b=2' });
    expect(bodyOf(read)).toBe('{"amount":"1.00","p":"100%"}');
  });

  it('is read in the quoting of PowerShell, for curl.exe and for its own command', () => {
    const own = request(
      `Invoke-WebRequest -UseBasicParsing -Uri "https://h/bet" \`\n-Method POST \`\n-Headers @{\n"x-request-sign"="abc"\n  "a"="b"\n} \`\n-ContentType "application/json" \`\n-Body "{\`"amount\`":\`"1.00\`"}"`,
    );
    expect(own).toMatchObject({ method: 'POST', url: 'https://h/bet' });
    expect(own.headers).toEqual([
      ['x-request-sign', 'abc'],
      ['a', 'b'],
      ['Content-Type', 'application/json'],
    ]);
    expect(bodyOf(own)).toBe('{"amount":"1.00"}');
    expect(bodyOf(request("curl.exe 'http://h/bet' `\n  --data-raw '{\"a\":\"it''s\"}'"))).toBe('{"a":"it\'s"}');
  });

  it('may have its options separate, joined or bundled', () => {
    expect(request('curl -sSiXPOST -dx=1 -H"A: b" h/bet')).toMatchObject({
      method: 'POST',
      url: 'http://h/bet',
      headers: [['A', 'b']],
      body: { data: 'x=1' },
    });
    expect(request('curl -G --data-urlencode "sessionID=a b" --max-time 5 http://h/balance').url).toBe(
      'http://h/balance?sessionID=a%20b',
    );
    expect(request('curl http://h/bet -d @body.json').body).toBe('unknown');
  });

  it('continues while a quotation or a continued line is open', () => {
    expect(readCommand("curl 'http://h/bet").kind).toBe('open');
    expect(readCommand('curl http://h/bet \\').kind).toBe('open');
    expect(readCommand('curl ^"http://h/bet^" ^', undefined, 'cmd').kind).toBe('open');
    expect(readCommand('curl -H a:b')).toEqual({ kind: 'unreadable', why: 'the curl line has no URL' });
  });

  it('is read with a prompt before it, and with the .NET calls that Chrome writes for PowerShell', () => {
    for (const prompt of ['$ ', 'anna@desk ~ % ', 'root@7d9f:/srv# ', 'PS C:\\Users\\anna> ', '[anna@desk eu]$ ']) {
      expect(request(`${prompt}curl http://h/bet -d x`).url).toBe('http://h/bet');
    }
    const body = '{`"name`":`"Zo$([char]235)`"}';
    const command = `Invoke-WebRequest -UseBasicParsing -Uri "http://h/bet" \`\n-Method "POST" \`\n-Body ([System.Text.Encoding]::UTF8.GetBytes("${body}"))`;
    expect(bodyOf(request(command))).toBe('{"name":"Zoë"}');
  });

  it('may have its body in a file or on standard input', () => {
    const files: Readonly<Record<string, string>> = { 'bet.json': `{"a":\n1}\r\n` };
    const read = (command: string) =>
      readCommand(command, (name) => (files[name] === undefined ? undefined : Buffer.from(files[name])));
    const body = (command: string) => {
      const reading = read(command);
      return reading.kind === 'request' ? [bodyOf(reading.request), reading.missing] : reading;
    };
    // As curl does it: -d leaves line ends out.
    expect(body('curl h/bet -d @bet.json')).toEqual(['{"a":1}', null]);
    expect(body('curl h/bet --data-binary @bet.json')).toEqual([files['bet.json'], null]);
    expect(body('curl h/bet --data-raw @bet.json')).toEqual(['@bet.json', null]);
    expect(body('cat bet.json | curl h/bet --json @-')).toEqual([files['bet.json'], null]);
    expect(body(`echo -n '{"a":1}' | curl h/bet --data-binary @-`)).toEqual(['{"a":1}', null]);
    expect(body(`echo '{"a":1}' | curl h/bet --data-binary @-`)).toEqual(['{"a":1}\n', null]);
    expect(body(`printf %s '{"a":"%"}' | curl h/bet -d @-`)).toEqual(['{"a":"%"}', null]);
    expect(body('curl h/bet -d @../lost.json')).toEqual([undefined, '../lost.json']);
    expect(body('curl h/bet -d @-')).toEqual([undefined, 'standard input']);
    expect(body('cat lost.json | curl h/bet -d @-')).toEqual([undefined, 'lost.json']);
  });

  const exotic: readonly ExchangeRequest[] = [BODY, 'tab\there', '{"a":"-%\\u2028\u2028"}'].map((data) => ({
    method: 'POST',
    url: URL,
    headers: [['Content-Type', 'application/json'] as const, ['X-REQUEST-SIGN', "a'b"] as const],
    body: { encoding: 'utf8' as const, data, length: Buffer.byteLength(data), truncated: false },
  }));

  it.each(exotic)('gives the request again that croupier wrote as a curl line: $body.data', (sent) => {
    const line = curlLine(sent) ?? '';
    const read = request(line);
    expect([read.method, read.url, read.headers]).toEqual([sent.method, sent.url, sent.headers]);
    expect(bodyOf(read)).toBe(sent.body?.data);
  });

  it('is split into the same words as in bash', () => {
    const line = `printf '%s\\n' a\\ b 'c'"d $x \\"e\\"" $'f\\tg' --h='i j'`;
    const bash = spawnSync('bash', ['-c', line], { env: { x: '$x' }, encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n');
    const read = request(`curl http://h/bet ${bash.map((_, index) => `-H "n${index}: v"`).join(' ')}`);
    expect(read.headers).toHaveLength(4);
    expect(bash).toEqual(['a b', 'cd $x "e"', 'f\tg', '--h=i j']);
    const words = request(`curl http://h/bet -d a\\ b -d 'c'"d $x \\"e\\"" -d $'f\\tg' -d --h='i j'`);
    expect(bodyOf(words)).toBe(bash.join('&'));
  });
});
