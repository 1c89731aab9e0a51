/**
 * A client at one operator. The ExtCID alone does not identify a client, because several operators may give their clients the same
 * ExtCID.
 */
export interface ClientAt {
  readonly extCID: string;
  /** The base URL, as the history names the operator. Undefined if it is not known: then only the ExtCID counts. */
  readonly operator: string | undefined;
}

/** Divides runs or journals by client and operator. */
export class ByClient<T> {
  readonly #byExtCID: ReadonlyMap<string, readonly T[]>;
  readonly #byOperator: ReadonlyMap<string, readonly T[]>;

  /** @param clientOf returns the client of one of them */
  constructor(all: readonly T[], clientOf: (one: T) => ClientAt) {
    this.#byExtCID = Map.groupBy(all, (one) => clientOf(one).extCID);
    this.#byOperator = Map.groupBy(all, (one) => keyOf(clientOf(one)));
  }

  /** Returns those of a client, in their order. */
  of(client: ClientAt): readonly T[] {
    const own = client.operator === undefined ? this.#byExtCID.get(client.extCID) : this.#byOperator.get(keyOf(client));
    return own ?? [];
  }
}

function keyOf({ extCID, operator }: ClientAt): string {
  return JSON.stringify([extCID, operator]);
}
