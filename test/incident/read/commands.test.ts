import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/incident/read/curl.ts';
import type { SeenRequest } from '../../../src/incident/seen.ts';
import { exchangesIn, sightingsIn } from '../reading.ts';

const BET = '{"amount":"1.00","sessionID":"s-1","txID":"t-1"}';
const URL = 'https://wallet.example/eu/bet';

function request(command: string, files: Readonly<Record<string, string>> = {}): SeenRequest {
  const reading = readCommand(command, (name) => (name in files ? Buffer.from(files[name] ?? '') : undefined));
  if (reading.kind !== 'request') throw new Error(JSON.stringify(reading));
  return reading.request;
}

const bodyOf = ({ body }: SeenRequest): string | null | undefined => (body === 'untold' ? undefined : body?.data);

describe('input that is written within the command', () => {
  it.each([
    ['a here-document', `curl ${URL} -d @- <<EOF\n${BET}\nEOF`, BET],
    ['one in quotation marks, to the byte', `curl ${URL} \\\n  --data-binary @- <<'END' \n${BET}\nEND\n`, `${BET}\n`],
    ['an indented one', `curl ${URL} --data-binary @- <<-X\n\t${BET}\n\tX`, `${BET}\n`],
    ['one that is piped', `cat <<EOF | curl ${URL} --json @-\n${BET}\nEOF`, `${BET}\n`],
    ['a here-string', `curl ${URL} --data-binary @- <<< '${BET}'`, `${BET}\n`],
    ['a file', `curl ${URL} --data-binary @- < bet.json`, BET],
  ])('is the body: %s', (_, command, body) => {
    expect(bodyOf(request(command, { 'bet.json': BET }))).toBe(body);
  });

  it('goes on until its end, and is none within quotation marks', () => {
    expect(readCommand(`curl ${URL} -d @- <<EOF\n${BET}`)).toEqual({ kind: 'open' });
    expect(bodyOf(request(`curl ${URL} -d '{"note":"<<EOF"}'`))).toBe('{"note":"<<EOF"}');
  });
});

describe('other programs', () => {
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
  ])('are read: %s', (_, command, body) => {
    const read = request(command, { 'bet.json': BET });
    expect(read).toMatchObject({ method: /PUT/.test(command) ? 'PUT' : 'POST', url: URL });
    expect(read.headers?.map(([name, value]) => [name.toLowerCase(), value])).toEqual([['x-request-sign', 'ab']]);
    expect(bodyOf(read)).toBe(body);
  });

  it.each([
    ["wget -qO- 'https://w.example/balance?sessionID=s-1'", 'https://w.example/balance?sessionID=s-1'],
    ['http https://w.example/balance sessionID==s-1', 'https://w.example/balance?sessionID=s-1'],
    ['http :8080/balance sessionID==s-1', 'http://localhost:8080/balance?sessionID=s-1'],
  ])('ask without a body: %s', (command, url) => {
    expect(request(command)).toMatchObject({ method: 'GET', url, body: null });
  });

  it('are not seen where a log speaks of HTTP', async () => {
    const all = await sightingsIn('HTTP POST /bet responded 200 in 12 ms\nhttps 2026-11-21T13:02:07Z app/a b/c\n');
    expect(all.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable']);
  });
});

describe('a body that a terminal shows without its status', () => {
  const curl = `curl ${URL} -d '${BET}'\n`;

  it.each([
    ['of success', '{"txID":"o-1","balance":"9.00"}\n', 200],
    ['with its status behind it', '{"message":"no"}402\n', 402],
    ['before a prompt', '{"txID":"o-1","balance":"9.00"}user@host:~$ \n', 200],
    ['on several lines', '{\n  "txID": "o-1",\n  "balance": "9.00"\n}\n', 200],
  ])('is the reply: one %s', async (_, reply, status) => {
    const exchanges = await exchangesIn(`${curl}${reply}${curl}`);
    expect(exchanges.map(({ answer }) => answer.kind)).toEqual(['reply', 'untold']);
    expect(exchanges[0]).toMatchObject({ answer: { status } });
  });

  it('is of unknown status where it is an error', async () => {
    const [exchange] = await exchangesIn(`${curl}{"code":"insufficient_funds","message":"no"}\n`);
    expect(exchange).toMatchObject({ answer: { kind: 'untold' }, told: { code: 'insufficient_funds' } });
  });

  it('is none where it is the line of a log', async () => {
    const line = JSON.stringify({
      time: '2026-11-21T13:02:07Z',
      url: '/balance?sessionID=s-1',
      method: 'GET',
      status: 200,
    });
    const exchanges = await exchangesIn(`${curl}${line}\n`);
    expect(exchanges.map(({ answer }) => answer.kind)).toEqual(['untold', 'reply']);
  });
});

describe('a log of IIS', () => {
  it('is read by the columns that it names, in UTC', async () => {
    const log = [
      '#Software: Microsoft Internet Information Services 10.0',
      '#Fields: date time cs-method cs-uri-stem cs-uri-query cs(User-Agent) sc-status time-taken',
      '2026-11-21 13:02:00 GET /eu/balance sessionID=s-1 x+y 200 101',
      '2026-11-21 13:02:05 POST /eu/bet - - 500 6001',
      'torn',
    ].join('\r\n');
    const all = await sightingsIn(log);
    expect(all.map(({ kind }) => kind)).toEqual(['other', 'other', 'exchange', 'exchange', 'unreadable']);
    expect(all[2]).toMatchObject({
      exchange: {
        side: 'operator',
        time: { ms: Date.parse('2026-11-21T13:02:00Z') },
        tookMs: 101,
        request: { method: 'GET', url: '/eu/balance?sessionID=s-1' },
        answer: { status: 200 },
      },
    });
    expect(all[3]).toMatchObject({ exchange: { request: { body: 'untold' }, answer: { status: 500 } } });
  });
});

describe('a JSON log that calls the body its request', () => {
  it('is read so, and a request that is more than its body is not', async () => {
    const body: unknown = JSON.parse(BET);
    const [plain, whole] = await exchangesIn(
      [
        { path: '/bet', method: 'POST', request: body, status: 200 },
        { request: { method: 'POST', url: '/bet' }, status: 200 },
      ]
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
    expect(plain?.request.body).toMatchObject({ data: BET });
    expect(whole?.request).toMatchObject({ url: '/bet', body: 'untold' });
  });
});
