import { isFields, parsed } from '../json-fields.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import type { LoggedCall } from './logged-call.ts';
import { isExact, isSignedByOther, type KeysOf, sentText, signatureOf } from './signature.ts';

/** The fields that every POST has. */
const FIELDS_OF_ALL = ['sessionID', 'txID', 'amount'];

/**
 * The logs whose bodies show what was signed. A log may mask the values of a body or leave out fields. Then the signature of the body
 * seems to be wrong. So a signature is proven to be wrong only if the same log has another body with a right signature, and no field
 * of that body is missing in this one.
 */
export class SignedBodies {
  readonly #keysOf: KeysOf;
  /** For each file and name of a call: the fields of the bodies with a right signature. Each list of names is written as JSON. */
  readonly #fields = new Map<string, Map<string, Set<string>>>();

  constructor(keysOf: KeysOf) {
    this.#keysOf = keysOf;
  }

  /** Notes the body of a call, if its signature is right. */
  note(exchange: LoggedExchange): void {
    const names = isExact(exchange) ? null : namesIn(exchange);
    if (names === null) return;
    const text = JSON.stringify(names);
    const ofFile = this.#fields.get(exchange.place.file) ?? new Map<string, Set<string>>();
    const ofPath = ofFile.get(pathOf(exchange)) ?? new Set<string>();
    if (ofPath.has(text) || signatureOf(exchange, this.#keysOf) !== 'right') return;
    this.#fields.set(exchange.place.file, ofFile.set(pathOf(exchange), ofPath.add(text)));
  }

  /** Returns the call. If its signature only seems to be wrong, it is unknown. */
  withProvenSignature(call: LoggedCall): LoggedCall {
    if (call.signature !== 'wrong') return call;
    const views = call.alsoSeen ? [call.seen, call.alsoSeen] : [call.seen];
    const isProven = views.some(
      ({ exchange }) => signatureOf(exchange, this.#keysOf) === 'wrong' && this.#isShown(exchange),
    );
    return isProven ? call : { ...call, signature: 'unknown' };
  }

  #isShown(exchange: LoggedExchange): boolean {
    if (exchange.verified !== undefined || isExact(exchange) || sentText(exchange) === null) return true;
    if (isSignedByOther(exchange, this.#keysOf)) return true;
    const names = namesIn(exchange);
    const ofFile = this.#fields.get(exchange.place.file);
    if (names === null || !ofFile) return false;
    const ofCall = ofFile.get(pathOf(exchange));
    if (!ofCall) return FIELDS_OF_ALL.every((name) => names.includes(name));
    return [...ofCall].some((text) => (JSON.parse(text) as string[]).every((name) => names.includes(name)));
  }
}

/** Returns the names of the fields of a body. Null if the body is not known, or if it is not a JSON object. */
function namesIn(exchange: LoggedExchange): readonly string[] | null {
  const text = sentText(exchange);
  const fields = text === null ? undefined : parsed(text);
  return isFields(fields) ? Object.keys(fields).toSorted() : null;
}

function pathOf({ request: { url } }: LoggedExchange): string {
  return url?.split('?', 1)[0]?.split('/').at(-1) ?? '';
}
