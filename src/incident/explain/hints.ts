import type { SignedRequest } from './request.ts';

/** What hash gives so many bytes. */
const LENGTHS: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  28: 'SHA-224',
  32: 'SHA-256',
  48: 'SHA-384',
  64: 'SHA-512',
};

/** What can be said of a signature that nothing gives: what its form tells, and what may be wrong with what is at hand. Sentences. */
export function hintsOf({ body, url, signature = '' }: SignedRequest, keys: number): readonly string[] {
  return [
    formHint(signature.trim()),
    ...(body === null ? queryHints(url) : bodyHints(Buffer.from(body))),
    ...(keys < 2
      ? ['Only one key was tried: offer the others that the operator has (--key-file, repeatable; --api-key-file).']
      : []),
  ];
}

function formHint(signature: string): string {
  if (signature === '') return 'The signature is empty: nothing was signed, or the header was lost.';
  const isHex = /^[0-9a-f]+$/i.test(signature);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
  if (!isHex && !isBase64) return 'The signature is neither hexadecimal nor base64: it may not be one at all.';
  if (isHex && signature.length % 2 === 1) {
    return `The signature has ${signature.length} hexadecimal digits, which is no whole number of bytes: a digit was lost.`;
  }
  const bytes = isHex ? signature.length / 2 : Buffer.from(signature, 'base64').length;
  const hash = LENGTHS[bytes];
  if (hash === undefined)
    return `The signature has ${bytes} bytes, as no usual hash has: it may be cut, or of another kind.`;
  return hash === 'SHA-256'
    ? 'The signature is as long as one of HMAC-SHA256: the key or the signed bytes are others.'
    : `The signature has ${bytes} bytes, as one of ${hash} has; it has to be HMAC-SHA256, which has 32.`;
}

function bodyHints(body: Buffer): readonly string[] {
  const text = body.toString('utf8');
  const hints: string[] = [];
  if (body.length === 0) return ['The body is empty: was it read before, or not written down?'];
  if (!isJson(text))
    hints.push('The body is no JSON: a log may have cut it, changed its quotation marks or masked a part.');
  if (/\*{3,}|x{4,}|<redacted>|\[redacted\]|\[filtered\]/i.test(text)) {
    hints.push('The body seems to be masked: the bytes that were signed are needed.');
  }
  if (text.includes('\ufffd')) hints.push('The body is no UTF-8, or was written down as another encoding.');
  return hints;
}

function queryHints(url: string): readonly string[] {
  return url.includes('?') ? [] : ['The address has no query: all parameters of a GET are signed.'];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
