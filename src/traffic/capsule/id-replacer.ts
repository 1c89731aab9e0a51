import { base64Within } from '../../journal/scrubber.ts';

/** The places in which an id is replaced: anywhere in a text, only as a whole word, or only in fields for ids. */
type Scope = 'anywhere' | 'whole word' | 'fields only';

interface Found extends Pattern {
  readonly id: string;
}

interface Pattern {
  readonly text: string;
  readonly replacement: string;
  readonly isWord: boolean;
  /** True if the letters of the text may have any case. Letters of base64 may not. */
  readonly isAnyCase?: true;
}

/** Minimum length of a part of an encoded id, in characters. Shorter parts would match by accident. */
const MIN_ENCODED = 5;

/** Replaces known ids in a text. It finds plain, percent-encoded, hexadecimal and base64 forms of an id. */
export class IdReplacer {
  /** The patterns, grouped by their first two characters, then by length (longest first), then by text. */
  readonly #patterns = new Map<string, Map<number, Map<string, Found>>>();
  readonly #onFound: (id: string) => void;

  /**
   * @param aliases the alias of each id
   * @param onFound is called with each id that was found
   */
  constructor(aliases: ReadonlyMap<string, string>, onFound: (id: string) => void = () => {}) {
    this.#onFound = onFound;
    for (const [id, alias] of aliases) for (const pattern of patternsOf(id, alias)) this.#add({ ...pattern, id });
    for (const [begin, lengths] of this.#patterns) {
      this.#patterns.set(begin, new Map([...lengths].toSorted(([a], [b]) => b - a)));
    }
  }

  replace(text: string): string {
    if (this.#patterns.size === 0) return text;
    const small = text.toLowerCase();
    // A few letters have a lower case of another length. Then the positions differ.
    const lower = small.length === text.length ? small : text;
    const pieces: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length - 1; ) {
      const found = this.#at(text, at) ?? this.#at(lower, at, true);
      if (!found) {
        at += 1;
        continue;
      }
      this.#onFound(found.id);
      pieces.push(text.slice(from, at), found.replacement);
      at += found.text.length;
      from = at;
    }
    return from === 0 ? text : pieces.join('') + text.slice(from);
  }

  #at(text: string, at: number, isLower = false): Found | undefined {
    const lengths = this.#patterns.get(text.slice(at, at + 2));
    if (!lengths) return undefined;
    for (const [length, patterns] of lengths) {
      const found = patterns.get(text.slice(at, at + length));
      if (found && (!isLower || found.isAnyCase) && (!found.isWord || isWord(text, at, found.text))) return found;
    }
    return undefined;
  }

  #add(pattern: Found): void {
    const { text } = pattern;
    const lengths = this.#patterns.get(text.slice(0, 2)) ?? new Map<number, Map<string, Found>>();
    const patterns = lengths.get(text.length) ?? new Map<string, Found>();
    if (!patterns.has(text)) patterns.set(text, pattern);
    lengths.set(text.length, patterns);
    this.#patterns.set(text.slice(0, 2), lengths);
  }
}

function patternsOf(id: string, alias: string): readonly Pattern[] {
  const scope = scopeOf(id);
  if (scope === 'fields only') return [];
  const bytes = Buffer.from(id, 'utf8');
  const hex = bytes.toString('hex');
  const isWord = scope === 'whole word';
  const escaped = [encodeURIComponent(id.toWellFormed()), hex.replace(/../g, '%$&')].flatMap((text) => [
    text,
    text.replaceAll('%', '%25'),
  ]);
  const cases = escaped.flatMap((text) => [text, inCase(text, 'toUpperCase'), inCase(text, 'toLowerCase')]);
  const plain = [id, ...cases, escaped[0]?.replaceAll('%20', '+') ?? id].map(
    (text): Pattern => ({ text, replacement: alias, isWord: isWord && !text.includes('%') }),
  );
  // The id of a word in another letter case is another word.
  const lower = isWord ? [] : [{ text: id.toLowerCase(), replacement: alias, isWord, isAnyCase: true as const }];
  const own = Buffer.from(alias);
  const base64 = [bytes.toString('base64'), ...base64Within(bytes)].flatMap((text): Pattern[] =>
    [text, text.replaceAll('+', '-').replaceAll('/', '_')].map((each) => ({
      text: each,
      replacement: each.endsWith('=') ? own.toString('base64') : own.toString('base64url'),
      isWord: false,
    })),
  );
  const inHex = [hex, hex.toUpperCase()].map(
    (text): Pattern => ({ text, replacement: own.toString('hex'), isWord: false }),
  );
  return [...lower, ...plain, ...[...base64, ...inHex].filter(({ text }) => text.length >= MIN_ENCODED)];
}

function inCase(text: string, way: 'toUpperCase' | 'toLowerCase'): string {
  return text.replace(/%(?:25)?[0-9a-f]{2}/gi, (code) => code[way]());
}

function scopeOf(id: string): Scope {
  const isNumber = /^[\d.]+$/.test(id);
  if (id.length < (isNumber ? 4 : 2)) return 'fields only';
  return !isNumber && id.length >= 6 && (/[\d@:_.-]/.test(id) || id.length >= 12) ? 'anywhere' : 'whole word';
}

const PART_OF_UUID = /^[0-9a-f]{0,8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?$/i;

/** True if the text at this position is a whole word, not a part of a longer word, an amount or a UUID. */
function isWord(text: string, at: number, id: string): boolean {
  const before = text.slice(Math.max(0, at - 24), at);
  const after = text.slice(at + id.length, at + id.length + 25);
  if (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)) return false;
  if (!/^\d+$/.test(id)) return true;
  if (/\d[.,]$/.test(before) || /^[.,]\d/.test(after)) return false;
  const around = `${/(?<![0-9a-f-])[0-9a-f-]*$/i.exec(before)?.[0]}${id}${/^[0-9a-f-]*/i.exec(after)?.[0]}`;
  return around.length !== 36 || !PART_OF_UUID.test(around);
}
