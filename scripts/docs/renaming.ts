/** Replaces ids and addresses by names, because they differ in each run. */
export type Renaming = (text: string) => string;

const ID = /"(txID|roundID|origTxID)":"([^"]*)"/gu;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;
const OPERATORS_ID = /\bop-\d+\b/gu;

/**
 * Returns a function that replaces ids in texts. Ids are numbered by first appearance: `tx-1`, `round-1`, `op-1`. The
 * same id always gets the same name.
 */
export function renaming(): Renaming {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const named = (id: string, kind: string): string => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `${kind}-${String(count)}`;
    names.set(id, name);
    return name;
  };
  return (text) => {
    for (const [, field, id] of text.matchAll(ID)) {
      if (id?.match(UUID)) named(id, field === 'roundID' ? 'round' : 'tx');
    }
    return text
      .replaceAll(UUID, (id) => named(id, 'id'))
      .replaceAll(OPERATORS_ID, (id) => named(id, 'op'))
      .replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:4000');
  };
}
