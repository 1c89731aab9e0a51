export type QueryParams = readonly (readonly [name: string, value: string])[];

/** A signed request, as far as a signature can depend on it. */
export interface SignedRequest {
  readonly method: string;
  /** As it was called: a whole URL, or a path with its query. Empty where nobody knows it. */
  readonly url: string;
  /** null: it has none. */
  readonly body: Uint8Array | null;
  /** The value of the signature header; undefined: it has none. */
  readonly signature: string | undefined;
}

/** Whether it is a call of the operator's to the Core API, which is signed with the API key over canonical JSON (position). */
export function isToCoreApi(url: string): boolean {
  return /\/(?:create-new-game|games|free-rounds)(?:[?#]|$)/.test(url);
}
