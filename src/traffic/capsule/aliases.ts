/** The kinds of aliases that replace ids. */
export type AliasKind = 'session' | 'player' | 'email' | 'ip' | 'person';

/**
 * A value may occur as an id of several kinds. Then the kind that comes first in this list decides the alias of the value. So the
 * value has the same alias in every place.
 */
const RANKS: readonly AliasKind[] = ['session', 'player', 'email', 'ip', 'person'];

/**
 * Words that scenarios, journals and configurations use. If an id is equal to such a word, it is not replaced. Otherwise the
 * meaning of the file would change.
 */
const VOCABULARY = new Set(
  'main other second third fourth active expired unknown none new null true false undefined demo guest test player session'.split(
    ' ',
  ),
);
const LETTERS = 10;

/** Creates aliases for ids. With the same key, the same id always gets the same alias. */
export class Aliases {
  readonly #digest: (text: string) => string;
  readonly #kinds = new Map<string, AliasKind>();
  readonly #found = new Set<string>();

  /** @param digest returns a keyed hash in hexadecimal. Without the key, nobody can guess an id from its alias */
  constructor(digest: (text: string) => string) {
    this.#digest = digest;
  }

  /** All known ids with their aliases. */
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

  /** Adds an id that may occur in the files. */
  expect(kind: AliasKind, value: string): void {
    if (!isVocabulary(value)) this.#settle(kind, value);
  }

  markFound(value: string): void {
    this.#found.add(value);
  }

  /** Returns the alias of a value, or the value itself if it is a word of the vocabulary. */
  of(kind: AliasKind, value: string): string {
    if (isVocabulary(value)) return value;
    this.#found.add(value);
    return this.#name(value, this.#settle(kind, value));
  }

  #settle(kind: AliasKind, value: string): AliasKind {
    const known = this.#kinds.get(value);
    const settled = RANKS.find((rank) => rank === known || rank === kind) ?? kind;
    if (settled !== known) this.#kinds.set(value, settled);
    return settled;
  }

  #name(value: string, kind: AliasKind): string {
    return `${kind}-${this.#digest(value).slice(0, LETTERS)}`;
  }
}

function isVocabulary(value: string): boolean {
  return value === '' || VOCABULARY.has(value.toLowerCase());
}
