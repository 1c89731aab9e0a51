import { SIGNATURE_HEADER } from '../../contract/signature.ts';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import type { ServiceClient } from '../client.ts';
import type { ReadRequest } from './reading.ts';
import { type Complaint, type Refusal, refusal, wrongFields } from './refusal.ts';
import { checkSignature } from './signature-check.ts';

export interface Caller {
  readonly kind: 'caller';
  readonly client: ServiceClient;
}

/** Refuses a request without a signature, before anything of it is looked at. */
export function requireSignature({ headers }: ListenRequest): string | Refusal {
  const signature = headerOf(headers, SIGNATURE_HEADER)?.trim();
  if (signature) return signature;
  return refusal(401, `Sign the request: the header ${SIGNATURE_HEADER} is missing or empty.`, {
    details: `${SIGNATURE_HEADER} is the lower-case hexadecimal HMAC-SHA256, made with the API key, of the canonical JSON of the body, or of a GET's query parameters.`,
  });
}

/** Which client sent the request, by its `cID` and `extCID`, and only if it signed it (contract, Authentication; position). */
export function authenticate(
  { carrier, fields, canonicals, raw }: ReadRequest,
  signature: string,
  clients: readonly ServiceClient[],
): Caller | Refusal {
  const { cID, extCID } = fields;
  if (typeof cID !== 'string' || typeof extCID !== 'string') {
    return wrongFields(carrier, [...idComplaint('cID', cID), ...idComplaint('extCID', extCID)]);
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

function idComplaint(field: string, value: unknown): readonly Complaint[] {
  if (typeof value === 'string') return [];
  return [{ field, message: value === undefined ? 'required' : 'expected one text' }];
}
