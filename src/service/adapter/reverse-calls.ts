import { LRUCache } from 'lru-cache';
import type { CallName } from '../../contract/call-name.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { OwedCall } from '../../contract/round.ts';
import { type ContractVersion, compareVersions } from '../../contract/versions.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { type BuiltRequest, buildRequest, requestOf } from '../../wire/request.ts';
import { Wire, type WireCall, type WireOptions } from '../../wire/wire.ts';
import type { ServiceClient } from '../client.ts';
import type { ExchangeEnd, ExchangeLog } from '../exchange-log.ts';
import type { Sleep } from '../sleep.ts';
import type { Fault, Faults } from './faults.ts';

/** A reverse call to an operator, before it is signed. */
export interface ReverseCall {
  readonly call: CallName;
  /** The client to call. Its key signs the call. */
  readonly extCID: string;
  readonly gsID: string;
  /** The round of the call; null for a balance call. */
  readonly roundID: string | null;
  /** The parameters of a balance call, or the body of any other call. */
  readonly fields: JsonObject;
  /** True for a refund whose bet was never sent. Absent: the bet was sent, or the call is no refund. */
  readonly isBetUnsent?: true;
}

/** Signs and sends a call, and returns its outcome. Never rejects: for a call that can't be sent, the outcome has no reply. */
export type Send = (call: ReverseCall) => Promise<Outcome>;

export interface ReverseCallsOptions {
  readonly clients: readonly ServiceClient[];
  /** The log into which every call is written. */
  readonly log: ExchangeLog;
  readonly sleep: Sleep;
  /** Settings for sending calls. If they contain no deadline, the deadline of the contract applies. */
  readonly wire?: WireOptions;
  /** The faults that are waiting to disturb a call on purpose. */
  readonly faults?: Faults;
  readonly observer?: CallObserver;
}

/** Receives every call with the exact bytes that were sent. The log does not keep these bytes. */
export interface CallObserver {
  /** @param id the id of the exchange in the log */
  readonly sent: (id: number, call: ReverseCall, request: BuiltRequest) => void;
  readonly ended: (id: number, end: ExchangeEnd) => void;
}

/** The ways in which one call is sent differently from the contract, on purpose. */
interface Deviation {
  readonly delayMs: number;
  readonly isDropped: boolean;
  readonly isRepeated: boolean;
  readonly isSignedWrongly: boolean;
  /** Descriptions of the deviations, for the log. */
  readonly notes: readonly string[];
}

const NONE: Deviation = { delayMs: 0, isDropped: false, isRepeated: false, isSignedWrongly: false, notes: [] };
/** The number of latest calls that can be sent again by hand. */
const MAX_REPEATABLE = 1000;

/** Makes reverse calls to the operators: signs them with the client's key, sends them, and writes them into the log. */
export class ReverseCalls {
  readonly #options: ReverseCallsOptions;
  readonly #clients: ReadonlyMap<string, ServiceClient>;
  readonly #wire: Wire;
  /** The latest calls, by the id of their exchange in the log. */
  readonly #made = new LRUCache<number, ReverseCall>({ max: MAX_REPEATABLE });
  /**
   * The clients, by `extCID`, whose operator has closed a kept-alive connection during a call. Each further call to such a
   * client gets a new connection.
   */
  readonly #closesEarly = new Set<string>();

  /**
   * Opens no connection yet.
   *
   * @throws TypeError when `wire` contains an invalid setting
   */
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
    if (deviation.isRepeated) await this.#make(call, { ...NONE, notes: ['sent a second time on purpose'] });
    // The operator closed the old connection before it read the call. A balance call changes nothing, so croupier may send it
    // again.
    if (call.call === 'balance' && isStale(outcome)) return this.#make(call, NONE);
    return outcome;
  };

  /**
   * Sends a call from the log again, with a valid signature. The new outcome does not change the round to which the call
   * belongs.
   *
   * @param id the id of the exchange in the log
   * @returns undefined when there is no such call, or when it is no longer kept
   */
  again(id: number): Promise<Outcome> | undefined {
    const call = this.#made.get(id);
    return call && this.#make(call, { ...NONE, notes: ['sent again by hand'] });
  }

  /** Closes all connections, even those of calls that are not answered yet. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  async #make(call: ReverseCall, deviation: Deviation): Promise<Outcome> {
    const { extCID, gsID, roundID } = call;
    const client = this.#clients.get(extCID);
    if (client === undefined) {
      return unsent(
        `No client ${extCID} is configured. Add this client to the settings of the service, so that the service can send its calls.`,
      );
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
    this.#options.observer?.sent(exchange.id, call, wireCall.request);
    const result = await this.#wire.send(wireCall);
    exchange.end(result);
    this.#options.observer?.ended(exchange.id, result);
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

/** The first version of the contract in which refunds carry a `roundID`. */
const ROUND_IN_REFUNDS: ContractVersion = '1.5.0';

/** Returns the body of a bet, win or refund in a version of the contract. The body is the same at every attempt. */
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
      return 'will be sent twice on purpose';
    case 'sign-wrongly':
      return 'signed wrongly on purpose';
    case 'refund-first':
      return 'refunded before it was sent, on purpose';
  }
}

function isStale(outcome: Outcome): boolean {
  return outcome.kind === 'none' && outcome.reason === 'stale-connection';
}

function unsent(detail: string): Outcome {
  return { kind: 'none', reason: 'unreachable', detail };
}
