import type { Body, ExchangeRequest } from '../journal/exchange.ts';

/** Headers that curl sets itself, from the address and the body. */
const MADE_BY_CURL = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding']);

/**
 * Writes a request as a curl command for a POSIX shell, which sends the same bytes and the same signature again. Returns null if
 * the journal does not hold the whole body.
 *
 * The command contains only printable text. Characters that control a terminal are written as octal codes.
 */
export function curlLine(request: ExchangeRequest): string | null {
  const { body } = request;
  if (body?.truncated) return null;
  const words = ['curl', '-sSi'];
  // Without these options, curl would expand brackets and normalise the path.
  if (/[[\]{}]/.test(request.url)) words.push('--globoff');
  if (/\/\.{1,2}(?:[/?#]|$)/.test(request.url)) words.push('--path-as-is');
  words.push('-X', quoteWord(request.method), quoteWord(request.url));
  for (const [name, value] of request.headers) {
    if (MADE_BY_CURL.has(name.toLowerCase())) continue;
    // For curl, `Name:` removes the header and `Name;` sends it with an empty value.
    words.push('-H', quoteWord(value === '' ? `${name};` : `${name}: ${value}`));
  }
  if (body === null) return words.join(' ');
  if (!request.headers.some(([name]) => name.toLowerCase() === 'content-type')) words.push('-H', "'Content-Type:'");
  if (isPlain(body)) return [...words, '--data-raw', quoteWord(body.data)].join(' ');
  return `printf ${printfFormat(body)} | ${[...words, '--data-binary', '@-'].join(' ')}`;
}

/**
 * Quotes any text as one word for a POSIX shell. The word contains only printable text. If the text has control characters, a shell
 * drops line breaks at its end.
 */
export function quoteWord(text: string): string {
  if (UNPRINTABLE.test(text)) return `"$(printf ${printfFormat({ encoding: 'utf8', data: text })})"`;
  return /^[\w./:=@%+,-][\w./:=@%+,#-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Characters that control a terminal, or that change the order or the lines of a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function isPlain(body: Body): boolean {
  return body.encoding === 'utf8' && !UNPRINTABLE.test(body.data);
}

function printfFormat(body: Pick<Body, 'encoding' | 'data'>): string {
  const bytes = Buffer.from(body.data, body.encoding);
  let format = '';
  for (const [index, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    // printf would read a text that begins with a hyphen as an option, so this hyphen is also written as a code.
    const needsCode = byte < 0x20 || byte > 0x7e || character === '\\' || (index === 0 && character === '-');
    if (character === '%') format += '%%';
    else if (needsCode) format += `\\${byte.toString(8).padStart(3, '0')}`;
    else format += character;
  }
  return `'${format.replaceAll("'", "'\\''")}'`;
}
