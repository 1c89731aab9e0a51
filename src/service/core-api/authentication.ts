import { SIGNATURE_HEADER, verifySignature } from '../../contract/signature.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import type { ServiceClient } from '../client.ts';
import type { ReadRequest } from './reading.ts';
import { type FieldProblem, type Refusal, refusal, wrongFields } from './refusal.ts';

export interface Caller {
  readonly kind: 'caller';
  readonly client: ServiceClient;
}

/** Refuses a request without a signature, before anything else of it is checked. */
export function requireSignature({ headers }: ListenRequest): string | Refusal {
  const signature = headerOf(headers, SIGNATURE_HEADER)?.trim();
  if (signature) return signature;
  return refusal(401, `Sign the request: the header ${SIGNATURE_HEADER} is missing or empty.`, {
    details: `${SIGNATURE_HEADER} is the lower-case hexadecimal HMAC-SHA256, made with the API key, of the canonical JSON of the body, or of a GET's query parameters.`,
  });
}

/** The client that sent and signed the request, by its `cID` and `extCID` (contract, Authentication; position). */
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
    return refusal(401, 'No client of this cID has this extCID. Send one that is registered, in its letter case.', {
      details: `extCID: ${extCID}`,
    });
  }
  const check = checkSignature(canonicals, raw, signature, client);
  if (check.kind === 'valid') return { kind: 'caller', client };
  return refusal(401, `${SIGNATURE_HEADER} is not this request's signature. ${check.hint}`, {
    details: `expected to be signed, with the API key of ${extCID}: ${canonicals[0]}`,
  });
}

function idProblem(field: string, value: unknown): readonly FieldProblem[] {
  if (typeof value === 'string') return [];
  return [{ field, message: value === undefined ? 'required' : 'expected one text' }];
}

type SignatureCheck =
  | { readonly kind: 'valid' }
  /** `hint`: the likely mistake, where it is known. */
  | { readonly kind: 'wrong'; readonly hint: string };

const SEPARATORS = { '\u2028': '\\u2028', '\u2029': '\\u2029' };
const MARKUP = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/**
 * The canonical text in the forms that the published clients of three languages sign: by RFC 8785, with escaped line separators
 * (PHP), and with escaped markup too (Go). They sign a return address with an `&` in two ways.
 */
function spellings(canonical: string): readonly string[] {
  const all = [canonical, respell(canonical, SEPARATORS), respell(canonical, { ...SEPARATORS, ...MARKUP })];
  return [...new Set(all)];
}

function respell(text: string, replacements: Readonly<Record<string, string>>): string {
  return text.replace(
    new RegExp(`[${Object.keys(replacements).join('')}]`, 'g'),
    (found) => replacements[found] ?? found,
  );
}

/**
 * Whether an operator's request is signed with the client's key (position): over one of its canonical texts, each in the
 * spellings of the published clients.
 *
 * @param canonicals at least one; several where a query can be seen as several objects
 * @param raw the bytes as sent, to recognise a signature over them
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
  return { kind: 'wrong', hint: hintOf(signature, raw, client, isMade) };
}

function hintOf(
  signature: string,
  raw: Uint8Array | string,
  { apiKey, integrationApiKey }: ServiceClient,
  isMade: (key: string, header?: string) => boolean,
): string {
  if (isMade(integrationApiKey)) {
    return 'It was made with the Integration API key, which is for reverse calls; sign with the API key.';
  }
  if (isMade(apiKey, signature.toLowerCase()))
    return 'It is right but for its upper-case letters; write it in lower case.';
  if (verifySignature(raw, apiKey, signature)) {
    return 'It was made over what was sent; sign the canonical form instead, with sorted names and without white space.';
  }
  return 'It was made over something else, or with another key.';
}
