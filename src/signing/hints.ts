import { plural } from '../contract/plural.ts';
import type { SignedRequest } from './request.ts';

/** The most common hash function for each length in bytes. */
const HASHES: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  28: 'SHA-224',
  32: 'SHA-256',
  48: 'SHA-384',
  64: 'SHA-512',
};

/**
 * Returns observations about a signature that could not be explained: its form, and possible damage to the given
 * request.
 */
export function hintsOf(
  { body, url, signature = '' }: SignedRequest,
  { keys, tried }: { readonly keys: number; readonly tried: number },
): readonly string[] {
  return [
    formHint(signature.trim()),
    ...(body === null ? queryHints(url) : bodyHints(Buffer.from(body))),
    ...(keys < 2 && tried > 0
      ? [
          'Only one key was tried. Give the other keys of the operator too, with --key-file (repeatable) and --api-key-file.',
        ]
      : []),
  ];
}

function formHint(signature: string): string {
  if (signature === '')
    return 'The signature is empty. Either nothing was signed, or the value of the header was lost.';
  const isHex = /^[0-9a-f]+$/i.test(signature);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
  if (!isHex && !isBase64)
    return 'The signature is neither hexadecimal nor base64. The given text may not be a signature.';
  if (isHex && signature.length % 2 === 1) {
    return `The signature has ${signature.length} hexadecimal digits, which is an odd number. At least one digit was lost or added.`;
  }
  const bytes = isHex ? signature.length / 2 : Buffer.from(signature, 'base64').length;
  const hash = HASHES[bytes];
  if (hash === undefined)
    return `The signature has ${plural(bytes, 'byte')}, and no common hash has this length. It may be cut, or may not be a hash.`;
  return hash === 'SHA-256'
    ? 'The signature has the correct length for HMAC-SHA256. So another key was used, or other bytes were signed.'
    : `The signature has ${bytes} bytes, like ${hash}. It must be HMAC-SHA256, which has 32 bytes.`;
}

function bodyHints(body: Buffer): readonly string[] {
  const text = body.toString('utf8');
  const hints: string[] = [];
  if (body.length === 0)
    return ['The body is empty. The program may have read it before signing, or the log may have left it out.'];
  if (!isJson(text))
    hints.push('The body is not JSON. A log may have cut it, changed its quotation marks or masked a part of it.');
  if (/\*{3,}|x{4,}|<redacted>|\[redacted\]|\[filtered\]/i.test(text)) {
    hints.push('The body seems to be masked. To explain the signature, give the exact bytes that were signed.');
  }
  if (text.includes('\ufffd')) hints.push('The body is not UTF-8, or a log wrote it in a different encoding.');
  return hints;
}

function queryHints(url: string): readonly string[] {
  return url.includes('?')
    ? []
    : ['The given URL has no query. The signature of a GET covers all parameters of the query, so give the whole URL.'];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
