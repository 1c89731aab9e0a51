import type { Fields } from '../../json-fields.ts';
import type { LogField } from './log-form.ts';

/** The names of the fields that croupier reads from a line of text about a call. */
const PRINTED: ReadonlySet<string> = new Set([
  'timestamp',
  'trace_id',
  'status',
  'player',
  'currency',
  'tookMs',
  'error',
  'call',
  'url',
  'method',
  'requestBody',
  'sessionID',
  'responseBody',
]);

/** The object that was looked at last. Many fields of the same object are read one after another. */
let last: { readonly object: Fields; readonly isPrinted: boolean } | null = null;

/**
 * True if an object has only texts, and only names of {@link PRINTED}. Each of these names belongs to one field, and none of them
 * contains other fields. So {@link printedField} finds a value in much less time than a search for all names of its field.
 */
export function isPrinted(object: Fields): boolean {
  if (last?.object === object) return last.isPrinted;
  const found = hasOnlyPrinted(object);
  last = { object, isPrinted: found };
  return found;
}

function hasOnlyPrinted(object: Fields): boolean {
  for (const name of Object.keys(object)) {
    if (!PRINTED.has(name)) return false;
    const value = object[name];
    if (typeof value !== 'string' && value !== undefined) return false;
  }
  return true;
}

/** Returns the value that an object for which {@link isPrinted} is true has under the name of a field. */
export function printedField(object: Fields, field: LogField): unknown {
  switch (field) {
    case 'time':
      return object.timestamp;
    case 'correlation':
      return object.trace_id;
    case 'session':
      return object.sessionID;
    case 'status':
      return object.status;
    case 'player':
      return object.player;
    case 'currency':
      return object.currency;
    case 'tookMs':
      return object.tookMs;
    case 'error':
      return object.error;
    case 'call':
      return object.call;
    case 'url':
      return object.url;
    case 'method':
      return object.method;
    case 'requestBody':
      return object.requestBody;
    case 'responseBody':
      return object.responseBody;
    case 'tookSeconds':
    case 'took':
    case 'contentType':
    case 'tx':
    case 'origTx':
    case 'round':
    case 'amount':
    case 'type':
    case 'frID':
    case 'balance':
    case 'replyTx':
    case 'code':
    case 'signature':
      return undefined;
  }
}
