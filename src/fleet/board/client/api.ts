import type { BoardView, OperatorDetail } from '../view.ts';

/** The secret that gives access to the board. */
const token = new URLSearchParams(location.search).get('token') ?? '';

/** A reply of the board, or a message for the user. `refused`: the token is wrong, so another request would fail too. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'failed' | 'refused'; readonly message: string };

/** Reads the first page. Returns only the version and the time if this version is the current one. */
export function readOverview(version: string): Promise<Reading<BoardView | Pick<BoardView, 'version' | 'now'>>> {
  return read(`api/overview?version=${version}`);
}

/** Reads everything about one operator. */
export function readOperator(name: string): Promise<Reading<OperatorDetail>> {
  return read(`api/operator?name=${encodeURIComponent(name)}`);
}

/** Returns the address of the report of a run. A link can send no header, so the address contains the token. */
export function reportAddress(run: number): string {
  return `run?number=${run}&token=${encodeURIComponent(token)}`;
}

async function read<T>(address: string): Promise<Reading<T>> {
  try {
    const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` }, cache: 'no-store' });
    if (response.ok) return { kind: 'read', value: (await response.json()) as T };
    const { message = `The board answered ${response.status}.` } = (await response.json()) as { message?: string };
    const isRefused = response.status === 401 || response.status === 403;
    return isRefused
      ? { kind: 'refused', message: `${message} After each start the board has a new address.` }
      : { kind: 'failed', message };
  } catch {
    return { kind: 'failed', message: 'The board does not answer. Trying again…' };
  }
}
