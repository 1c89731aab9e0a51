import type { SignedRequest } from './request.ts';

/** The usual hash with this number of bytes. */
const HASHES: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  28: 'SHA-224',
  32: 'SHA-256',
  48: 'SHA-384',
  64: 'SHA-512',
};

/** Observations about a signature that no construction explains: its form, and possible damage to the given request. Sentences. */
export function hintsOf({ body, url, signature = '' }: SignedRequest, keys: number): readonly string[] {
  return [
    formHint(signature.trim()),
    ...(body === null ? queryHints(url) : bodyHints(Buffer.from(body))),
    ...(keys < 2
      ? ['Only one key was tried: give the other keys of the operator too (--key-file, repeatable; --api-key-file).']
      : []),
  ];
}

function formHint(signature: string): string {
  if (signature === '') return 'The signature is empty: nothing was signed, or the header was lost.';
  const isHex = /^[0-9a-f]+$/i.test(signature);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
  if (!isHex && !isBase64) return 'The signature is neither hexadecimal nor base64, so it may be something else.';
  if (isHex && signature.length % 2 === 1) {
    return `The signature has ${signature.length} hexadecimal digits, which is not a whole number of bytes: a digit was lost.`;
  }
  const bytes = isHex ? signature.length / 2 : Buffer.from(signature, 'base64').length;
  const hash = HASHES[bytes];
  if (hash === undefined)
    return `The signature has ${bytes} bytes, unlike any usual hash: it may be cut, or of another kind.`;
  return hash === 'SHA-256'
    ? 'The signature has the length of HMAC-SHA256: the key or the signed bytes differ.'
    : `The signature has ${bytes} bytes, like ${hash}; it must be HMAC-SHA256, which has 32.`;
}

function bodyHints(body: Buffer): readonly string[] {
  const text = body.toString('utf8');
  const hints: string[] = [];
  if (body.length === 0) return ['The body is empty: it may have been read before, or the log may have omitted it.'];
  if (!isJson(text))
    hints.push('The body is not JSON: a log may have cut it, changed its quotation marks or masked a part.');
  if (/\*{3,}|x{4,}|<redacted>|\[redacted\]|\[filtered\]/i.test(text)) {
    hints.push('The body seems to be masked: the exact signed bytes are needed.');
  }
  if (text.includes('\ufffd')) hints.push('The body is not UTF-8, or was logged in another encoding.');
  return hints;
}

function queryHints(url: string): readonly string[] {
  return url.includes('?') ? [] : ['The URL has no query, but the signature of a GET covers all its parameters.'];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
