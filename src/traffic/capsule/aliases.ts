/** The kinds of aliases that replace ids. */
export type AliasKind = 'session' | 'player' | 'person';

/** Words of scenarios, journals and configurations. An id that equals one of them is not replaced, because that would change their meaning. */
const VOCABULARY = new Set(
  'main other second third fourth active expired unknown none new null true false undefined demo guest test player session'.split(
    ' ',
  ),
);
const LETTERS = 10;

/** Makes aliases for ids: always the same alias for the same id and key. */
export class Aliases {
  readonly #digest: (text: string) => string;
  readonly #kinds = new Map<string, AliasKind>();
  readonly #found = new Set<string>();

  /** @param digest a keyed hash, in hexadecimal, so that ids cannot be guessed without the key */
  constructor(digest: (text: string) => string) {
    this.#digest = digest;
  }

  /** Every known id with its alias. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.#kinds].map(([value, kind]) => [value, this.#name(value, kind)]));
  }

  /** The ids that were found in a text, with their aliases. */
  get found(): ReadonlyMap<string, string> {
    return new Map([...this.all].filter(([value]) => this.#found.has(value)));
  }

  count(kind: AliasKind): number {
    return [...this.#found].filter((value) => this.#kinds.get(value) === kind).length;
  }

  /** Adds an id that may occur. */
  expect(kind: AliasKind, value: string): void {
    if (!isVocabulary(value)) this.#kinds.set(value, kind);
  }

  markFound(value: string): void {
    this.#found.add(value);
  }

  /** Gives the alias of a value. @returns the value itself if it is a word of the vocabulary */
  of(kind: AliasKind, value: string): string {
    if (isVocabulary(value)) return value;
    this.#found.add(value);
    const known = this.#kinds.get(value);
    // A value has the same alias in every place.
    const settled = known === 'session' || kind === 'session' ? 'session' : known === 'player' ? 'player' : kind;
    if (settled !== known) this.#kinds.set(value, settled);
    return this.#name(value, settled);
  }

  #name(value: string, kind: AliasKind): string {
    return `${kind}-${this.#digest(value).slice(0, LETTERS)}`;
  }
}

function isVocabulary(value: string): boolean {
  return value === '' || VOCABULARY.has(value.toLowerCase());
}
