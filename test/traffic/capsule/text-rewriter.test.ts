import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Aliases } from '../../../src/traffic/capsule/aliases.ts';
import { IdReplacer } from '../../../src/traffic/capsule/id-replacer.ts';
import { Secrets } from '../../../src/traffic/capsule/secrets.ts';
import { TextRewriter } from '../../../src/traffic/capsule/text-rewriter.ts';
import * as fc from '../../properties.ts';

const digest = (text: string): string => createHmac('sha256', 'salt').update(text).digest('hex');
const alias = (kind: string, id: string): string => `${kind}-${digest(id).slice(0, 10)}`;

/** Learns from all texts, then rewrites the last. */
function rewrite(...texts: readonly string[]): string {
  const known = { aliases: new Aliases(digest), secrets: new Secrets() };
  for (const text of texts) new TextRewriter({ ...known, replacer: null }).rewrite(text);
  const replacer = new IdReplacer({ aliases: known.aliases.all, secrets: known.secrets.all });
  return new TextRewriter({ ...known, replacer }).rewrite(texts.at(-1) ?? '');
}

const S = alias('session', 's-1');
const P = alias('player', '4711');

describe('TextRewriter', () => {
  it.each([
    ['JSON, to the byte', '{ "amount": 11.00,\n"sessionID":"s-1" }', `{ "amount": 11.00,\n"sessionID":"${S}" }`],
    ['an id as a number', '{"player":4711,"at":4711.5}', `{"player":"${P}","at":4711.5}`],
    [
      'an object about a player',
      '{"user":{"id":"4711","name":"4711"},"id":"x"}',
      `{"user":{"id":"${P}","name":"${P}"},"id":"x"}`,
    ],
    ['a list', '{"sessions":["s-1",{"state":"open"}]}', `{"sessions":["${S}",{"state":"open"}]}`],
    ['JSON within JSON', '{"in":"{\\"sessionID\\":\\"s-1\\"}"}', `{"in":"{\\"sessionID\\":\\"${S}\\"}"}`],
    ['JSON that was cut off', '{"amount":"1.00","sessionID":"s-1', `{"amount":"1.00","sessionID":"${S}`],
    ['JSON with escapes', '{"sessionID":"s\\u002d1"}', `{"sessionID":"${S}"}`],
    ['a map of Elixir', '  Parameters: %{"sessionID" => "s-1"}', `  Parameters: %{"sessionID" => "${S}"}`],
    ['a hash of Ruby', 'Parameters: {"sessionID"=>"s-1"}', `Parameters: {"sessionID"=>"${S}"}`],
    ['a header of Faraday', 'X-API-KEY: "abc"', 'X-API-KEY: "***"'],
    [
      'headers of Python',
      String.raw`'Host: w\r\nX-API-KEY: abc\r\nA: b'`,
      String.raw`'Host: w\r\nX-API-KEY: ***\r\nA: b'`,
    ],
    ['a header of a wire log', String.raw`>> "X-API-KEY: abc[\r][\n]"`, String.raw`>> "X-API-KEY: ***[\r][\n]"`],
    ['a query', 'GET /eu/balance?a=1&sessionID=s-1 HTTP/1.1', `GET /eu/balance?a=1&sessionID=${S} HTTP/1.1`],
    ['a line of a log', '14:03 player=4711 took 5 ms', `14:03 player=${P} took 5 ms`],
    ['a line with JSON in it', 'in {"player":"4711"} of 4711', `in {"player":"${P}"} of ${P}`],
    ['an amount that looks like an id', '{"player":"4711","balance":"4711"}', `{"player":"${P}","balance":"4711"}`],
    ['keys', '{"apiKey":"abc","password":7}', '{"apiKey":"***","password":"***"}'],
    ['a password in an address', 'https://joe:pw@wallet.example/', 'https://***@wallet.example/'],
    ['headers of a curl line', "-H 'Authorization: Bearer x' -H 'Accept: y'", "-H 'Authorization: ***' -H 'Accept: y'"],
    [
      'a hash table of PowerShell',
      "@{ 'X-Api-Key' = 'abc'; sessionID = 's-1'; amount = '1.00'; password = \"pw1\" }",
      `@{ 'X-Api-Key' = '***'; sessionID = '${S}'; amount = '1.00'; password = "***" }`,
    ],
    [
      'a hash of Ruby with symbols',
      '{:a=>"Bearer abcdefgh", :password=>"pw1"}',
      '{:a=>"Bearer ***", :password=>"***"}',
    ],
    ['a map of Java', 'Cookie=[JSESSIONID=abc1], Accept=[text/html]', 'Cookie=[***], Accept=[text/html]'],
    ['print_r of PHP', 'Array ( [password] => abc [at] => 5 )', 'Array ( [password] => *** [at] => 5 )'],
    ['YAML', 'client-secret: abc-123', 'client-secret: ***'],
    ['INI', 'aws_secret_access_key = abc-123', 'aws_secret_access_key = ***'],
    ['a variable of a shell', 'API_TOKEN=abc-123', 'API_TOKEN=***'],
    ['a sentence with a colon', 'invalid token: expired at 10:00', 'invalid token: expired at 10:00'],
    ['elements of XML', '<w:password>abc</w:password><at>5</at>', '<w:password>***</w:password><at>5</at>'],
    ['a setting of .NET', '<add key="AuthToken" value="abc"/>', '<add key="AuthToken" value="***"/>'],
    ['a header in a CSV', '"x-forwarded-for","203.0.113.84"', '"x-forwarded-for","***"'],
    [
      'a private key on one line',
      '-----BEGIN PRIVATE KEY-----\\nMIIEabc\\n-----END',
      '-----BEGIN PRIVATE KEY-----***-----END',
    ],
    ['users of curl', 'curl -sSu joe:pw -XPUT -ujoe:pw2 x', 'curl -sSu *** -XPUT -u*** x'],
    ['a header with underscores', 'x_forwarded_for: 203.0.113.7', 'x_forwarded_for: ***'],
    ['a card with hard spaces', '3530\u00A01113\u00A03330\u00A00000', '***'],
    ['an object of Python or JavaScript', "{'sessionID': 's-1', token: 's-1'}", `{'sessionID': '${S}', token: '${S}'}`],
    ['a variable with an address', "$wallet = 'https://w.example/eu'", "$wallet = 'https://w.example/eu'"],
    [
      'the password of a PowerShell command',
      "Invoke-RestMethod -Credential joe:pw1 $(ConvertTo-SecureString 'pw2' -AsPlainText)",
      'Invoke-RestMethod -Credential *** $(ConvertTo-SecureString *** -AsPlainText)',
    ],
    ['a query of HTTPie', 'http GET /eu/balance sessionID==s-1', `http GET /eu/balance sessionID==${S}`],
    [
      'a line with the colours of a terminal',
      '\u001B[36mplayer\u001B[0m=\u001B[35m4711\u001B[0m path=/balance?sessionID=s-1\u001B[0m',
      `player=${P} path=/balance?sessionID=${S}`,
    ],
    [
      'JSON of nginx in a line',
      String.raw`body="{\x22sessionID\x22:\x22s-1\x22}" 7`,
      String.raw`body="{\x22sessionID\x22:\x22${S}\x22}" 7`,
    ],
    [
      'JSON of nginx in JSON',
      String.raw`{"body":"{\x22sessionID\x22:\x22s-1\x22}","player":"4711"}`,
      String.raw`{"body":"{\"sessionID\":\"${S}\"}","player":"${P}"}`,
    ],
    ['JSON in PowerShell', '-Body "{`"sessionID`":`"s-1`"}" -X', `-Body "{\`"sessionID\`":\`"${S}\`"}" -X`],
    [
      'JSON with typographic marks',
      'curl ‘{”sessionID”:”s-1”}’ “/?sessionID=s-1”',
      `curl ‘{”sessionID”:”${S}”}’ “/?sessionID=${S}”`,
    ],
    [
      'JSON in a CSV',
      '1,"{""sessionID"":""s-1"",""player"":""4711""}"',
      `1,"{""sessionID"":""${S}"",""player"":""${P}""}"`,
    ],
    [
      'pairs of Postman',
      '{"header":[{"key":"Content-Type","value":"text"},{"key":"X-Token","value":"t"}],"query":[{"key":"sessionID","value":"s-1"}]}',
      `{"header":[{"key":"Content-Type","value":"text"},{"key":"X-Token","value":"***"}],"query":[{"key":"sessionID","value":"${S}"}]}`,
    ],
    ['words of the language', '{"session":"main","player":"other"}', '{"session":"main","player":"other"}'],
  ])('%s', (_, text, expected) => {
    expect(rewrite(text)).toBe(expected);
  });

  it('replaces an id in every text if one text has it as a player', () => {
    expect(rewrite('{"playerId":"k-9x7q"}', 'for k-9x7q at /players/k-9x7q/')).toBe(
      `for ${alias('player', 'k-9x7q')} at /players/${alias('player', 'k-9x7q')}/`,
    );
  });

  it('leaves JSON without private data unchanged', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 2 }), (json, indent) => {
        const text = JSON.stringify({ v: JSON.parse(json) as unknown }, null, indent);
        fc.pre(!/[^a-z](key|pin|sid|ip|sign|user)/i.test(text));
        // The text between `//` and `@` may be a password.
        fc.pre(!/\/\/[^/]+@/.test(text));
        expect(rewrite(text)).toBe(text);
      }),
    );
  });
});
