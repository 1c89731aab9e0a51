import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/**
 * The verdict that a reply must get.
 *
 * - `conforming`: the reply is lawful
 * - `undecided`: no reply can be read, which may be a fault of the network
 * - a list of rules: the reply breaks these rules, or is a warning if all of them have the level SHOULD
 */
type Expected = 'conforming' | 'undecided' | readonly string[];

/** The way in which the server ends the connection. */
type End = { readonly end: 'close' | 'reset' };

const CLOSE: End = { end: 'close' };
const RESET: End = { end: 'reset' };

/** One reply to `GET /balance`, as it is written to the socket. */
export interface UnusualReply {
  readonly name: string;
  /** The parts of the reply. A number is a pause in milliseconds. */
  readonly parts: readonly (string | Uint8Array | number | End)[];
  readonly expected: Expected;
}

const GOOD = '{"balance":"1000.00"}';
const TYPE = 'Content-Type: application/json';

interface Head {
  readonly status?: string;
  readonly headers?: readonly string[];
  readonly type?: string;
}

function replyWith(body: string | Uint8Array, { status = '200 OK', headers = [], type = TYPE }: Head = {}): Uint8Array {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, ...(type === '' ? [] : [type]), `Content-Length: ${bytes.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

function one(name: string, expected: Expected, body: string | Uint8Array, head?: Head): UnusualReply {
  return { name, parts: [replyWith(body, head)], expected };
}

function raw(name: string, expected: Expected, ...parts: UnusualReply['parts']): UnusualReply {
  return { name, parts, expected };
}

function nested(open: string, close: string, levels: number): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

function filled(text: string, length = 10_000): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n`;

/** Lawful forms of the same JSON. */
const JSON_FORMS: readonly [string, string][] = [
  ['spaces', '{ "balance" : "1000.00" }'],
  ['line breaks', '{\r\n\t"balance":\n"1000.00"\n}\n'],
  ['a line break at the end', `${GOOD}\n`],
  ['spaces around', `   ${GOOD}   `],
  ['escaped digits', '{"balance":"\\u0031000.00"}'],
  ['an escaped name', '{"b\\u0061lance":"1000.00"}'],
  ['a further text', '{"balance":"1000.00","currency":"USD"}'],
  ['a further number', '{"balance":"1000.00","version":1e3}'],
  ['a further large number', `{"balance":"1000.00","n":${'9'.repeat(5000)}}`],
  ['a further null', '{"balance":"1000.00","bonus":null}'],
  ['a further object', '{"balance":"1000.00","player":{"balance":5,"balanceInCents":[1,{"balance":7}]}}'],
  ['further members before', '{"a":1,"b":[],"c":{},"balance":"1000.00"}'],
  ['a member with an empty name', '{"":1,"balance":"1000.00"}'],
  ['a member named __proto__', '{"__proto__":{"balance":"1"},"balance":"1000.00"}'],
  ['a member named constructor', '{"constructor":{"prototype":1},"balance":"1000.00"}'],
  ['a member named toString', '{"toString":1,"hasOwnProperty":2,"balance":"1000.00"}'],
  ['text in other scripts', '{"balance":"1000.00","name":"Ωμέγα 汉字 🎰 עברית"}'],
  ['escaped emoji', '{"balance":"1000.00","name":"\\ud83c\\udfb0"}'],
  ['half of an escaped emoji', '{"balance":"1000.00","name":"\\ud83c"}'],
  ['escaped control characters', '{"balance":"1000.00","name":"\\u0000\\u001b[2J\\u0007"}'],
  ['markup', '{"balance":"1000.00","name":"</script><script>alert(1)</script><img src=x onerror=alert(1)>"}'],
  ['markup of CDATA', '{"balance":"1000.00","name":"]]>\\u0000<!--"}'],
  ['commands of GitHub', '{"balance":"1000.00","name":"\\n::error::x\\n::set-output name=a::b"}'],
  ['names of formulas', '{"balance":"1000.00","=cmd|calc":"@SUM(1)"}'],
  ['90 levels of arrays', `{"balance":"1000.00","x":${nested('[', ']', 90)}}`],
  ['90 levels of objects', `{"balance":"1000.00","x":${nested('{"a":', '}', 90)}}`],
  ['brackets in text', `{"balance":"1000.00","x":"${'['.repeat(5000)}"}`],
  ['quotation marks in text', `{"balance":"1000.00","x":"${'\\"'.repeat(5000)}"}`],
  ['backslashes in text', `{"balance":"1000.00","x":"${'\\\\'.repeat(5000)}"}`],
  ['500 members', `{"balance":"1000.00"${Array.from({ length: 500 }, (_, at) => `,"k${at}":${at}`).join('')}}`],
  ['100,000 characters of text', `{"balance":"1000.00","x":"${filled('abc ', 100_000)}"}`],
  ['1 MB of spaces', `{"balance":"1000.00"${' '.repeat(1_000_000)}}`],
];

/** Lawful heads of a reply. */
const HEADS: readonly [string, Head][] = [
  ['a charset', { type: 'Content-Type: application/json; charset=utf-8' }],
  ['a charset in capital letters', { type: 'Content-Type: Application/JSON;CHARSET="UTF-8"' }],
  ['a header name in small letters', { type: 'content-type: application/json' }],
  ['a header name in capital letters', { type: 'CONTENT-TYPE: application/json' }],
  ['no space after the colon', { type: 'Content-Type:application/json' }],
  ['spaces after the value', { type: 'Content-Type: application/json   ' }],
  ['another reason phrase', { status: '200 Fine by me' }],
  ['no reason phrase', { status: '200 ' }],
  ['a cookie', { headers: ['Set-Cookie: a=b; Path=/; HttpOnly', 'Set-Cookie: c=d'] }],
  ['50 headers', { headers: Array.from({ length: 50 }, (_, at) => `X-H-${at}: ${at}`) }],
  ['a header of 4,000 characters', { headers: [`X-Long: ${'a'.repeat(4000)}`] }],
  ['an empty header', { headers: ['X-Empty:'] }],
  ['bytes above ASCII in a header', { headers: ['X-Name: caf\xe9'] }],
  ['control sequences in a header', { headers: ['X-Name: [31mred'] }],
  ['a wrong date', { headers: ['Date: yesterday'] }],
  ['a server with markup', { headers: ['Server: <script>alert(1)</script>'] }],
  ['Connection: close', { headers: ['Connection: close'] }],
  ['Keep-Alive', { headers: ['Connection: keep-alive', 'Keep-Alive: timeout=5, max=1000'] }],
  ['an identity coding', { headers: ['Content-Encoding: identity'] }],
  ['an empty coding', { headers: ['Content-Encoding:'] }],
  ['caching', { headers: ['Cache-Control: no-store', 'ETag: "1"', 'Vary: *'] }],
  ['a link', { headers: ['Link: <https://example.com>; rel=preload'] }],
];

/** Bodies that are not one JSON object in UTF-8. */
const NOT_JSON: readonly [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['a space', ' '],
  ['a text', 'OK'],
  ['HTML', '<!DOCTYPE html><html><body>1000.00</body></html>'],
  ['XML', '<?xml version="1.0"?><balance>1000.00</balance>'],
  ['a form', 'balance=1000.00'],
  ['YAML', 'balance: "1000.00"'],
  ['a JSON number', '1000.00'],
  ['a JSON text', '"1000.00"'],
  ['null', 'null'],
  ['true', 'true'],
  ['an array', '[{"balance":"1000.00"}]'],
  ['an empty array', '[]'],
  ['two objects', `${GOOD}${GOOD}`],
  ['two lines of JSON', `${GOOD}\n${GOOD}`],
  ['JSON in a call', `callback(${GOOD})`],
  ['a guard before JSON', `)]}',\n${GOOD}`],
  ['a comma at the end', '{"balance":"1000.00",}'],
  ['single quotes', "{'balance':'1000.00'}"],
  ['no quotes around the name', '{balance:"1000.00"}'],
  ['a comment', '{/* money */"balance":"1000.00"}'],
  ['NaN', '{"balance":"1000.00","x":NaN}'],
  ['Infinity', '{"balance":"1000.00","x":-Infinity}'],
  ['a hexadecimal number', '{"balance":"1000.00","x":0x1F}'],
  ['a number with a zero before it', '{"balance":"1000.00","x":01}'],
  ['a missing brace', '{"balance":"1000.00"'],
  ['a missing quotation mark', '{"balance":"1000.00}'],
  ['a brace too many', `${GOOD}}`],
  ['a line break in a text', '{"balance":"1000\n.00"}'],
  ['a NUL in a text', '{"balance":"1000.00","x":"\u0000"}'],
  ['NUL after the object', `${GOOD}\u0000`],
  ['a wrong escape', '{"balance":"1000.00","x":"\\q"}'],
  ['half of an escape', '{"balance":"1000.00","x":"\\u12"}'],
  ['a byte order mark', `\ufeff${GOOD}`],
  ['UTF-16, low byte first', Buffer.from(GOOD, 'utf16le')],
  ['UTF-16, high byte first', Buffer.from(GOOD, 'utf16le').swap16()],
  ['Latin 1', Buffer.from('{"balance":"1000.00","name":"caf\xe9"}', 'latin1')],
  [
    'half of a character',
    Buffer.concat([Buffer.from('{"balance":"1000.00","x":"'), Buffer.of(0xf0, 0x9f), Buffer.from('"}')]),
  ],
  [
    'a byte that no UTF-8 has',
    Buffer.concat([Buffer.from('{"balance":"1000.00","x":"'), Buffer.of(0xff), Buffer.from('"}')]),
  ],
  [
    'an overlong character',
    Buffer.concat([Buffer.from('{"balance":"1000.00","x":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
  ],
  ['a name twice', '{"balance":"1000.00","balance":"1000.00"}'],
  ['a name twice, with an escape', '{"balance":"1000.00","b\\u0061lance":"1.00"}'],
  ['a name twice in an inner object', '{"balance":"1000.00","x":{"a":1,"a":2}}'],
  ['60,000 members', `{"balance":"1000.00"${Array.from({ length: 60_000 }, (_, at) => `,"k${at}":${at}`).join('')}}`],
  ['101 levels of arrays', `{"balance":"1000.00","x":${nested('[', ']', 101)}}`],
  ...[1000, 10_000, 100_000].flatMap((levels): [string, string][] => [
    [`${levels} levels of arrays in a member`, `{"balance":"1000.00","x":${nested('[', ']', levels)}}`],
    [`${levels} levels of objects in a member`, `{"balance":"1000.00","x":${nested('{"a":', '}', levels)}}`],
    [`${levels} levels of arrays as the balance`, `{"balance":${nested('[', ']', levels)}}`],
    [`${levels} levels of objects as the balance`, `{"balance":${nested('{"a":', '}', levels)}}`],
    [`${levels} levels of arrays as the body`, nested('[', ']', levels)],
    [`${levels} open arrays`, '['.repeat(levels)],
    [`${levels} open objects`, '{"a":'.repeat(levels)],
    [`${levels} closing brackets`, `${GOOD}${']'.repeat(levels)}`],
  ]),
  ['10,000 spaces', ' '.repeat(10_000)],
  ['1 MB of text', filled('casino ', 1_000_000)],
  ['1 MB of quotation marks', '"'.repeat(1_000_000)],
  ['1 MB of backslashes', `"${'\\'.repeat(1_000_000)}`],
  ['1 MB of braces', '{'.repeat(1_000_000)],
  ['random bytes', Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7919) % 256))],
];

/** Values of `balance` that are no plain decimal. */
const NOT_DECIMAL: readonly [string, string][] = [
  ['a number', '1000.00'],
  ['a whole number', '1000'],
  ['a number with an exponent', '1e3'],
  ['a number of 900,000 digits', '9'.repeat(900_000)],
  ['null', 'null'],
  ['true', 'true'],
  ['an array', '["1000.00"]'],
  ['an object', '{"amount":"1000.00","currency":"USD"}'],
  ['an empty text', '""'],
  ['a space', '" "'],
  ['spaces around', '" 1000.00 "'],
  ['a plus', '"+1000.00"'],
  ['a comma', '"1000,00"'],
  ['commas between thousands', '"1,000.00"'],
  ['spaces between thousands', '"1 000.00"'],
  ['apostrophes between thousands', '"1\'000.00"'],
  ['underscores', '"1_000.00"'],
  ['a currency', '"1000.00 USD"'],
  ['a currency sign', '"$1000.00"'],
  ['an exponent', '"1e3"'],
  ['a hexadecimal number', '"0x3E8"'],
  ['digits of another script', '"١٠٠٠"'],
  ['full-width digits', '"１０００"'],
  ['NaN', '"NaN"'],
  ['Infinity', '"Infinity"'],
  ['null as text', '"null"'],
  ['undefined as text', '"undefined"'],
  ['a word', '"a thousand"'],
  ['two points', '"1.000.00"'],
  ['a point at the end', '"1000."'],
  ['a point at the beginning', '".50"'],
  ['a fraction', '"1/2"'],
  ['an ending with f', '"1000.00f"'],
  ['a line break at the end', '"1000.00\\n"'],
  ['a NUL at the end', '"1000.00\\u0000"'],
  ['a text of 900,000 digits', `"${'9'.repeat(900_000)}"`],
  ['a text of 900,000 decimals', `"1.${'0'.repeat(900_000)}"`],
  ['a text of 900,000 spaces', `"${' '.repeat(900_000)}"`],
];

/** Statuses other than 200 that are no temporary errors, with the rule that each of them breaks. */
const STATUSES: readonly (readonly [number, string])[] = [
  ...[201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 307, 308].map(
    (status) => [status, 'reply.success-is-200'] as const,
  ),
  ...[400, 402, 403, 413, 418, 422, 451, 500, 501, 505, 507, 511, 520, 599].map(
    (status) => [status, 'balance.read'] as const,
  ),
  ...[406, 411, 415].map((status) => [status, 'signature.accepted'] as const),
];

/** Statuses of an unknown path. If every call is answered so, the base URL may be wrong, and nothing is the fault of the wallet. */
const UNKNOWN_PATH = [404, 405, 410];

/** Texts that technical words begin with, or that patterns for technical texts may search for a long time. */
const MESSAGES = [
  'select ',
  'SELECT ',
  'SELECT a FROM ',
  'insert into ',
  'INSERT INTO a ',
  'update a set ',
  'update a set b',
  'delete from ',
  'values(',
  'from a where ',
  '.',
  '. ',
  ' ',
  '\n',
  ' \n',
  '\r\n',
  '\t',
  '\tat ',
  ' at ',
  'at a.b',
  'at com.foo.Bar',
  'at a.B(',
  'File "',
  'File "a", line ',
  'File "a.py", line 1',
  'Traceback ',
  'FooBar',
  'FooBarException',
  'Exception',
  'java.lang.',
  'a.b.',
  'A.B.',
  'a/',
  '/a',
  '/srv/',
  '/srv/a.',
  'C:\\',
  'C:\\a\\',
  'node:',
  '#0 ',
  '#1 a(',
  'goroutine ',
  'panic: ',
  "thread 'a",
  '<',
  '<a',
  '<a ',
  '<script ',
  '</',
  '[object ',
  'null',
  'undefined ',
  ': null',
  '"',
  "'",
  '\\',
  '(',
  '{',
  '%!',
  'http://',
  'www.',
  'https://a',
  'E',
  'ECONN',
  'ORA-',
  "Duplicate entry '",
  "Table '",
  'Cannot invoke "',
  'Unexpected token ',
  'is not a function',
  'x.y',
  'pq: ',
  '0',
  '1.',
  'aA',
  'é',
  '🎰',
  '\u0000',
  '‮',
  '\u001b[',
] as const;

const chunked = (...chunks: readonly string[]) =>
  `${lines('HTTP/1.1 200 OK', TYPE, 'Transfer-Encoding: chunked', '')}${chunks.join('')}`;
const chunk = (text: string, extension = '') => `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;
const coded = (coding: string, body: Uint8Array | string) =>
  replyWith(body, { headers: [`Content-Encoding: ${coding}`] });

/** Lawful transport of a lawful body. */
const TRANSPORT: readonly UnusualReply[] = [
  raw('chunked', 'conforming', chunked(chunk(GOOD), '0\r\n\r\n')),
  raw('a chunk for each byte', 'conforming', chunked(...Array.from(GOOD, (byte) => chunk(byte)), '0\r\n\r\n')),
  raw('chunked with an extension', 'conforming', chunked(chunk(GOOD, ';a=b;c="d"'), '0;e\r\n\r\n')),
  raw(
    'chunked with capital letters',
    'conforming',
    chunked(`${GOOD.length.toString(16).toUpperCase()}\r\n${GOOD}\r\n`, '0\r\n\r\n'),
  ),
  raw(
    'chunked with zeros before the length',
    'conforming',
    chunked(`000${GOOD.length.toString(16)}\r\n${GOOD}\r\n`, '0\r\n\r\n'),
  ),
  raw('chunked with a trailer', 'conforming', chunked(chunk(GOOD), '0\r\nX-Checksum: 1\r\n\r\n')),
  raw(
    'chunked with an announced trailer',
    'conforming',
    `${lines('HTTP/1.1 200 OK', TYPE, 'Trailer: X-Sum', 'Transfer-Encoding: chunked', '')}${chunk(GOOD)}0\r\nX-Sum: 1\r\n\r\n`,
  ),
  raw(
    'chunked with 20 trailers',
    'conforming',
    chunked(chunk(GOOD), `0\r\n${Array.from({ length: 20 }, (_, at) => `X-T${at}: 1\r\n`).join('')}\r\n`),
  ),
  raw('an end by closing', 'conforming', lines('HTTP/1.1 200 OK', TYPE, 'Connection: close', ''), GOOD, CLOSE),
  raw('HTTP/1.0', 'conforming', lines('HTTP/1.0 200 OK', TYPE, `Content-Length: ${GOOD.length}`, ''), GOOD, CLOSE),
  raw('HTTP/1.0 with an end by closing', 'conforming', lines('HTTP/1.0 200 OK', TYPE, ''), GOOD, CLOSE),
  raw(
    'a head and a body apart',
    'conforming',
    lines('HTTP/1.1 200 OK', TYPE, `Content-Length: ${GOOD.length}`, ''),
    20,
    GOOD,
  ),
  raw(
    'a byte at a time',
    'conforming',
    ...Array.from(Buffer.from(replyWith(GOOD)).toString('latin1'), (byte) => [byte, 0]).flat(),
  ),
  raw('100 Continue before', 'conforming', 'HTTP/1.1 100 Continue\r\n\r\n', replyWith(GOOD)),
  raw('103 Early Hints before', 'conforming', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', replyWith(GOOD)),
  raw('20 interim replies before', 'conforming', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20), replyWith(GOOD)),
  raw('gzip', 'conforming', coded('gzip', gzipSync(GOOD))),
  raw(
    'gzip in two parts',
    'conforming',
    coded('gzip', Buffer.concat([gzipSync(GOOD.slice(0, 9)), gzipSync(GOOD.slice(9))])),
  ),
  raw('deflate', 'conforming', coded('deflate', deflateSync(GOOD))),
  raw('raw deflate', 'conforming', coded('deflate', deflateRawSync(GOOD))),
  raw('brotli', 'conforming', coded('br', brotliCompressSync(GOOD))),
];

/** Replies whose transport or coding is broken. */
const BROKEN: readonly UnusualReply[] = [
  raw('nothing, then closed', 'undecided', CLOSE),
  raw('a reset', 'undecided', RESET),
  raw('half of a status line', 'undecided', 'HTTP/1.1 20', CLOSE),
  raw('half of a head', 'undecided', 'HTTP/1.1 200 OK\r\nContent-Ty', CLOSE),
  raw('a head without its end', 'undecided', lines('HTTP/1.1 200 OK', TYPE), CLOSE),
  raw('more than the length', ['reply.json'], lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 21', ''), `${GOOD}xx`),
  raw(
    'a length in characters',
    ['reply.json'],
    lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 29', ''),
    `{"balance":"1000.00","a":"é"}`,
  ),
  raw('a body that is too short', 'undecided', lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 500', ''), GOOD, CLOSE),
  raw('a body that is reset', 'undecided', lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 500', ''), GOOD, 20, RESET),
  raw('chunked without an end', 'undecided', chunked(chunk(GOOD)), CLOSE),
  raw('a chunk with a wrong length', 'undecided', chunked(`3\r\n${GOOD}\r\n`, '0\r\n\r\n'), CLOSE),
  raw('a chunk with a negative length', 'undecided', chunked(`-5\r\n${GOOD}\r\n`, '0\r\n\r\n'), CLOSE),
  raw('a chunk with a huge length', 'undecided', chunked(`fffffffffffffffff\r\n${GOOD}\r\n`), CLOSE),
  raw('a chunk without a length', 'undecided', chunked(`\r\n${GOOD}\r\n`), CLOSE),
  raw(
    'two lengths',
    'undecided',
    lines('HTTP/1.1 200 OK', TYPE, `Content-Length: ${GOOD.length}`, 'Content-Length: 5', ''),
    GOOD,
    CLOSE,
  ),
  raw('a negative length', 'undecided', lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: -5', ''), GOOD, CLOSE),
  raw('a length with a letter', 'undecided', lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 5x', ''), GOOD, CLOSE),
  raw(
    'a huge length',
    'undecided',
    lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 99999999999999999999', ''),
    GOOD,
    CLOSE,
  ),
  raw(
    'a length and chunks',
    'undecided',
    lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked', ''),
    chunk(GOOD),
    '0\r\n\r\n',
    CLOSE,
  ),
  raw(
    'an unknown transfer coding',
    ['reply.json'],
    lines('HTTP/1.1 200 OK', TYPE, 'Transfer-Encoding: rot13', ''),
    GOOD,
    CLOSE,
  ),
  raw(
    'an unknown transfer coding before chunks',
    ['reply.json'],
    lines('HTTP/1.1 200 OK', TYPE, 'Transfer-Encoding: rot13, chunked', ''),
    chunk(GOOD),
    '0\r\n\r\n',
  ),
  raw('no HTTP', 'undecided', 'SSH-2.0-OpenSSH_9.6\r\n', CLOSE),
  raw('a TLS alert', 'undecided', Buffer.of(0x15, 3, 1, 0, 2, 2, 40), CLOSE),
  raw('HTTP/2', 'undecided', Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0), CLOSE),
  raw('HTTP/9.9', 'undecided', 'HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n', CLOSE),
  raw('a status of two digits', 'undecided', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n', CLOSE),
  raw('a status of four digits', 'undecided', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', CLOSE),
  raw('a status that is a word', 'undecided', 'HTTP/1.1 OK OK\r\nContent-Length: 0\r\n\r\n', CLOSE),
  raw('a header without a colon', 'undecided', 'HTTP/1.1 200 OK\r\nContent-Type application/json\r\n\r\n', CLOSE),
  raw(
    'a header name with a space',
    'undecided',
    'HTTP/1.1 200 OK\r\nContent Type: application/json\r\nContent-Length: 0\r\n\r\n',
    CLOSE,
  ),
  raw('a NUL in a header', 'undecided', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n', CLOSE),
  raw('a head of 1 MB', 'undecided', lines('HTTP/1.1 200 OK', `X-Long: ${'a'.repeat(1_000_000)}`, ''), CLOSE),
  raw(
    '10,000 headers',
    'undecided',
    lines('HTTP/1.1 200 OK', ...Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`), ''),
    CLOSE,
  ),
  raw('10,000 interim replies', 'undecided', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(10_000), CLOSE),
  raw('gzip that is none', ['reply.json'], coded('gzip', GOOD)),
  raw('gzip that is cut', ['reply.json'], coded('gzip', gzipSync(GOOD).subarray(0, 15))),
  raw('brotli that is none', ['reply.json'], coded('br', GOOD)),
  raw('zstd that is cut', ['reply.json'], coded('zstd', zstdCompressSync(Buffer.from(GOOD)).subarray(0, 9))),
  raw('an unknown coding', ['reply.json'], coded('rot13', GOOD)),
  raw('ten codings', ['reply.json'], coded(Array.from({ length: 10 }, () => 'gzip').join(', '), GOOD)),
  raw('100 MB in gzip', 'undecided', coded('gzip', gzipSync(Buffer.alloc(100_000_000)))),
  raw('100 MB in brotli', 'undecided', coded('br', brotliCompressSync(Buffer.alloc(100_000_000)))),
];

/** Replies that are not complete before the deadline. */
const LATE: readonly UnusualReply[] = [
  raw('no reply', ['reply.deadline'], 30_000),
  raw('a head without a body', ['reply.deadline'], lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 21', ''), 30_000),
  raw(
    'half of a body',
    ['reply.deadline'],
    lines('HTTP/1.1 200 OK', TYPE, 'Content-Length: 21', ''),
    GOOD.slice(0, 9),
    30_000,
  ),
  raw('chunks without an end', ['reply.deadline'], chunked(chunk(GOOD)), 30_000),
  raw(
    'a head that never ends',
    ['reply.deadline'],
    'HTTP/1.1 200 OK\r\nX-A: ',
    ...Array.from({ length: 200 }, () => ['a', 20]).flat(),
  ),
];

/** All unusual replies, each with the verdict that it must get. */
export const REPLIES: readonly UnusualReply[] = [
  ...JSON_FORMS.map(([name, body]) => one(`JSON with ${name}`, 'conforming', body)),
  ...HEADS.map(([name, head]) => one(`a head with ${name}`, 'conforming', GOOD, head)),
  ...TRANSPORT,
  ...NOT_JSON.map(([name, body]) => one(`a body that is ${name}`, ['reply.json'], body)),
  ...NOT_DECIMAL.map(([name, value]) =>
    one(`a balance that is ${name}`, ['money.decimal-string'], `{"balance":${value}}`),
  ),
  ...STATUSES.map(([status, rule]) => one(`status ${status}`, [rule], GOOD, { status: `${status} Status` })),
  ...UNKNOWN_PATH.map((status) => one(`status ${status}`, 'undecided', GOOD, { status: `${status} Status` })),
  ...MESSAGES.map((text) =>
    one(
      `a message of ${JSON.stringify(text)} many times`,
      ['balance.read'],
      JSON.stringify({ message: filled(text) }),
      { status: '400 Bad Request' },
    ),
  ),
  ...MESSAGES.slice(0, 54).map((text) =>
    one(
      `a message of 401 of ${JSON.stringify(text)} many times`,
      ['signature.accepted'],
      JSON.stringify({ message: filled(`${text}x`) }),
      { status: '401 Unauthorized' },
    ),
  ),
  ...BROKEN,
  ...LATE,
];
