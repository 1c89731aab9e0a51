import { describe, expect, it } from 'vitest';
import type { LoggedRequest } from '../../../../src/traffic/logged-exchange.ts';
import { readCommand } from '../../../../src/traffic/read/commands/read-command.ts';
import { entriesIn } from '../entries-in.ts';

const BET = '{"amount":"1.00","sessionID":"s-1","txID":"t-1"}';
const URL = 'https://wallet.example/eu/bet';

function request(command: string, files: Readonly<Record<string, string>> = {}): LoggedRequest {
  const reading = readCommand(command, (name) => (name in files ? Buffer.from(files[name] ?? '') : undefined));
  if (reading.kind !== 'request') throw new Error(JSON.stringify(reading));
  return reading.request;
}

const bodyOf = ({ body }: LoggedRequest): string | null | undefined => (body === 'unknown' ? undefined : body?.data);

describe('a here-document, a here-string or a redirected file', () => {
  it.each([
    ['a here-document', `curl ${URL} -d @- <<EOF\n${BET}\nEOF`, BET],
    ['one in quotation marks, to the byte', `curl ${URL} \\\n  --data-binary @- <<'END' \n${BET}\nEND\n`, `${BET}\n`],
    ['an indented one', `curl ${URL} --data-binary @- <<-X\n\t${BET}\n\tX`, `${BET}\n`],
    ['one that is piped', `cat <<EOF | curl ${URL} --json @-\n${BET}\nEOF`, `${BET}\n`],
    ['a here-string', `curl ${URL} --data-binary @- <<< '${BET}'`, `${BET}\n`],
    ['a file', `curl ${URL} --data-binary @- < bet.json`, BET],
  ])('gives the body of the request: %s', (_, command, body) => {
    expect(bodyOf(request(command, { 'bet.json': BET }))).toBe(body);
  });

  it('continues until its end mark, and is ignored within quotation marks', () => {
    expect(readCommand(`curl ${URL} -d @- <<EOF\n${BET}`)).toEqual({ kind: 'open' });
    expect(bodyOf(request(`curl ${URL} -d '{"note":"<<EOF"}'`))).toBe('{"note":"<<EOF"}');
  });
});

describe('a curl command with --json', () => {
  it('joins several parts without a sign between them', () => {
    expect(bodyOf(request(`curl ${URL} --json '{"amount":"1.00",' --json '"sessionID":"s-1","txID":"t-1"}'`))).toBe(
      BET,
    );
    expect(bodyOf(request(`curl ${URL} -d a=1 -d b=2`))).toBe('a=1&b=2');
  });
});

describe('a command of PowerShell with variables', () => {
  it('is unreadable if the file does not show the value of its body', () => {
    expect(readCommand(`Invoke-RestMethod -Uri ${URL} -Method Post -Body $body`)).toEqual({
      kind: 'unreadable',
      why: 'its body is $body, whose value is not in the file',
    });
  });

  it('continues until the end of a here-string', () => {
    expect(readCommand(`$body = @'\n${BET}`)).toEqual({ kind: 'open' });
    expect(readCommand(`$body = @'\n${BET}\n'@`)).toEqual({ kind: 'assignment' });
  });

  it.each([
    [`$body = @{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' } | ConvertTo-Json`, '-Body $body'],
    [
      `$body = [ordered]@{\n  amount = "1.00"\n  sessionID = 's-1'\n  txID = 't-1'\n} | ConvertTo-Json -Compress`,
      '-Body $body',
    ],
    [`$body = @{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' }`, '-Body ($body | ConvertTo-Json -Depth 10)'],
    [`$body = @{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' }`, '-Body (ConvertTo-Json $body -Compress)'],
    [`$body = @{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' }`, '-Body (ConvertTo-Json -InputObject $body)'],
    ['', `-Body (@{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' } | ConvertTo-Json)`],
    [
      `$t = @{ amount = "1.00"; sessionID = 's-1'; txID = 't-1' }\n$json = $t | ConvertTo-Json`,
      '-Body ([System.Text.Encoding]::UTF8.GetBytes($json))',
    ],
  ])('may make its body with ConvertTo-Json: %s %s', async (before, option) => {
    const text = `${before}\nInvoke-RestMethod -Uri ${URL} -Method Post ${option} -ContentType 'application/json'\n`;
    const all = await entriesIn(text);
    expect(all.filter(({ kind }) => kind === 'unreadable')).toEqual([]);
    const [call] = all.flatMap((entry) => (entry.kind === 'exchange' ? [entry.exchange] : []));
    expect(call && bodyOf(call.request)).toBe(BET);
    // The exact bytes are not known, so a signature that does not match proves nothing.
    expect(call?.isBodyRewritten).toBe(true);
  });

  it('is unreadable if ConvertTo-Json gets a value that is not in the file', async () => {
    const all = await entriesIn(
      `$body = @{ amount = $stake; txID = [guid]::NewGuid() } | ConvertTo-Json\nInvoke-RestMethod -Uri ${URL} -Method Post -Body $body\n`,
    );
    expect(all.map(({ kind }) => kind)).not.toContain('exchange');
    expect(all.map(({ kind }) => kind)).toContain('unreadable');
  });

  it.each([
    [
      'Invoke-WebRequest : The remote server returned an error: (402) Payment Required.',
      { kind: 'reply', status: 402 },
    ],
    [
      'Invoke-RestMethod: Response status code does not indicate success: 503 (Service Unavailable).',
      { kind: 'reply', status: 503 },
    ],
    ['Invoke-WebRequest : The operation has timed out.', { kind: 'none', reason: 'too-late' }],
    [
      'Invoke-RestMethod: The request was canceled due to the configured HttpClient.Timeout of 5 seconds elapsing.',
      { kind: 'none', reason: 'too-late' },
    ],
    ['Invoke-WebRequest : Unable to connect to the remote server', { kind: 'none', reason: 'refused' }],
    ["Invoke-WebRequest : The remote name could not be resolved: 'w.example'", { kind: 'none', reason: 'unresolved' }],
    ['Invoke-WebRequest : {"code":"insufficient_funds","message":"no"}', { kind: 'unknown' }],
  ])('has the reply that an error line shows: %s', async (line, answer) => {
    const text = `PS C:\\> $body = '${BET}'
PS C:\\> Invoke-WebRequest -Uri ${URL} -Method Post -Body $body
${line}
At line:1 char:1
+ Invoke-WebRequest -Uri ${URL} -Method Post -Body $body
+ ~~~~~~~~~~~~~~~~~
    + CategoryInfo          : InvalidOperation: (System.Net.HttpWebRequest:HttpWebRequest) [Invoke-WebRequest], WebException
    + FullyQualifiedErrorId : WebCmdletWebResponseException,Microsoft.PowerShell.Commands.InvokeWebRequestCommand

PS C:\\> Invoke-WebRequest -Uri https://wallet.example/eu/balance?sessionID=s-1
`;
    const all = await entriesIn(text);
    expect(all.filter(({ kind }) => kind === 'unreadable')).toEqual([]);
    const calls = all.flatMap((entry) => (entry.kind === 'exchange' ? [entry.exchange] : []));
    expect(calls.map(({ request: { url } }) => url)).toEqual([URL, 'https://wallet.example/eu/balance?sessionID=s-1']);
    expect(calls[0]?.answer).toMatchObject(answer);
  });

  it('has the reply that Invoke-RestMethod prints as a table', async () => {
    const all = await entriesIn(
      `PS C:\\> $body = '${BET}'\nPS C:\\> irm ${URL} -Method Post -Body $body\n\nbalance txID\n------- ----\n9.00    op-1\n\n`,
    );
    const [call] = all.flatMap((entry) => (entry.kind === 'exchange' ? [entry.exchange] : []));
    expect(call && bodyOf(call.request)).toBe(BET);
    expect(call?.answer).toMatchObject({ status: 200, body: { data: '{"balance":"9.00","txID":"op-1"}' } });
  });
});

describe('a wget or HTTPie command', () => {
  it.each([
    ['wget', `wget -qO- --header='X-REQUEST-SIGN: ab' --post-data='${BET}' ${URL}`, BET],
    ['wget with a method', `wget --method=PUT --header "x-request-sign: ab" --body-data '${BET}' -O - ${URL}`, BET],
    ['wget with a file', `wget --header='X-Request-Sign: ab' --post-file=bet.json ${URL}`, BET],
    ['HTTPie', `http --raw '${BET}' POST ${URL} X-Request-Sign:ab`, BET],
    ['HTTPie, piped', `echo -n '${BET}' | http POST ${URL} X-Request-Sign:ab`, BET],
    ['HTTPie, a file', `https wallet.example/eu/bet X-Request-Sign:ab < bet.json`, BET],
    [
      'HTTPie, fields',
      `http ${URL} X-Request-Sign:ab amount=1.00 n:=2 note=é`,
      String.raw`{"amount": "1.00", "n": 2, "note": "\u00e9"}`,
    ],
    ['HTTPie, a form', `http -f ${URL} X-Request-Sign:ab 'a=b c'`, 'a=b+c'],
  ])('is read with its method, headers and body: %s', (_, command, body) => {
    const read = request(command, { 'bet.json': BET });
    expect(read).toMatchObject({ method: /PUT/.test(command) ? 'PUT' : 'POST', url: URL });
    expect(read.headers?.map(([name, value]) => [name.toLowerCase(), value])).toEqual([['x-request-sign', 'ab']]);
    expect(bodyOf(read)).toBe(body);
  });

  it.each([
    ["wget -qO- 'https://w.example/balance?sessionID=s-1'", 'https://w.example/balance?sessionID=s-1'],
    ['http https://w.example/balance sessionID==s-1', 'https://w.example/balance?sessionID=s-1'],
    ['http :8080/balance sessionID==s-1', 'http://localhost:8080/balance?sessionID=s-1'],
  ])('is read as a GET without a body: %s', (command, url) => {
    expect(request(command)).toMatchObject({ method: 'GET', url, body: null });
  });

  it('is not found in a log line that begins with HTTP', async () => {
    const all = await entriesIn('HTTP POST /bet responded 200 in 12 ms\nhttps 2026-11-21T13:02:07Z app/a b/c\n');
    expect(all.map(({ kind }) => kind)).toEqual(['exchange', 'unreadable']);
  });
});
