import { SIGNATURE_HEADER } from '../../contract/signature.ts';
import type { JournalEvent } from '../event.ts';
import { bodyText, type HeaderList } from '../exchange.ts';
import { NumberSet } from './number-set.ts';
import { type Place, placesOfSignatures, SIGNATURE_LENGTH } from './signature-places.ts';

/** Number of hexadecimal digits that are kept of each signature that was sent. They fit exactly into a number. */
const KEPT = 12;
/** Number of characters that are shown in place of a signature. */
const SHOWN = 8;

/**
 * Finds the signatures of croupier's calls that an operator has written into its replies, in any form that anybody can decode.
 * Everybody who reads such a reply could send the call again. The events must be added in their order.
 */
export class EchoedSignatures {
  /** The beginnings of all signatures that were sent, as numbers, so that a long run needs little memory. */
  readonly #sent = new NumberSet();
  readonly #echoed = new Set<string>();

  /** The signatures in replies, in lower case. */
  get all(): ReadonlySet<string> {
    return this.#echoed;
  }

  add(event: JournalEvent): void {
    if (event.event === 'sending') this.#note(event.request.headers);
    else if (event.event === 'received') {
      const { outcome } = event;
      if (outcome.kind === 'reply') this.#search(bodyText(outcome.reply.body));
      const headers = outcome.kind === 'reply' ? outcome.reply.headers : (outcome.head?.headers ?? []);
      for (const [, value] of headers) this.#search(value);
    }
  }

  #note(headers: HeaderList): void {
    for (const [name, value] of headers)
      if (name.toUpperCase() === SIGNATURE_HEADER && value.length === SIGNATURE_LENGTH)
        this.#sent.add(beginningOf(value));
  }

  #search(text: string): void {
    placesOfSignatures(text, (digits) => {
      if (this.#sent.has(beginningOf(digits))) this.#echoed.add(digits);
      // The search must go on, because a text may contain several signatures.
      return false;
    });
  }
}

/**
 * Returns a text with only the beginning of each part that may be a signature. For texts of calls whose signatures are not kept.
 */
export function withoutPossibleSignatures(text: string): string {
  return withoutPlaces(
    text,
    placesOfSignatures(text, () => true).filter(([from, to]) => isPossible(text.slice(from, to))),
  );
}

/** False for words and paths, which also consist of characters of base64. */
function isPossible(part: string): boolean {
  return /^[0-9a-f]+$/i.test(part) || [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(part));
}

function beginningOf(signature: string): number {
  return Number.parseInt(signature.slice(0, KEPT), 16);
}

/** Returns a value, such as an event, with only the beginnings of some signatures, wherever its texts contain them. */
export function withoutSignatures<T extends object>(event: T, signatures: ReadonlySet<string>): T {
  if (signatures.size === 0) return event;
  const json = JSON.stringify(event, (_key, value: unknown) => (isBytes(value) ? asText(value, signatures) : value));
  return JSON.parse(cutSignatures(json, signatures)) as T;
}

/** Returns a text with only the beginnings of some signatures. A JSON text stays JSON. */
export function cutSignatures(text: string, signatures: ReadonlySet<string>): string {
  if (signatures.size === 0) return text;
  return withoutPlaces(
    text,
    placesOfSignatures(text, (digits) => signatures.has(digits)),
  );
}

function withoutPlaces(text: string, places: readonly Place[]): string {
  let clean = '';
  let done = 0;
  for (const [from, to] of places) {
    const beginning = text.slice(from, from + SHOWN);
    // A part of an escape, such as `\u00`, would make a JSON text invalid.
    clean += `${text.slice(done, from)}${beginning.includes('\\') ? '' : beginning}…`;
    done = to;
  }
  return clean + text.slice(done);
}

interface Bytes {
  readonly encoding: 'base64';
  readonly data: string;
}

function isBytes(value: unknown): value is Bytes {
  return typeof value === 'object' && value !== null && 'encoding' in value && value.encoding === 'base64';
}

/** A body that is no text holds its bytes as base64, in which a signature cannot be seen. */
function asText(body: Bytes, signatures: ReadonlySet<string>): Bytes {
  const text = Buffer.from(body.data, 'base64').toString('latin1');
  const data = Buffer.from(cutSignatures(text, signatures).replaceAll('…', '...'), 'latin1').toString('base64');
  return { ...body, data };
}
