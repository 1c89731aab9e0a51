import type { Outcome } from '../../journal/exchange.ts';
import { buildRequest, requestOf } from '../../wire/request.ts';
import { type Shot, Wire, type WireOptions } from '../../wire/wire.ts';
import type { ServiceClient } from '../client.ts';
import type { ExchangeLog } from '../exchange-log.ts';
import type { Fault, Faults } from './faults.ts';
import type { ReverseCall } from './reverse-call.ts';
import type { Sleep } from './sleep.ts';

export interface ReverseCallsOptions {
  readonly clients: readonly ServiceClient[];
  /** Every call is shown in it. */
  readonly log: ExchangeLog;
  readonly sleep: Sleep;
  /** The deadline of the contract is the wire's: 5000 ms unless told otherwise. */
  readonly wire?: WireOptions;
  /** Disturbances that were asked for. */
  readonly faults?: Faults;
}

/** How a call deviates from what the contract says. */
interface Deviation {
  readonly delayMs: number;
  readonly isDropped: boolean;
  readonly isRepeated: boolean;
  readonly isSignedWrongly: boolean;
  /** For the log. */
  readonly notes: readonly string[];
}

const STRAIGHT: Deviation = { delayMs: 0, isDropped: false, isRepeated: false, isSignedWrongly: false, notes: [] };
/** So many calls can be sent again. */
const MOST_REMEMBERED = 1000;

/** Makes reverse calls to the operators: signs them with the client's key, sends them, and shows them in the log. */
export class ReverseCalls {
  readonly #options: ReverseCallsOptions;
  readonly #clients: ReadonlyMap<string, ServiceClient>;
  readonly #wire: Wire;
  /** By the id of their exchange. */
  readonly #made = new Map<number, ReverseCall>();
  /** Operators that close kept-alive connections under our calls: each of their calls has a connection of its own. */
  readonly #hasty = new Set<string>();

  /** @throws TypeError when what the wire shall do can't be read */
  constructor(options: ReverseCallsOptions) {
    this.#options = options;
    this.#clients = new Map(options.clients.map((client) => [client.extCID, client]));
    this.#wire = new Wire(options.wire);
  }

  /** Makes a call, disturbed where that was asked for. Never rejects. */
  readonly send = async (call: ReverseCall): Promise<Outcome> => {
    const faults =
      this.#options.faults?.strike(call.call, call.gsID, ['delay', 'drop', 'repeat', 'sign-wrongly']) ?? [];
    const deviation = faults.length === 0 ? STRAIGHT : deviationOf(faults);
    if (deviation.delayMs > 0) await this.#options.sleep(deviation.delayMs);
    const outcome = await this.#make(call, deviation);
    if (deviation.isRepeated) await this.#make(call, { ...STRAIGHT, notes: ['repeated on purpose'] });
    // A read changes nothing, so it may be made again where only its connection was at fault.
    if (call.call === 'balance' && isStale(outcome)) return this.#make(call, STRAIGHT);
    return outcome;
  };

  /**
   * Makes a call of the log once more, rightly signed. What comes of it counts for nothing: the round goes on as it was.
   *
   * @param id of the exchange in the log
   * @returns undefined when there is no such call, or it is forgotten
   */
  again(id: number): Promise<Outcome> | undefined {
    const call = this.#made.get(id);
    return call && this.#make(call, { ...STRAIGHT, notes: ['sent again by hand'] });
  }

  /** Tears off what is under way and closes all connections. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  async #make(call: ReverseCall, deviation: Deviation): Promise<Outcome> {
    const { extCID, gsID, roundID } = call;
    const client = this.#clients.get(extCID);
    if (client === undefined) {
      return unsent(`No client ${extCID} is configured. Start the service with it, so that its calls can be sent.`);
    }
    let shot: Shot;
    try {
      shot = this.#shotOf(call, client, deviation);
    } catch (error) {
      return unsent(`The call can't be made: ${error instanceof Error ? error.message : String(error)}.`);
    }
    const { notes } = deviation;
    const label = { direction: 'reverse', name: call.call, extCID, gsID, roundID, notes } as const;
    const exchange = this.#options.log.begin(label, requestOf(shot.request));
    this.#remember(exchange.id, call);
    const landing = await this.#wire.send(shot);
    exchange.land(landing);
    if (isStale(landing.outcome)) this.#hasty.add(extCID);
    return landing.outcome;
  }

  #shotOf({ call, extCID, fields }: ReverseCall, client: ServiceClient, deviation: Deviation): Shot {
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
      ...(this.#hasty.has(extCID) && { freshConnection: true }),
    };
  }

  #remember(id: number, call: ReverseCall): void {
    this.#made.set(id, call);
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST_REMEMBERED && oldest !== undefined) this.#made.delete(oldest);
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
