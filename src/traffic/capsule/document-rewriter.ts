import { gunzipSync } from 'node:zlib';
import { SIGNATURE_HEADER, type SignatureState } from '../../contract/signature.ts';
import { type Fields, isFields } from '../json-fields.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import { CROUPIER, isHarEntry, readHarEntry } from '../read/documents/har.ts';
import { fieldMeaning, isPrivateHeader } from './field-meaning.ts';
import { inList, type TextRewriter } from './text-rewriter.ts';

/** Fields whose values are fixed words of the format and not text from users. */
const FORMAT_FIELDS = new Set(
  (
    'event format schema croupier contract rule rules verdict call endpoint purpose kind level group state how signal encoding ' +
    'startedAt startedDateTime planHash runID seed because causes explains clause since sentence means hint httpVersion ' +
    'method mimeType currency gameID exitCode signature signed brokenAt scenario scenarios step id file exchange exchanges seenIn'
  ).split(' '),
);

/** Rewrites events of journals, entries of HARs, and reports, including their bodies, headers and URLs. */
export class DocumentRewriter {
  readonly #text: TextRewriter;
  readonly #state: (exchange: Pick<LoggedExchange, 'request' | 'logged'>) => SignatureState;
  readonly #privateHeaders: ReadonlySet<string>;

  /**
   * @param state verifies the signature of a request
   * @param privateHeaders the names of further headers with private values, in lower case
   */
  constructor(
    text: TextRewriter,
    state: (exchange: Pick<LoggedExchange, 'request' | 'logged'>) => SignatureState,
    privateHeaders: ReadonlySet<string>,
  ) {
    this.#text = text;
    this.#state = state;
    this.#privateHeaders = privateHeaders;
  }

  rewrite(value: unknown, name?: string, parent?: string): unknown {
    if (typeof value === 'string') {
      const isFormat = name !== undefined && FORMAT_FIELDS.has(name) && fieldMeaning(name, parent) === undefined;
      return isFormat ? this.#keep(value, name) : this.#text.value(value, name, parent);
    }
    if (Array.isArray(value)) {
      if (name === 'cookies') {
        // The list of cookies is removed. But the values of the cookies are still read, so that they are also removed in other
        // places.
        for (const cookie of value)
          if (isFields(cookie) && typeof cookie.value === 'string') this.#text.remove(cookie.value, 'likely');
        return [];
      }
      if (name === 'headers') return value.map((header) => this.#header(header));
      return value.map((item) => this.rewrite(item, inList(name), parent));
    }
    if (!isFields(value)) return value;
    if (name !== 'log' && typeof value.name === 'string' && typeof value.value === 'string') {
      return { ...this.#siblings(value, ['name', 'value']), value: this.#text.value(value.value, value.name) };
    }
    if (typeof value.data === 'string' && typeof value.length === 'number')
      return { ...this.#siblings(value, ['data']), ...this.#body(value, 'data', 'length') };
    if (typeof value.text === 'string' && (name === 'content' || name === 'postData')) {
      return { ...this.#siblings(value, ['text'], name), ...this.#body(value, 'text', 'size') };
    }
    return this.#signed(value, withLength(value, this.#siblings(value, [], name)));
  }

  /** Rewrites the fields of an object, except the named fields, which the caller rewrites in another way. */
  #siblings(value: Fields, except: readonly string[], name?: string): Fields {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, except.includes(key) ? part : this.rewrite(part, key, name)]),
    );
  }

  #keep(value: string, name: string): string {
    return /At$|DateTime$|Hash$/.test(name) ? value : this.#text.keep(value);
  }

  /**
   * Adds the result of verifying the signature of the original request. The signature of the rewritten request can't be verified.
   */
  #signed(before: Fields, after: Fields): Fields {
    if (isHarEntry(before)) {
      const sighting = readHarEntry(before, { file: '', line: 1 }, 'service');
      const own = isFields(after[CROUPIER]) ? after[CROUPIER] : {};
      if (sighting.kind !== 'exchange' || own.signature !== undefined) return after;
      return { ...after, [CROUPIER]: { ...own, signature: this.#state(sighting.exchange) } };
    }
    const { request, signature, event } = before;
    const isExchange = event === 'sending' || ('outcome' in before && 'purpose' in before);
    if (!isExchange || !isFields(request) || signature !== undefined) return after;
    return { ...after, signature: this.#state({ request, logged: {} }) };
  }

  #header(header: unknown): unknown {
    if (Array.isArray(header)) {
      const [name, value] = header as readonly unknown[];
      return typeof name === 'string' && typeof value === 'string' ? [name, this.#headerValue(name, value)] : header;
    }
    if (!isFields(header) || typeof header.name !== 'string' || typeof header.value !== 'string') return header;
    return { ...this.#siblings(header, ['name', 'value']), value: this.#headerValue(header.name, header.value) };
  }

  #headerValue(name: string, value: string): string {
    const isSignature = name.toLowerCase() === SIGNATURE_HEADER.toLowerCase();
    // The signature is removed. If it were kept, somebody with the key could compute signatures for possible ids, and find the id
    // whose signature matches.
    if (isSignature) return this.#text.remove(value);
    return isPrivateHeader(name, this.#privateHeaders)
      ? this.#text.removeHeader(name, value)
      : this.#text.value(value, name);
  }

  /**
   * Rewrites a body. Returns the fields that change. Also replaces ids in binary data. A compressed body is stored without
   * compression.
   */
  #body(body: Fields, at: 'data' | 'text', lengthAt: 'length' | 'size'): Fields {
    const text = String(body[at]);
    if (body.encoding !== 'base64') {
      const changed = this.#text.rewrite(text);
      return {
        [at]: changed,
        ...withGrownLength(body, lengthAt, Buffer.byteLength(changed) - Buffer.byteLength(text)),
      };
    }
    const bytes = decompressed(Buffer.from(text, 'base64'));
    const latin1 = bytes.toString('latin1');
    // Bytes that are not UTF-8 are decoded as Latin-1, which has a character for every byte. So all bytes outside the replaced text
    // stay the same.
    const utf8 = Buffer.from(latin1, 'latin1').equals(Buffer.from(bytes.toString('utf8')))
      ? bytes.toString('utf8')
      : null;
    const changed =
      utf8 === null ? Buffer.from(this.#text.rewrite(latin1), 'latin1') : Buffer.from(this.#text.rewrite(utf8));
    if (changed.equals(bytes)) return {};
    return {
      [at]: changed.toString('base64'),
      ...withGrownLength(body, lengthAt, changed.length - bytes.length),
    };
  }
}

function decompressed(bytes: Buffer): Buffer {
  try {
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
  } catch {
    return bytes;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;

function withGrownLength(body: Fields, name: string, by: number): Fields {
  const length = body[name];
  return typeof length === 'number' ? { [name]: Math.max(0, length + by) } : {};
}

/** Corrects the Content-Length header and the size fields after a body was rewritten. */
function withLength(before: Fields, after: Fields): Fields {
  const [was, is] = [lengthOf(before), lengthOf(after)];
  if (was === undefined || is === undefined || was === is || !Array.isArray(after.headers)) return after;
  const fix = (name: unknown, value: unknown): unknown =>
    String(name).toLowerCase() === 'content-length' && value === String(was) ? String(is) : value;
  const headers = (after.headers as readonly unknown[]).map((header) => {
    if (Array.isArray(header)) return [header[0], fix(header[0], header[1])];
    return isFields(header) ? { ...header, value: fix(header.name, header.value) } : header;
  });
  return { ...after, headers, ...(after.bodySize === was && { bodySize: is }) };
}

function lengthOf({ body, content, postData }: Fields): number | undefined {
  const part = [body, content, postData].find(isFields);
  if (part === undefined) return undefined;
  if (typeof part.length === 'number') return part.length;
  if (typeof part.size === 'number') return part.size;
  return typeof part.text === 'string' && part.encoding !== 'base64' ? Buffer.byteLength(part.text) : undefined;
}
