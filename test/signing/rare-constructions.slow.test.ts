import { type BinaryLike, createHash, createHmac } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { explainSignature } from '../../src/signing/explain.ts';

// Each signature is made here by hand, without the code under test.
const KEY = 'iak_3f9A1c+7e/Zq=_live';
const FIELDS = {
  amount: '12.50',
  roundID: '5f0a3c1e-8d0b-4c55-9a57-0f4f3f7f1a02',
  sessionID: 's-7731',
  txID: '0c9e1d20-77aa-4b6e-8f2d-000000000003',
  type: 'regular',
};
const BODY = JSON.stringify(FIELDS);
/** The fields in the order of most classes. */
const CLASS = ['sessionID', 'txID', 'roundID', 'amount', 'type'] as const;
const PAIRS = Object.entries(FIELDS);
/** A body with a quotation mark of HTML, and with a letter outside ASCII. */
const LETTER = BODY.replace('s-7731', "s'é");
const NUMBERED = BODY.replace('s-7731', '7731');
const SPACED = BODY.replace('s-7731', 's 7731');
const QUERY = 'sessionID=s-7731&currency=EUR&gameID=g%2F1';

const bytesOf = (payload: BinaryLike, key: BinaryLike = KEY, hash = 'sha256'): Buffer =>
  createHmac(hash, key).update(payload).digest();
const hmac = (payload: BinaryLike, key: BinaryLike = KEY, hash = 'sha256'): string =>
  bytesOf(payload, key, hash).toString('hex');
const hash = (text: BinaryLike, name = 'sha256'): string => createHash(name).update(text).digest('hex');
const list = (write: (name: string, value: string) => string, comma: string): string =>
  PAIRS.map(([name, value]) => write(name, value)).join(comma);
const ofClass = (write: (name: string, value: string) => string, comma: string): string =>
  CLASS.map((name) => write(name, FIELDS[name])).join(comma);
const inOrder = (...names: readonly (keyof typeof FIELDS)[]): string =>
  `{${names.map((name) => `${name}=${FIELDS[name]}`).join(', ')}}`;
const ESCAPES = [
  ['{', '%7B'],
  ['}', '%7D'],
  ['"', '%22'],
  [':', '%3A'],
  [',', '%2C'],
  [' ', '%20'],
  ['/', '%2F'],
  ['(', '%28'],
  [')', '%29'],
] as const;
const inUpperCase = (body: string): string => body.replaceAll(/[\da-f-]{36}/g, (uuid) => uuid.toUpperCase());
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns a body whose signature has a certain form. */
function bodyWhere(is: (signature: Buffer) => boolean): string {
  for (let count = 0; ; count += 1) {
    const body = JSON.stringify({ ...FIELDS, roundID: `r-${count}` });
    if (is(bytesOf(body))) return body;
  }
}
const high = bodyWhere(([first = 0]) => first > 127);
const low = bodyWhere((signature) => (signature[0] ?? 0) < 16 && signature.some((byte) => byte > 127));

const HEADERS = [
  ['Host', 'wallet.example'],
  ['X-Timestamp', '1795438985123'],
  ['X-Nonce', 'n-77'],
  ['Authorization', 'Bearer secret'],
] as const;
const CANONICAL_QUERY = '{"currency":"EUR","gameID":"g/1","sessionID":"s-7731"}';

/** Signatures of a header together with the payload. */
const WITH_HEADER: readonly Row[] = [
  ['header-and-payload', hmac(`1795438985123.${BODY}`)],
  ['header-and-payload', hmac(`1795438985${BODY}`)],
  ['header-and-payload', hmac(`${BODY}\nn-77`)],
  ['header-and-payload', hmac(`x-nonce:n-77\n${BODY}`)],
  ['header-and-payload', hmac(`n-77:${CANONICAL_QUERY}`), null],
  ['header-and-payload', hmac(`v0:1795438985123:${BODY}`)],
  ['header-and-payload', `t=1795438985,v1=${hmac(`1795438985.${BODY}`)}`],
  ['headers-and-payload', hmac(`n-77.1795438985123.${BODY}`)],
  ['headers-and-payload', hmac(`${BODY}1795438985123n-77`)],
  ['header-path-payload', hmac(`1795438985123POST/wallet/bet${BODY}`)],
  ['header-path-payload', hmac(`POST\n/wallet/bet\nn-77\n${BODY}`)],
  ['header-path-payload', hmac(`1795438985123\nGET\n/wallet/balance?${QUERY}\n${CANONICAL_QUERY}`), null],
];

/** `body` is null for the query of a GET. */
type Row = readonly [id: string, signature: string, body?: string | null];

/** Percent escapes of the signs of the body. */
const ESCAPED = ESCAPES.reduce((text, [sign, code]) => text.replaceAll(sign, code), `${BODY} a/b(c)~`);

const TEXTS: readonly Row[] = [
  ['url-encoded-whole', hmac(ESCAPED), `${BODY} a/b(c)~`],
  ['url-encoded-python', hmac(ESCAPED.replaceAll('%2F', '/')), `${BODY} a/b(c)~`],
  ['url-encoded-plus', hmac(ESCAPED.replaceAll('%20', '+')), `${BODY} a/b(c)~`],
  ['url-encoded-php', hmac(`${ESCAPED.replaceAll('%20', '+').replaceAll('~', '%7E')}%2A`), `${BODY} a/b(c)~*`],
  ['url-encoded-java', hmac(`${ESCAPED.replaceAll('%20', '+').replaceAll('~', '%7E')}*`), `${BODY} a/b(c)~*`],
  ['url-encoded-partly', hmac(BODY.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll('"', '%22'))],
  [
    'order-of-fields+go-marshal-fields',
    hmac(`{"txID":"t","sessionID":"\\u003ca\\u003e","amount":"1","roundID":"r"}`),
    '{"amount":"1","roundID":"r","sessionID":"<a>","txID":"t"}',
  ],
  ...['None', 'nil', 'true', 'false', '0'].map((text): Row => ['text-of-nothing', hmac(text)]),
  ...['[object Promise]', '[object ReadableStream]', 'Array', 'System.Byte[]'].map(
    (text): Row => ['text-of-type', hmac(text)],
  ),
  ['uuids-upper-case', hmac(inUpperCase(BODY))],
  ['uuids-without-hyphens', hmac(BODY.replaceAll(/(?<=[\da-f]{4})-/g, ''))],
  ['method-path-query-body-lines', hmac(`POST\n/wallet/bet\n\n${BODY}`)],
  ['method-path-body-line', hmac(`POST/wallet/bet\n${BODY}`)],
  ['url', hmac('http://wallet.example/wallet/bet')],
  ['url-body', hmac(`http://wallet.example/wallet/bet${BODY}`)],
  ['json-of-bytes', hmac(JSON.stringify([...Buffer.from(BODY)]))],
  ['json-of-typed-array', hmac(JSON.stringify(new Uint8Array(Buffer.from(BODY))))],
  ['printed-bytes-go', hmac(`[${[...Buffer.from(BODY)].join(' ')}]`)],
  ['printed-bytes-java', hmac(`[${[...new Int8Array(Buffer.from(LETTER))].join(', ')}]`), LETTER],
  ['python-bytes', hmac(`b'${BODY}'`)],
  ['python-bytes', hmac(`b'${LETTER.replace("'", "\\'").replace('é', String.raw`\xc3\xa9`)}'`), LETTER],
  ['zlib-of-payload', hmac(deflateSync(BODY))],
  ['deflate-of-payload', hmac(deflateRawSync(BODY))],
  ['brotli-of-payload', hmac(brotliCompressSync(BODY))],
  ['gzip-of-payload', hmac(gzipSync(BODY))],
  ['json-of-bytes', hmac(JSON.stringify(Buffer.from(LETTER).toString('base64'))), LETTER],
  ['base64url-of-payload', hmac(Buffer.from(LETTER).toString('base64url')), LETTER],
  ['mime-of-payload', hmac(Buffer.from(BODY).toString('base64').replaceAll(/.{76}/g, '$&\n'))],
  ['upper-case-hex-of-payload', hmac(Buffer.from(BODY).toString('hex').toUpperCase())],
  ['html-escaped', hmac(LETTER.replaceAll('"', '&quot;').replace("'", '&#039;')), LETTER],
  ['html-escaped', hmac(LETTER.replaceAll('"', '&quot;').replace("'", '&#x27;')), LETTER],
  ['php-serialized-text', hmac(`s:${BODY.length}:"${BODY}";`)],
  [
    'php-serialize-object',
    hmac(`O:8:"stdClass":5:{${list((n, v) => `s:${n.length}:"${n}";s:${v.length}:"${v}";`, '')}}`),
  ],
  ['php-print-r', hmac(`Array\n(\n${list((name, value) => `    [${name}] => ${value}\n`, '')})\n`)],
  ['php-var-export', hmac(`array (\n${list((name, value) => `  '${name}' => '${value}',\n`, '')})`)],
  ['in-quotation-marks', hmac(`"${BODY}"`)],
  ['in-apostrophes', hmac(`'${BODY}'`)],
  ['apostrophes', hmac(BODY.replaceAll('"', "'"))],
  ['quotation-marks-removed', hmac(BODY.replaceAll('"', ''))],
  ['some-values', hmac(FIELDS.sessionID + FIELDS.txID + FIELDS.amount)],
  ['some-values', hmac(`${FIELDS.txID}|${FIELDS.amount}`)],
  ['trailing-nul', hmac(`${BODY}\0`)],
  ['trailing-cr', hmac(`${BODY}\r`)],
  ['two-line-breaks', hmac(`${BODY}\n\n`)],
  ['leading-lf', hmac(`\n${BODY}`)],
  ['twice', hmac(BODY + BODY)],
  ['without-first-byte', hmac(BODY.slice(1))],
  ['without-last-byte', hmac(BODY.slice(0, -1))],
  ['without-braces', hmac(BODY.slice(1, -1))],
  ['utf16be', hmac(Buffer.from(BODY, 'utf16le').swap16())],
  ['utf16le-bom', hmac(Buffer.from(`\uFEFF${BODY}`, 'utf16le'))],
  ['replacement-characters', hmac(LETTER.replace('é', '\uFFFD')), LETTER],
  ['replacement-character-for-each-byte', hmac(LETTER.replace('é', '\uFFFD\uFFFD')), LETTER],
];

const FORMS: readonly Row[] = [
  [
    'names-pascal-case-id',
    hmac(JSON.stringify(Object.fromEntries(PAIRS.map(([n, v]) => [capital(n).replace('ID', 'Id'), v])))),
  ],
  ['names-kebab-case', hmac(BODY.replaceAll(/(round|session|tx)ID/g, '$1-id'))],
  ['names-lower-case', hmac(BODY.replaceAll(/"\w+ID"/g, (name) => name.toLowerCase()))],
  ['names-upper-case', hmac(BODY.replaceAll(/"(\w+)":/g, (name) => name.toUpperCase()))],
  ['amount-text-4-decimals', hmac(BODY.replace('12.50', '12.5000'))],
  ['amount-comma', hmac(BODY.replace('12.50', '12,50'))],
  ['amount-rounded', hmac(BODY.replace('12.50', '13'))],
  ['amount-cut', hmac(BODY.replace('12.50', '12'))],
  ['amount-negative', hmac(BODY.replace('12.50', '-12.50'))],
  ['amount-null', hmac(BODY.replace('"12.50"', 'null'))],
  ['amount-object', hmac(BODY.replace('"12.50"', '{}'))],
  ['without-roundID-and-type', hmac(JSON.stringify({ ...FIELDS, roundID: undefined, type: undefined }))],
  ['ruby-inspect', hmac(`{${list((name, value) => `"${name}"=>"${value}"`, ', ')}}`)],
  ['ruby-inspect-spaced', hmac(`{${list((name, value) => `"${name}" => "${value}"`, ', ')}}`)],
  ['ruby-inspect-symbols', hmac(`{${list((name, value) => `:${name}=>"${value}"`, ', ')}}`)],
  ['elixir-inspect', hmac(`%{${list((name, value) => `"${name}" => "${value}"`, ', ')}}`)],
  ['go-map', hmac(`map[${list((name, value) => `${name}:${value}`, ' ')}]`)],
  ['go-struct', hmac(`{${ofClass((_name, value) => value, ' ')}}`)],
  ['go-struct-names', hmac(`&{${ofClass((name, value) => `${capital(name)}:${value}`, ' ')}}`)],
  // A HashMap with 16 buckets, and one with 8 buckets.
  ['java-hash-map', hmac(inOrder('amount', 'txID', 'sessionID', 'type', 'roundID'))],
  ['java-hash-map', hmac(inOrder('txID', 'amount', 'sessionID', 'type', 'roundID'))],
  ['java-values', hmac(`[${list((_, value) => value, ', ')}]`)],
  ['java-entries', hmac(`[${list((name, value) => `${name}=${value}`, ', ')}]`)],
  ['python-ordered-dict', hmac(`OrderedDict([${list((name, value) => `('${name}', '${value}')`, ', ')}])`)],
  ['python-ordered-dict-braces', hmac(`OrderedDict({${list((name, value) => `'${name}': '${value}'`, ', ')}})`)],
  ['rust-debug', hmac(`Object {${list((name, value) => `"${name}": String("${value}")`, ', ')}}`)],
  ['java-record', hmac(`BetRequest[${ofClass((name, value) => `${name}=${value}`, ', ')}]`)],
  ['java-class', hmac(`BetRequest(${ofClass((name, value) => `${name}=${value}`, ', ')})`)],
  ['java-class-quoted', hmac(`BetRequest{${ofClass((name, value) => `${name}='${value}'`, ', ')}}`)],
  ['dotnet-record', hmac(`BetRequest { ${ofClass((name, value) => `${capital(name)} = ${value}`, ', ')} }`)],
  ['dart-to-string', hmac(`{${list((name, value) => `${name}: ${value}`, ', ')}}`)],
  ['spaced-colon', hmac(BODY.replaceAll('":"', '": "'))],
  ['spaced-comma', hmac(BODY.replaceAll('","', '", "'))],
  ['json-as-name', hmac(JSON.stringify({ [BODY]: '' }))],
  ['php-string-within-json', hmac(String.raw`"{\"note\":\"\\u00e9\\\/\"}"`), '{"note":"é/"}'],
  ['with-null-fields', hmac(`${BODY.slice(0, -1)},"origTxID":null,"frID":null}`)],
  [
    'with-null-fields',
    hmac(JSON.stringify({ ...FIELDS, origTxID: null }, Object.keys({ ...FIELDS, origTxID: 0 }).toSorted())),
  ],
  ['node-inspect', hmac(`{\n${list((name, value) => `  ${name}: '${value}'`, ',\n')}\n}`)],
  ['wrapped', hmac(`{"body":${BODY}}`)],
  ['form-field', hmac(`body=${encodeURIComponent(BODY)}`)],
  ['form-field', hmac(`data=${new URLSearchParams({ x: SPACED }).toString().slice(2)}`), SPACED],
  ['form-field', hmac(`payload=${BODY}`)],
  ['wrapped-text', hmac(JSON.stringify({ body: BODY }))],
  ['wrapped-in-list', hmac(`[${BODY}]`)],
  ['body-values-joined', hmac(list((_name, value) => value, '|'))],
  ['body-joined', hmac(list((name, value) => `${name}=${value}`, ';'))],
  ['body-values', hmac(ofClass((_name, value) => value, ''))],
  ['only-txID', hmac(FIELDS.txID)],
  ['txID-body', hmac(`${FIELDS.txID}.${BODY}`)],
  ['body-sessionID', hmac(BODY + FIELDS.sessionID)],
  ['path-body', hmac(`/wallet/bet|${BODY}`)],
  ['name-body', hmac(`bet${BODY}`)],
  ['body-method', hmac(`${BODY}POST`)],
  ['length-body', hmac(BODY.length + BODY)],
  ['method-path-hash', hmac(`POST\n/wallet/bet\n${hash(BODY)}`)],
  ['method-path-query-hash', hmac(`POST\n/wallet/bet\n\n${hash(BODY)}`)],
  ['method-path-query-body', hmac(`POST|/wallet/bet||${BODY}`)],
  ['method-url-body', hmac(`POSThttps://wallet.example/wallet/bet${BODY}`)],
  ['body-values-list', hmac(JSON.stringify(PAIRS.map(([, value]) => value)))],
  ['body-pairs-list', hmac(JSON.stringify(PAIRS))],
  ['method-host-path-body', hmac(`POST\nwallet.example\n/wallet/bet\n${BODY}`)],
  ['body-url', hmac(`${BODY}https://wallet.example/wallet/bet`)],
  ['python-string-within-json', hmac(JSON.stringify(LETTER).replace('é', String.raw`\u00e9`)), LETTER],
  ['ids-as-numbers', hmac(NUMBERED.replace('"7731"', '7731')), NUMBERED],
  ['text-of-type', hmac('<QueryDict: {}>')],
];

const QUERIES: readonly Row[] = [
  ['only-sessionID', hmac('s-7731'), null],
  ['only-sessionID', hmac('sessionID=s-7731'), null],
  ['wrapped', hmac('{"params":{"currency":"EUR","gameID":"g/1","sessionID":"s-7731"}}'), null],
  ['go-map', hmac('map[currency:EUR gameID:g/1 sessionID:s-7731]'), null],
  ['go-map-lists', hmac('map[currency:[EUR] gameID:[g/1] sessionID:[s-7731]]'), null],
  ['java-map-lists', hmac('{currency=[EUR], gameID=[g/1], sessionID=[s-7731]}'), null],
  ['query-values-joined', hmac('EUR|g/1|s-7731'), null],
  ['query-string-end', hmac(`${QUERY}&`), null],
  ['pretty-2', hmac('{\n  "currency": "EUR",\n  "gameID": "g/1",\n  "sessionID": "s-7731"\n}'), null],
  ['method-url', hmac(`GET https://wallet.example/wallet/balance?${QUERY}`), null],
  ['method-and-path', hmac(`GET\n/wallet/balance?${QUERY}`), null],
  ['method-path-query-lines', hmac(`GET\n/wallet/balance\n${QUERY}`), null],
  ['some-values', hmac('s-7731:EUR'), null],
];

const WRITTEN: readonly Row[] = [
  [
    'sign-extended-hex',
    [...bytesOf(high)].map((b) => (b > 127 ? 'ffffff' : '') + b.toString(16).padStart(2, '0')).join(''),
    high,
  ],
  [
    'sign-extended-unpadded-hex',
    [...bytesOf(low)].map((b) => (b > 127 ? 'ffffff' : '') + b.toString(16)).join(''),
    low,
  ],
  ['decimal-number', BigInt(`0x${hmac(BODY)}`).toString(10)],
  ['unpadded-hex', [...bytesOf(low)].map((byte) => byte.toString(16).toUpperCase()).join(''), low],
  ['list-of-numbers', bytesOf(BODY).join(',')],
  ['list-of-numbers', `[${new Int8Array(bytesOf(high)).join(', ')}]`, high],
  ['list-of-numbers', JSON.stringify(bytesOf(BODY))],
  ['raw-bytes', bytesOf(BODY).toString('latin1')],
  ['percent-encoded', encodeURIComponent(bytesOf(BODY).toString('base64'))],
  ['hex-of-text', Buffer.from(hmac(BODY)).toString('hex')],
  ['reversed-bytes', Buffer.from(bytesOf(BODY)).reverse().toString('hex')],
  ['reversed-text', Array.from(hmac(BODY)).reverse().join('')],
  ['swapped-words', Buffer.from(bytesOf(BODY)).swap32().toString('hex')],
  ...[`b'${hmac(BODY)}'`, `t=1,v1=${hmac(BODY)}`, `[${hmac(BODY)}]`, `${hmac(BODY)};`, `hs256:${hmac(BODY)}`].map(
    (signature): Row => ['surrounded', signature],
  ),
  ['surrounded', `${hmac(BODY).slice(0, 32)}\n ${hmac(BODY).slice(32)}`],
  ['base64-in-one-case', bytesOf(BODY).toString('base64').toLowerCase()],
  ['base64-in-one-case', bytesOf(BODY).toString('base64').toUpperCase()],
  ['part-without-pair', hmac(BODY).slice(0, 63)],
  ['end-part', hmac(BODY).slice(1)],
  ['end-part', hmac(BODY).slice(32)],
];

const HASHED: readonly Row[] = [
  ['payload-and-hmac-of-nothing', Buffer.from(BODY).toString('hex') + hmac('')],
  ['payload-and-hmac-of-nothing', Buffer.concat([Buffer.from(BODY), bytesOf('')]).toString('base64')],
  ['payload-and-hmac', Buffer.from(BODY).toString('hex') + hmac(BODY)],
  ...['sha512-256', 'sha3-512', 'blake2s256', 'blake2b512', 'ripemd160', 'sm3'].map(
    (name): Row => [`hmac-${name}`, hmac(BODY, KEY, name)],
  ),
  ['hmac-sha512', hmac(BODY, KEY, 'sha512').slice(0, 64)],
  ['sha256-key-before-comma', hash(`${KEY},${BODY}`)],
  ['sha1-key-after-bar', hash(`${BODY}|${KEY}`, 'sha1')],
  ['md5-of-md5-and-key', hash(hash(BODY, 'md5') + KEY, 'md5')],
  [
    'sha256-twice-key-before',
    hash(
      createHash('sha256')
        .update(KEY + BODY)
        .digest(),
    ),
  ],
  ['hmac-of-sha512-hex', hmac(hash(BODY, 'sha512'))],
  ['hmac-of-upper-sha256', hmac(hash(BODY).toUpperCase())],
  ['sha256-of-hmac-bytes', hash(bytesOf(BODY))],
  ['md5-of-hmac', hash(hmac(BODY), 'md5')],
  ['hmac-twice-base64', hmac(bytesOf(BODY).toString('base64'))],
  ['hmac-key-before', hmac(KEY + BODY)],
  ['sha256-key-after-key-name', hash(`${new URLSearchParams(FIELDS).toString()}&key=${KEY}`)],
];

const KEYS: readonly Row[] = [
  ['key-with-end', hmac(BODY, `${KEY};`)],
  ['key-with-end', hmac(BODY, String.raw`${KEY}\n`)],
  ['key-with-beginning', hmac(BODY, `Bearer ${KEY}`)],
  ['key-in-marks', hmac(BODY, `\`${KEY}\``)],
  ['key-without-prefix', hmac(BODY, KEY.slice(4))],
  ['key-without-suffix', hmac(BODY, KEY.slice(0, -5))],
  ['key-cut-at-sign', hmac(BODY, 'iak_3f9A1c+7e/Zq')],
  ['key-cut-at-length', hmac(BODY, KEY.slice(0, 8))],
  ['key-base64-decoded-partly', hmac(BODY, Buffer.from(KEY, 'base64'))],
  ['key-utf16be', hmac(BODY, Buffer.from(KEY, 'utf16le').swap16())],
  ['key-sha512-hex', hmac(BODY, hash(KEY, 'sha512'))],
  ['key-md5-bytes', hmac(BODY, createHash('md5').update(KEY).digest())],
  ['key-twice', hmac(BODY, KEY + KEY)],
  ['key-reversed', hmac(BODY, Array.from(KEY).reverse().join(''))],
  ['key-slashes-escaped', hmac(BODY, KEY.replace('/', String.raw`\/`))],
  ['key-json-of-buffer', hmac(BODY, JSON.stringify(Buffer.from(KEY)))],
  ...['INTEGRATION_API_KEY', '${INTEGRATION_API_KEY}', 'test', '[object Object]'].map(
    (text): Row => ['key-unset', hmac(BODY, text)],
  ),
];

describe('a signature that is made in a rare way', () => {
  it.each(
    [...TEXTS, ...WITH_HEADER, ...FORMS, ...QUERIES, ...WRITTEN, ...HASHED, ...KEYS].map(
      ([id, signature, body = BODY]) => ({
        id,
        signature,
        body,
      }),
    ),
  )(
    'is explained by it alone: $id of $signature',
    ({ id, signature, body }) => {
      const path = body === null ? `balance?${QUERY}` : 'bet';
      const explanation = explainSignature(
        {
          method: body === null ? 'GET' : 'POST',
          url: `https://wallet.example/wallet/${path}`,
          body: body === null ? null : Buffer.from(body),
          signature,
          headers: HEADERS,
        },
        [{ text: KEY, name: 'the key', role: 'integration' }],
      );
      expect(explanation.kind).toBe('explained');
      if (explanation.kind !== 'explained') return;
      const { payload, key, algorithm, writing, same } = explanation.found;
      expect([payload.id, key.id, algorithm.id, writing.id, ...same]).toContain(id);
    },
    30_000,
  );

  it('is not explained by a secret in a header, because explain prints what was signed', () => {
    const signature = hmac(`Bearer secret${BODY}`);
    const request = { method: 'POST', url: '/bet', body: Buffer.from(BODY), signature, headers: HEADERS };
    expect(explainSignature(request, [{ text: KEY, name: 'the key', role: 'integration' }]).kind).toBe('unexplained');
  }, 30_000);

  it('is right if somebody has formatted the body, and put its fields in another order', () => {
    const formatted = JSON.stringify(Object.fromEntries(PAIRS.toReversed()), null, 2);
    const request = { method: 'POST', url: '/bet', body: Buffer.from(formatted), signature: hmac(BODY) };
    expect(explainSignature(request, [{ text: KEY, name: 'the key', role: 'integration' }]).kind).toBe('right');
  });

  it.each(['hex', 'base64'] as const)(
    'is not explained if nothing gives it: %s',
    (encoding) => {
      const signature = createHash('sha256').update('another text').digest(encoding);
      const request = { method: 'POST', url: '/bet', body: Buffer.from(BODY), signature };
      expect(explainSignature(request, [{ text: KEY, name: 'the key', role: 'integration' }]).kind).toBe('unexplained');
    },
    60_000,
  );
});
