import { LRUCache } from 'lru-cache';
import type { CallName } from '../../contract/call-name.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { OwedCall } from '../../contract/round.ts';
import { type ContractVersion, compareVersions } from '../../contract/versions.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { buildRequest, requestOf } from '../../wire/request.ts';
import { Wire, type WireCall, type WireOptions } from '../../wire/wire.ts';
import type { ServiceClient } from '../client.ts';
import type { ExchangeLog } from '../exchange-log.ts';
import type { Sleep } from '../sleep.ts';
import type { Fault, Faults } from './faults.ts';

/** A call that the adapter makes. */
export interface ReverseCall {
  readonly call: CallName;
  /** The client whose operator is called, and whose key signs. */
  readonly extCID: string;
  readonly gsID: string;
  /** null for a balance. */
  readonly roundID: string | null;
  /** The query of a balance, the body of the others. */
  readonly fields: JsonObject;
}

/**
 * Signs a call, sends it, and resolves to its outcome. Never rejects: a call that can't be made has an outcome without a reply.
 */
export type Send = (call: ReverseCall) => Promise<Outcome>;

export interface ReverseCallsOptions {
  readonly clients: readonly ServiceClient[];
  /** Every call is written into it. */
  readonly log: ExchangeLog;
  readonly sleep: Sleep;
  /** Settings for sending calls. The deadline is the one of the contract by default. */
  readonly wire?: WireOptions;
  /** The faults that disturb the next calls. */
  readonly faults?: Faults;
}

/** The deviations of a call from the contract. */
interface Deviation {
  readonly delayMs: number;
  readonly isDropped: boolean;
  readonly isRepeated: boolean;
  readonly isSignedWrongly: boolean;
  /** For the log. */
  readonly notes: readonly string[];
}

const NONE: Deviation = { delayMs: 0, isDropped: false, isRepeated: false, isSignedWrongly: false, notes: [] };
/** The number of calls that can be sent again by hand. */
const MAX_REPEATABLE = 1000;

/** Makes reverse calls to the operators: signs them with the client's key, sends them, and writes them into the log. */
export class ReverseCalls {
  readonly #options: ReverseCallsOptions;
  readonly #clients: ReadonlyMap<string, ServiceClient>;
  readonly #wire: Wire;
  /** The latest calls, by the id of their exchange. */
  readonly #made = new LRUCache<number, ReverseCall>({ max: MAX_REPEATABLE });
  /** Operators that close kept-alive connections during calls: each of their calls gets a new connection. */
  readonly #closesEarly = new Set<string>();

  /** @throws TypeError when the options of the wire are invalid */
  constructor(options: ReverseCallsOptions) {
    this.#options = options;
    this.#clients = new Map(options.clients.map((client) => [client.extCID, client]));
    this.#wire = new Wire(options.wire);
  }

  /** Makes a call, with the faults that apply to it. Never rejects. */
  readonly send = async (call: ReverseCall): Promise<Outcome> => {
    const faults = this.#options.faults?.take(call.call, call.gsID, ['delay', 'drop', 'repeat', 'sign-wrongly']) ?? [];
    const deviation = faults.length === 0 ? NONE : deviationOf(faults);
    if (deviation.delayMs > 0) await this.#options.sleep(deviation.delayMs);
    const outcome = await this.#make(call, deviation);
    if (deviation.isRepeated) await this.#make(call, { ...NONE, notes: ['repeated on purpose'] });
    // A read changes nothing, so it can be repeated when only its connection failed.
    if (call.call === 'balance' && isStale(outcome)) return this.#make(call, NONE);
    return outcome;
  };

  /**
   * Makes a call of the log again, with a valid signature. The outcome does not change its round.
   *
   * @param id of the exchange in the log
   * @returns undefined when there is no such call, or it is not kept any more
   */
  again(id: number): Promise<Outcome> | undefined {
    const call = this.#made.get(id);
    return call && this.#make(call, { ...NONE, notes: ['sent again by hand'] });
  }

  /** Closes all connections, also those of calls under way. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  async #make(call: ReverseCall, deviation: Deviation): Promise<Outcome> {
    const { extCID, gsID, roundID } = call;
    const client = this.#clients.get(extCID);
    if (client === undefined) {
      return unsent(`No client ${extCID} is configured. Start the service with it, so that its calls can be sent.`);
    }
    let wireCall: WireCall;
    try {
      wireCall = this.#wireCallOf(call, client, deviation);
    } catch (error) {
      return unsent(`The call can't be made: ${error instanceof Error ? error.message : String(error)}.`);
    }
    const { notes } = deviation;
    const label = { direction: 'reverse', name: call.call, extCID, gsID, roundID, notes } as const;
    const exchange = this.#options.log.begin(label, requestOf(wireCall.request));
    this.#made.set(exchange.id, call);
    const result = await this.#wire.send(wireCall);
    exchange.end(result);
    if (isStale(result.outcome)) this.#closesEarly.add(extCID);
    return result.outcome;
  }

  #wireCallOf({ call, extCID, fields }: ReverseCall, client: ServiceClient, deviation: Deviation): WireCall {
    const { integratorBaseUrl, integrationApiKey, paths, headers } = client;
    const request = buildRequest({
      call,
      fields,
      target: { baseUrl: integratorBaseUrl, ...(paths && { paths }), ...(headers && { headers }) },
      key: integrationApiKey,
      sign: deviation.isSignedWrongly ? 'wrong-key' : 'valid',
    });
    return {
      request,
      ...(deviation.isDropped && { breakAt: { at: 'sent', afterMs: 0 } }),
      ...(this.#closesEarly.has(extCID) && { freshConnection: true }),
    };
  }
}

/** Refunds carry a `roundID` since this version. */
const ROUND_IN_REFUNDS: ContractVersion = '1.5.0';

/** The body of a bet, win or refund in a version of the contract. It is the same at every attempt. */
export function fieldsOf({ call, body }: OwedCall, contract: ContractVersion): JsonObject {
  switch (call) {
    case 'bet':
    case 'win': {
      const { sessionID, txID, roundID, amount, type, frID } = body;
      return { sessionID, txID, roundID, amount, type, ...(frID !== undefined && { frID }) };
    }
    case 'refund': {
      const { sessionID, txID, origTxID, roundID, amount } = body;
      const withRound = roundID !== undefined && compareVersions(contract, ROUND_IN_REFUNDS) >= 0;
      return { sessionID, txID, origTxID, amount, ...(withRound && { roundID }) };
    }
  }
}

function deviationOf(faults: readonly Fault[]): Deviation {
  return {
    delayMs: Math.max(0, ...faults.map((fault) => (fault.kind === 'delay' ? fault.ms : 0))),
    isDropped: faults.some(({ kind }) => kind === 'drop'),
    isRepeated: faults.some(({ kind }) => kind === 'repeat'),
    isSignedWrongly: faults.some(({ kind }) => kind === 'sign-wrongly'),
    notes: faults.map(noteOf),
  };
}

function noteOf(fault: Fault): string {
  switch (fault.kind) {
    case 'delay':
      return `delayed by ${fault.ms} ms on purpose`;
    case 'drop':
      return 'connection broken on purpose';
    case 'repeat':
      return 'to be repeated on purpose';
    case 'sign-wrongly':
      return 'signed wrongly on purpose';
    case 'refund-first':
      return 'refunded ahead on purpose';
  }
}

function isStale(outcome: Outcome): boolean {
  return outcome.kind === 'none' && outcome.reason === 'stale-connection';
}

function unsent(detail: string): Outcome {
  return { kind: 'none', reason: 'unreachable', detail };
}
