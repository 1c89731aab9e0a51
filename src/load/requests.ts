import { BodySigner } from '../contract/body-signer.ts';
import type { CallName, TransactionCall } from '../contract/call-name.ts';
import { canonicalJson } from '../contract/canonical.ts';
import { signBody } from '../contract/signature.ts';
import { type ContractVersion, compareVersions } from '../contract/versions.ts';
import { loadCallSpan, TRACE_HEADER, traceparent } from '../journal/network/trace.ts';
import { readOrigin, splitUrl } from '../wire/origin.ts';
import { type BuiltRequest, buildRequest } from '../wire/request.ts';
import { headText, wholeRequest } from '../wire/request-bytes.ts';

/** The operator's endpoints and the key that signs the calls. */
export interface Endpoint {
  readonly integratorBaseUrl: string;
  readonly integrationApiKey: string;
  readonly paths: Readonly<Partial<Record<CallName, string>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly contract?: ContractVersion | undefined;
}

/** The fields of a bet, win or refund. */
export interface TransactionFields {
  readonly call: TransactionCall;
  readonly sessionID: string;
  readonly txID: string;
  readonly roundID: string;
  /** The amount as text, with the decimals of the currency. */
  readonly amount: string;
  /** For a refund: the txID of its bet. */
  readonly origTxID?: string | undefined;
  /** The campaign of a free bet or a free win. */
  readonly frID?: string | undefined;
}

/**
 * The head of a request in three parts. The length of the body comes after the first part, and the signature after the second
 * part.
 */
type HeadParts = readonly [beforeLength: string, beforeSignature: string, end: string];

const ROUND_OF_REFUNDS: ContractVersion = '1.5.0';

/**
 * Builds the signed bytes of calls. The bytes are the same as those of `buildRequest`. But `buildRequest` needs several times
 * as long, because it can also build wrong requests.
 *
 * The bytes are kept as a string with one character for each byte (Latin-1), because Node writes such a string to a socket without
 * a buffer.
 */
export class Requests {
  readonly #endpoint: Endpoint;
  readonly #signer: BodySigner;
  readonly #heads: Readonly<Record<TransactionCall, HeadParts>>;
  readonly #reads = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #hasRoundOfRefund: boolean;
  readonly #tracedRunID: string | undefined;

  /**
   * @param tracedRunID the id of the run if each call gets a `traceparent` header
   * @throws TypeError if the address, a path or a header cannot be sent
   */
  constructor(endpoint: Endpoint, tracedRunID?: string) {
    this.#tracedRunID = tracedRunID;
    this.#endpoint = endpoint;
    this.#signer = new BodySigner(endpoint.integrationApiKey);
    this.#heads = { bet: this.#headOf('bet'), win: this.#headOf('win'), refund: this.#headOf('refund') };
    this.#hasRoundOfRefund = !endpoint.contract || compareVersions(endpoint.contract, ROUND_OF_REFUNDS) >= 0;
  }

  /** Returns the bytes of a balance call, which are always the same for one session. */
  read(sessionID: string): string {
    const known = this.#reads.get(sessionID);
    if (known) return known;
    const bytes = bytesOf(this.#build('balance', { sessionID }));
    this.#reads.set(sessionID, bytes);
    return bytes;
  }

  /** Returns the bytes of a bet, win or refund. */
  transaction(fields: TransactionFields): string {
    const body = this.bodyOf(fields);
    const [beforeLength, beforeSignature, end] = this.#heads[fields.call];
    const signature = this.#signer.sign(body);
    return `${beforeLength}${body.length}${beforeSignature}${signature}${end}${body}`;
  }

  /**
   * Adds the `traceparent` header to the bytes of one sending of a call. Returns the bytes unchanged if the calls are not traced.
   *
   * @param number the number of the call in the journal
   */
  traced(bytes: string, number: number): string {
    if (this.#tracedRunID === undefined) return bytes;
    const header = `${TRACE_HEADER}: ${traceparent(loadCallSpan(this.#tracedRunID, number))}\r\n`;
    const at = bytes.indexOf('\r\n\r\n') + 2;
    return bytes.slice(0, at) + header + bytes.slice(at);
  }

  /** Returns the trace of the call with this number. Returns undefined if the calls are not traced. */
  traceIDOf(number: number): string | undefined {
    return this.#tracedRunID === undefined ? undefined : loadCallSpan(this.#tracedRunID, number).traceID;
  }

  /** Writes the body as canonical JSON: the names are sorted, and only the sessionID and the frID need escapes. */
  bodyOf({ call, sessionID, txID, roundID, amount, origTxID, frID }: TransactionFields): string {
    const name = this.#quoted(sessionID);
    if (call === 'refund') {
      const round = this.#hasRoundOfRefund ? `"roundID":"${roundID}",` : '';
      return `{"amount":"${amount}","origTxID":"${origTxID}",${round}"sessionID":${name},"txID":"${txID}"}`;
    }
    const campaign = frID === undefined ? '' : `"frID":${this.#quoted(frID)},`;
    const type = frID === undefined ? 'regular' : 'free';
    return `{"amount":"${amount}",${campaign}"roundID":"${roundID}","sessionID":${name},"txID":"${txID}","type":"${type}"}`;
  }

  #quoted(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const quoted = Buffer.from(canonicalJson(text)).toString('latin1');
    this.#names.set(text, quoted);
    return quoted;
  }

  #build(call: CallName, fields: Readonly<Record<string, string>>): BuiltRequest {
    const { integratorBaseUrl, integrationApiKey, paths, contract } = this.#endpoint;
    const headers =
      this.#tracedRunID === undefined ? this.#endpoint.headers : withoutTraceHeader(this.#endpoint.headers);
    return buildRequest({
      call,
      target: { baseUrl: integratorBaseUrl, paths, headers, contract },
      key: integrationApiKey,
      fields,
    });
  }

  #headOf(call: TransactionCall): HeadParts {
    const request = this.#build(call, { sessionID: 'any' });
    const head = headText(request, authorityOf(request));
    const length = `Content-Length: ${request.body?.length ?? 0}`;
    const signature = signBody(request.payload, this.#endpoint.integrationApiKey);
    const lengthAt = head.indexOf(length) + 'Content-Length: '.length;
    const signatureAt = head.indexOf(signature);
    return [
      head.slice(0, lengthAt),
      head.slice(lengthAt + length.length - 'Content-Length: '.length, signatureAt),
      head.slice(signatureAt + signature.length),
    ];
  }
}

function withoutTraceHeader(headers: Endpoint['headers']): Endpoint['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== TRACE_HEADER));
}

function authorityOf({ url }: BuiltRequest): string {
  return readOrigin(splitUrl(url).base).authority;
}

function bytesOf(request: BuiltRequest): string {
  return wholeRequest(headText(request, authorityOf(request)), request.body).toString('latin1');
}
