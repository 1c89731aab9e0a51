import { canonicalJson, NotCanonicalError } from '../../contract/canonical.ts';
import type { CoreOperation } from '../../contract/core-api.ts';
import { type JsonObject, type JsonValue, readJson } from '../../contract/json.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A request whose body or query could be read. Its fields are not checked yet. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly carrier: 'body' | 'query';
  readonly fields: JsonObject;
  /**
   * The canonical JSON texts of the request. The operator must sign one of these texts. If the signature is wrong, the service
   * shows the first text to the operator.
   */
  readonly canonicals: readonly string[];
  readonly raw: Uint8Array | string;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Reads the body of a request, or the query of a GET. */
export function readRequest(request: ListenRequest, { method }: CoreOperation): ReadRequest | Refusal {
  try {
    return method === 'GET' ? readQuery(request.query) : readBody(request);
  } catch (error) {
    if (!(error instanceof NotCanonicalError)) throw error;
    return refusal(400, 'The request contains a text or a number that has no canonical JSON form (RFC 8785).', {
      details: error.message,
    });
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
    return refusal(400, 'The body must be one JSON object in UTF-8.', { details: `body: ${read.reason}` });
  }
  if (!isObject(read.value)) {
    return refusal(400, 'The body must be one JSON object in UTF-8.', {
      details: 'body: expected a JSON object, but it is another JSON value',
    });
  }
  return { kind: 'read', carrier: 'body', fields: read.value, canonicals: [canonicalJson(read.value)], raw: body };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a query. A parameter with one value is a string, and a parameter with several values is a list of strings. The contract
 * does not say how to sign such a list. Therefore the service accepts two forms: the list, and one text with the values of the
 * list, separated by commas.
 */
function readQuery(query: string): ReadRequest {
  // `URLSearchParams` removes a question mark at the beginning. If the first name itself begins with a question mark, this question
  // mark would be lost. So another one is added before it.
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
