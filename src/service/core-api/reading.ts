import { canonicalJson, NotCanonicalError } from '../../contract/canonical.ts';
import type { CoreOperation } from '../../contract/core-api.ts';
import { type JsonObject, type JsonValue, readJson } from '../../contract/json.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A request whose text could be read. Its fields are not checked yet. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly carrier: 'body' | 'query';
  readonly fields: JsonObject;
  /** The canonical texts, of which one must be signed. The first is shown when the signature is wrong. */
  readonly canonicals: readonly string[];
  readonly raw: Uint8Array | string;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Reads the body, or the query of a GET. */
export function readRequest(request: ListenRequest, { method }: CoreOperation): ReadRequest | Refusal {
  try {
    return method === 'GET' ? readQuery(request.query) : readBody(request);
  } catch (error) {
    if (!(error instanceof NotCanonicalError)) throw error;
    return refusal(400, 'Send text and numbers that have a canonical form.', { details: error.message });
  }
}

function readBody({ headers, body }: ListenRequest): ReadRequest | Refusal {
  const type = headerOf(headers, 'content-type');
  if (type !== undefined && !JSON_TYPE.test(type)) {
    return refusal(400, 'Send the body as JSON, with the header Content-Type: application/json.', {
      details: `Content-Type is ${type}`,
    });
  }
  const read = readJson(body);
  if (read.kind === 'refused') {
    return refusal(400, 'Send one JSON object in UTF-8 as the body.', { details: `body: ${read.reason}` });
  }
  if (!isObject(read.value)) {
    return refusal(400, 'Send one JSON object in UTF-8 as the body.', {
      details: 'body: it is JSON, but not an object',
    });
  }
  return { kind: 'read', carrier: 'body', fields: read.value, canonicals: [canonicalJson(read.value)], raw: body };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A parameter that is given once is text. One that is given several times is a list of texts, and is signed as such or with
 * its values joined by commas: the contract leaves it open (position).
 */
function readQuery(query: string): ReadRequest {
  // Without this question mark the parser would drop one at the start of the first name.
  const params = new URLSearchParams(`?${query}`);
  const names = [...new Set(params.keys())];
  const fields = Object.fromEntries(
    names.map((name): [string, string | string[]] => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
  const joined = Object.fromEntries(names.map((name) => [name, params.getAll(name).join(',')]));
  const canonicals = [canonicalJson(fields), canonicalJson(joined)];
  return { kind: 'read', carrier: 'query', fields, canonicals: [...new Set(canonicals)], raw: query };
}
