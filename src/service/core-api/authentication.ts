import { SIGNATURE_HEADER, verifySignature } from '../../contract/signature.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import type { ServiceClient } from '../client.ts';
import type { ReadRequest } from './reading.ts';
import { type FieldProblem, type Refusal, refusal, wrongFields } from './refusal.ts';

export interface Caller {
  readonly kind: 'caller';
  readonly client: ServiceClient;
}

/**
 * Returns the signature of a request, or refuses a request without one. The service checks the signature before everything
 * else.
 */
export function requireSignature({ headers }: ListenRequest): string | Refusal {
  const signature = headerOf(headers, SIGNATURE_HEADER)?.trim();
  if (signature) return signature;
  return refusal(401, `The header ${SIGNATURE_HEADER} is missing or empty. Sign the request.`, {
    details: `${SIGNATURE_HEADER} is a lower-case hexadecimal HMAC-SHA256 with the API key. It covers the canonical JSON of the body, or of the query parameters of a GET.`,
  });
}

/**
 * Returns the client of a request by its `cID` and `extCID`, if the request has a valid signature of this client
 * (contract, Authentication).
 */
export function authenticate(
  { carrier, fields, canonicals, raw }: ReadRequest,
  signature: string,
  clients: readonly ServiceClient[],
): Caller | Refusal {
  const { cID, extCID } = fields;
  if (typeof cID !== 'string' || typeof extCID !== 'string') {
    return wrongFields(carrier, [...idProblem('cID', cID), ...idProblem('extCID', extCID)]);
  }
  if (!clients.some((client) => client.cID === cID)) {
    return refusal(401, 'No client has this cID. Send the cID that you were given.', { details: `cID: ${cID}` });
  }
  const client = clients.find((one) => one.cID === cID && one.extCID === extCID);
  if (!client) {
    return refusal(
      401,
      'No client of this cID has this extCID. Send a registered extCID. Upper and lower case matter.',
      {
        details: `extCID: ${extCID}`,
      },
    );
  }
  const check = checkSignature(canonicals, raw, signature, client);
  if (check.kind === 'valid') return { kind: 'caller', client };
  return refusal(401, `${SIGNATURE_HEADER} does not contain the signature of this request. ${check.hint}`, {
    details: `the text to sign with the API key of ${extCID} is: ${canonicals[0]}`,
  });
}

function idProblem(field: string, value: unknown): readonly FieldProblem[] {
  if (typeof value === 'string') return [];
  return [{ field, message: value === undefined ? 'required' : 'expected one string' }];
}

type SignatureCheck =
  | { readonly kind: 'valid' }
  /** `hint` describes the likely mistake, as a sentence for the operator. */
  | { readonly kind: 'wrong'; readonly hint: string };

const SEPARATORS = { '\u2028': '\\u2028', '\u2029': '\\u2029' };
const MARKUP = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/**
 * Returns the ways to write a canonical text that operators' client libraries sign: as RFC 8785 requires, with escaped line
 * separators (PHP), with escaped HTML characters as well (Go), or with every character outside of ASCII escaped (Python).
 */
function spellings(canonical: string): readonly string[] {
  const all = [
    canonical,
    respell(canonical, SEPARATORS),
    respell(canonical, { ...SEPARATORS, ...MARKUP }),
    inAscii(canonical),
  ];
  return [...new Set(all)];
}

/** Escapes every character that is not printable ASCII, as `json.dumps` of Python does. */
function inAscii(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Adds a blank after each comma and colon between the values of a JSON text, as `json.dumps` of Python does by default. */
function withBlanks(canonical: string): string {
  let isText = false;
  let isEscaped = false;
  return Array.from(canonical, (character) => {
    if (character === '"' && !isEscaped) isText = !isText;
    isEscaped = character === '\\' && !isEscaped;
    return !isText && (character === ',' || character === ':') ? `${character} ` : character;
  }).join('');
}

function respell(text: string, replacements: Readonly<Record<string, string>>): string {
  return text.replace(
    new RegExp(`[${Object.keys(replacements).join('')}]`, 'g'),
    (found) => replacements[found] ?? found,
  );
}

/**
 * Checks that a request is signed with the client's key. The operator may have signed any of the canonical texts, in any of the
 * spellings of the operators' client libraries, because the contract does not define the exact text.
 *
 * @param canonicals at least one text; several if a query can be read as different objects
 * @param raw the bytes as they were sent, to recognise a signature over these bytes
 */
function checkSignature(
  canonicals: readonly string[],
  raw: Uint8Array | string,
  signature: string,
  client: ServiceClient,
): SignatureCheck {
  const texts = canonicals.flatMap(spellings);
  const isMade = (key: string, header = signature): boolean => texts.some((text) => verifySignature(text, key, header));
  if (isMade(client.apiKey)) return { kind: 'valid' };
  const isOver = (rewrite: (text: string) => string): boolean =>
    texts.some((text) => verifySignature(rewrite(text), client.apiKey, signature));
  if (isOver(withBlanks)) return { kind: 'wrong', hint: BLANKS };
  if (isOver((text) => `${text}\n`)) return { kind: 'wrong', hint: LINE_BREAK };
  return { kind: 'wrong', hint: hintOf(signature, raw, client, isMade) };
}

const BLANKS =
  'You signed JSON with a blank after each comma and colon. Sign the text without blanks: in Python, `separators=(",", ":")`.';

const LINE_BREAK =
  'You signed the canonical JSON with a line break after it. Sign the text without the line break: in Go, remove what `json.Encoder` adds, or use `json.Marshal`.';

function hintOf(
  signature: string,
  raw: Uint8Array | string,
  { apiKey, integrationApiKey }: ServiceClient,
  isMade: (key: string, header?: string) => boolean,
): string {
  if (isMade(integrationApiKey)) {
    return 'You signed with the Integration API key, which is for reverse calls. Sign with the API key.';
  }
  if (isMade(apiKey, signature.toLowerCase()))
    return 'The signature is right, except that it is in upper case. Write the signature in lower case.';
  if (verifySignature(raw, apiKey, signature)) {
    return 'You signed the text as you sent it. Sign the canonical form of this text: sorted names, no white space.';
  }
  return 'You signed another text, or used another key.';
}
