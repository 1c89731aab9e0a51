/** What may stand in place of a value. */
export type AliasKind = 'session' | 'player' | 'person';

/** Words of scenarios, journals and configurations: where one is somebody's id, replacing it would break what is said. */
const VOCABULARY = new Set(
  'main other second third fourth active expired unknown none new null true false undefined demo guest test player session'.split(
    ' ',
  ),
);
const LETTERS = 10;

/** Knows what replaces an id: always the same for the same id and the same salt. */
export class Aliases {
  readonly #digest: (text: string) => string;
  readonly #kinds = new Map<string, AliasKind>();
  readonly #met = new Set<string>();

  /** @param digest a keyed hash, in hexadecimal, so that nobody without the key can try out ids */
  constructor(digest: (text: string) => string) {
    this.#digest = digest;
  }

  /** Every id that is known, with what replaces it. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.#kinds].map(([value, kind]) => [value, this.#name(value, kind)]));
  }

  /** What was met, and not only expected. */
  get met(): ReadonlyMap<string, string> {
    return new Map([...this.all].filter(([value]) => this.#met.has(value)));
  }

  count(kind: AliasKind): number {
    return [...this.#met].filter((value) => this.#kinds.get(value) === kind).length;
  }

  /** An id that may be met. */
  expect(kind: AliasKind, value: string): void {
    if (!isWord(value)) this.#kinds.set(value, kind);
  }

  meet(value: string): void {
    this.#met.add(value);
  }

  /** What replaces this value; the value itself where it is a word that everybody uses. */
  of(kind: AliasKind, value: string): string {
    if (isWord(value)) return value;
    this.#met.add(value);
    const known = this.#kinds.get(value);
    // One value is replaced in one way wherever it stands.
    const sure = known === 'session' || kind === 'session' ? 'session' : known === 'player' ? 'player' : kind;
    if (sure !== known) this.#kinds.set(value, sure);
    return this.#name(value, sure);
  }

  #name(value: string, kind: AliasKind): string {
    return `${kind}-${this.#digest(value).slice(0, LETTERS)}`;
  }
}

function isWord(value: string): boolean {
  return value === '' || VOCABULARY.has(value.toLowerCase());
}
