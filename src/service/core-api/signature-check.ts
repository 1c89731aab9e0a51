import { verifySignature } from '../../contract/signature.ts';
import type { ServiceClient } from '../client.ts';

export type SignatureCheck =
  | { readonly kind: 'valid' }
  /** `hint` says what it was made of, or how it is written, where that can be told. */
  | { readonly kind: 'wrong'; readonly hint: string };

const SEPARATORS = { '\u2028': '\\u2028', '\u2029': '\\u2029' };
const MARKUP = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/**
 * The canonical text as the published clients of three languages write it before they sign it: as RFC 8785 says, without
 * line separators (PHP), and without markup either (Go). A return address with an `&` is signed in two ways by them.
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
 * @param raw what was sent, only to tell who signed that instead
 */
export function checkSignature(
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
