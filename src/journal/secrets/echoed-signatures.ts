import { SIGNATURE_HEADER } from '../../contract/signature.ts';
import type { JournalEvent } from '../event.ts';
import { bodyText, type HeaderList } from '../exchange.ts';

/** Number of hexadecimal digits of a signature. */
const LENGTH = 64;
/** Number of hexadecimal digits that are kept of each signature that was sent. They fit exactly into a number. */
const KEPT = 12;
/** Number of characters that are shown in place of a signature. */
const SHOWN = 8;

/**
 * Finds the signatures of croupier's calls that an operator has written into its replies. Everybody who reads such a reply could send
 * the call again. The events must be added in their order.
 */
export class EchoedSignatures {
  /** The beginnings of all signatures that were sent, as numbers, so that a long run needs little memory. */
  readonly #sent = new Set<number>();
  readonly #echoed = new Set<string>();

  /** The signatures in replies, in lower case. */
  get all(): ReadonlySet<string> {
    return this.#echoed;
  }

  add(event: JournalEvent): void {
    if (event.event === 'sending') this.#note(event.request.headers);
    else if (event.event === 'received' && event.outcome.kind === 'reply') {
      const { headers, body } = event.outcome.reply;
      this.#search(bodyText(body));
      for (const [, value] of headers) this.#search(value);
    }
  }

  #note(headers: HeaderList): void {
    for (const [name, value] of headers)
      if (name.toUpperCase() === SIGNATURE_HEADER && value.length === LENGTH) this.#sent.add(beginningOf(value));
  }

  #search(text: string): void {
    for (const [run] of text.matchAll(HEX_RUN))
      for (const one of ends(run)) if (this.#sent.has(beginningOf(one))) this.#echoed.add(one);
  }
}

/**
 * Returns a text with only the beginning of each run of digits that may be a signature. For texts of calls whose signatures are not
 * kept.
 */
export function withoutHexRuns(text: string): string {
  return text.replace(HEX_RUN, (run) => `${run.slice(0, SHOWN)}…`);
}

const HEX_RUN = /(?<![0-9a-f])[0-9a-f]{64,}/gi;

function beginningOf(signature: string): number {
  return Number.parseInt(signature.slice(0, KEPT), 16);
}

/** Returns the texts at both ends of a run of digits that can be signatures, in lower case. */
function ends(run: string): readonly string[] {
  const text = run.toLowerCase();
  return [text.slice(0, LENGTH), text.slice(-LENGTH)];
}

/** Returns a value, such as an event, with only the beginnings of some signatures, wherever its texts contain them. */
export function withoutSignatures<T extends object>(event: T, signatures: ReadonlySet<string>): T {
  if (signatures.size === 0) return event;
  const json = JSON.stringify(event, (_key, value: unknown) => (isBytes(value) ? asText(value, signatures) : value));
  return JSON.parse(cutSignatures(json, signatures)) as T;
}

/** Returns a text with only the beginnings of some signatures. */
export function cutSignatures(text: string, signatures: ReadonlySet<string>): string {
  return text.replace(HEX_RUN, (run) =>
    ends(run).some((one) => signatures.has(one)) ? `${run.slice(0, SHOWN)}…` : run,
  );
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
