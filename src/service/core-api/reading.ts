import { canonicalJson, NotCanonicalError } from '../../contract/canonical.ts';
import type { CoreOperation } from '../../contract/core-operations.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { readJson } from '../../contract/json-text.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A request whose text could be read; nothing of it is checked. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly carrier: 'body' | 'query';
  readonly fields: JsonObject;
  /** The texts of which one must be signed; the first is shown to whoever signed something else. */
  readonly canonicals: readonly string[];
  readonly raw: Uint8Array | string;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Reads the body, or of a GET the query. */
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
    return refusal(400, 'Send one JSON object in UTF-8 as the body.', { details: 'body: it is JSON, but no object' });
  }
  return { kind: 'read', carrier: 'body', fields: read.value, canonicals: [canonicalJson(read.value)], raw: body };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A parameter that is given once is text. One that is given several times is a list of texts, and is signed as such or with
 * its values joined by commas: the contract does not tell (position).
 */
function readQuery(query: string): ReadRequest {
  // The question mark keeps the parser from taking one that belongs to the first name for the separator.
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
