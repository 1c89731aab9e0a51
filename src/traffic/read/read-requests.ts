import { SIGNATURE_HEADER } from '../../contract/signature.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import type { SignedRequest } from '../../signing/request.ts';
import type { LoggedRequest } from '../logged-exchange.ts';
import type { ReadFileBeside } from './commands/command.ts';
import { logForm } from './logs/log-form.ts';
import { isInChunks, joinChunks } from './multiline/raw-http.ts';
import { readEntries } from './read-entries.ts';

/** The requests that were found in a text, and the entries that could not be read. */
export interface ReadRequests {
  readonly requests: readonly SignedRequest[];
  /** The entries that could not be read, each with its line and the reason. */
  readonly unread: readonly { readonly line: number; readonly why: string }[];
}

const RAW_HTTP = /^(?:[A-Z]+) \S+ HTTP\/\d(?:\.\d)?\r?\n/;

/** Matches a second request, as in the files of HTTP clients. */
const SEVERAL = /\n(?:\r?\n|###[^\n]{0,200}\n)(?:GET|POST) \S+ HTTP\/\d/;

/**
 * Reads the requests in curl lines (of any shell), raw HTTP, a HAR or a journal. A body has exactly the bytes that were sent, as
 * far as the file contains them.
 */
export async function readRequests(bytes: Uint8Array, file: string, beside?: ReadFileBeside): Promise<ReadRequests> {
  const text = Buffer.from(bytes).toString('latin1');
  if (RAW_HTTP.test(text) && !SEVERAL.test(text)) return { requests: [rawRequest(Buffer.from(bytes))], unread: [] };
  const lines = text.split('\n');
  const requests: SignedRequest[] = [];
  const unread: { line: number; why: string }[] = [];
  for await (const sighting of readEntries(once(bytes), {
    file,
    side: null,
    form: logForm(),
    ...(beside && { beside }),
  })) {
    if (sighting.kind === 'unreadable') unread.push({ line: sighting.line, why: sighting.why });
    else if (sighting.kind === 'exchange') {
      const { request: logged, logged: fields } = sighting.exchange;
      const line = sighting.exchange.place.line;
      const request = signedRequest(logged, fields.signature ?? signatureIn(lines[line - 1] ?? ''));
      if (request) requests.push(request);
      else unread.push({ line: sighting.exchange.place.line, why: 'its body or its URL was not logged' });
    }
  }
  return { requests, unread };
}

/**
 * Matches the signature in a line of text, with the name of its header or with a name that people give it in the format of a web server:
 * `sign="9f86…"`. A parameter of the query is no signature of the contract.
 */
const SIGNATURE_IN_LINE =
  /(?:x[-_]request[-_]sign|(?<![?&\w.-])sign(?:ature)?)["']?\s{0,3}[:=]>?\s{0,3}[[("']{0,3}([\da-f]{64})(?![\da-f])/i;

function signatureIn(line: string): string | undefined {
  return SIGNATURE_IN_LINE.exec(line)?.[1];
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Returns the parts of a request from which a signature is computed. Returns undefined if the log lacks one of them.
 *
 * @param logged the signature, if the log has it in a field of its own
 */
export function signedRequest(
  { method, url, headers, body }: LoggedRequest,
  logged?: string,
): SignedRequest | undefined {
  if (body === 'unknown' || url === null || body?.truncated) return undefined;
  return {
    method: method ?? (body === null ? 'GET' : 'POST'),
    url,
    body: body === null ? null : Buffer.from(body.data, body.encoding),
    signature: (headers === null ? undefined : header(headers, SIGNATURE_HEADER)) ?? logged,
    ...(headers && { headers }),
  };
}

/** Reads one raw HTTP request. Bytes beyond the Content-Length are ignored. */
function rawRequest(bytes: Buffer): SignedRequest {
  const gap = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  const head = bytes
    .subarray(0, gap?.index ?? bytes.length)
    .toString('utf8')
    .split(/\r?\n/);
  const [method = 'POST', target = ''] = (head[0] ?? '').split(' ');
  const headers: HeaderList = head.slice(1).flatMap((line) => {
    const at = line.indexOf(':');
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  const host = header(headers, 'host');
  return {
    method,
    url: target.startsWith('/') && host !== undefined ? `http://${host}${target}` : target,
    body: method === 'GET' ? null : rawBody(bytes.subarray(gap ? gap.index + gap[0].length : bytes.length), headers),
    signature: header(headers, SIGNATURE_HEADER),
    headers,
  };
}

function rawBody(rest: Buffer, headers: HeaderList): Buffer {
  const length = header(headers, 'content-length');
  if (length !== undefined && /^\d+$/.test(length) && Number(length) <= rest.length)
    return rest.subarray(0, Number(length));
  if (isInChunks(headers, rest.toString('latin1').split('\n', 1)[0] ?? '')) {
    const joined = joinChunks(rest);
    if (joined) return joined;
  }
  // Editors write a line break at the end of a file. This line break was not part of the body, so it is removed.
  return rest.at(-1) === 0x0a ? rest.subarray(0, rest.at(-2) === 0x0d ? -2 : -1) : rest;
}
