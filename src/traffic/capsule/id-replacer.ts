import { MASK } from '../../journal/secrets/scrubber.ts';
import { base64Within } from '../../journal/secrets/secret-forms.ts';
import { originOf, type View, viewsOf } from '../../journal/secrets/unescape.ts';
import { type EncodedRun, encodedRunsIn, rewriteRun } from './encoded-runs.ts';
import { KnownValues, type Occurrence, type Scope } from './known-values.ts';

/** Minimum length of a value in base64 or hexadecimal, in characters. A shorter text would match by accident. */
const MIN_ENCODED = 5;
/** Maximum depth of encodings that are decoded. An encoded text (base64 or hexadecimal) can contain another encoded text. */
const MAX_DEPTH = 4;
/**
 * Maximum number of rounds of replacing. If two values overlap, the first one is replaced in one round, and the second one in the
 * next round.
 */
const MAX_ROUNDS = 3;

/** The values that a replacer removes, and the texts that replace them. */
export interface Replacements {
  /** The alias of each id. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Values that are replaced by a mask. */
  readonly secrets?: Iterable<string>;
  /** Is called with each id and each secret that was found. */
  readonly onFound?: (value: string) => void;
}

interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
  /** The ids and secrets that this edit removes. */
  readonly found: readonly string[];
}

/**
 * croupier searches each text twice. The first search replaces every known id. The last search is in the finished file. It
 * replaces only values that can be neither an amount nor a common word.
 */
type Look = 'first' | 'last';

/**
 * Replaces known ids and secrets in a text. Finds an id or a secret also if it is escaped, in base64 or in hexadecimal, or encoded
 * several times.
 */
export class IdReplacer {
  readonly #values: KnownValues;
  /** The ids in base64 and hexadecimal. */
  readonly #encoded: KnownValues;
  readonly #aliases: ReadonlySet<string>;
  readonly #onFound: (value: string) => void;

  constructor({ aliases, secrets = [], onFound = () => {} }: Replacements) {
    this.#onFound = onFound;
    this.#aliases = new Set(aliases.values());
    const own = (alias: string) => ({ id: alias, text: alias, scope: 'anywhere' as const, replacement: alias });
    const ids = [...aliases].flatMap(([id, replacement]) => {
      const scope = scopeOf(id);
      return scope === null ? [] : spellingsOf(id).map((text) => ({ id, text, scope, replacement }));
    });
    const masked = [...secrets].map((text) => ({ id: text, text, scope: 'anywhere' as const, replacement: MASK }));
    this.#values = new KnownValues([...[...this.#aliases].map(own), ...ids, ...masked]);
    this.#encoded = new KnownValues(
      ids.flatMap((id) => encodingsOf(id.text).map((text) => ({ ...id, scope: 'anywhere' as const, text }))),
    );
  }

  /** Replaces every known id and secret in a part of a file. */
  replace(text: string): string {
    return this.#rounds(text, 'first', 0);
  }

  /** Replaces the ids and secrets that are still in a finished file. */
  replaceLast(text: string): string {
    return this.#rounds(text, 'last', 0);
  }

  #rounds(text: string, look: Look, depth: number): string {
    let result = text;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const edits = this.#editsOf(result, look, depth);
      if (edits.length === 0) return result;
      const { changed, isWhole } = edited(result, edits, this.#onFound);
      result = changed;
      if (isWhole) return result;
    }
    return result;
  }

  #editsOf(text: string, look: Look, depth: number): readonly Edit[] {
    if (this.#values.isEmpty) return [];
    return viewsOf(text).flatMap((view) => [
      ...this.#plain(view, look, depth),
      ...(depth < MAX_DEPTH ? this.#runs(view, look, depth) : []),
    ]);
  }

  #plain(view: View, look: Look, depth: number): readonly Edit[] {
    const places = this.#values.in(view.text, (found) => isRight(found, view, look, depth));
    return places
      .filter(({ value }) => !this.#aliases.has(value.id))
      .map(({ value, at, end }) => ({
        at: originOf(view, at),
        end: originOf(view, end),
        text: value.replacement,
        found: [value.id],
      }));
  }

  #runs(view: View, look: Look, depth: number): readonly Edit[] {
    const edits: Edit[] = [];
    for (const run of encodedRunsIn(view.text)) {
      const [at, end] = [originOf(view, run.at), originOf(view, run.at + run.text.length)];
      // The whole text was already searched. If a run has no escapes, it is a part of this text, so it need not be searched again.
      if (view.starts !== null && end - at === run.text.length) continue;
      const rewrite = (content: string, isText: boolean): string =>
        isText ? this.#rounds(content, look, depth + 1) : this.#binary(content, look);
      const changed = rewriteRun(run, rewrite, this.#isSuspect(run));
      if (changed !== run.text) edits.push({ at, end, text: changed, found: [] });
    }
    return edits;
  }

  #binary(content: string, look: Look): string {
    const edits = this.#plain({ text: content, starts: null }, look, MAX_DEPTH);
    return edited(content, edits, this.#onFound).changed;
  }

  /** True if a run contains an id in base64 or hexadecimal, even if the other bytes of the run are not text. */
  #isSuspect({ kind, text }: EncodedRun): boolean {
    const usual = kind === 'hex' ? text : text.replaceAll('-', '+').replaceAll('_', '/');
    return this.#encoded.in(usual, () => true).length > 0;
  }
}

/** Applies the edits from left to right. Of two edits that overlap, only the first one is applied. */
function edited(
  text: string,
  edits: readonly Edit[],
  onFound: (value: string) => void,
): { readonly changed: string; readonly isWhole: boolean } {
  const pieces: string[] = [];
  let from = 0;
  let isWhole = true;
  for (const edit of edits.toSorted((a, b) => a.at - b.at || b.end - a.end)) {
    if (edit.at < from) {
      isWhole = false;
      continue;
    }
    pieces.push(text.slice(from, edit.at), edit.text);
    for (const value of edit.found) onFound(value);
    from = edit.end;
  }
  return { changed: pieces.join('') + text.slice(from), isWhole };
}

function isRight({ value, at, end }: Occurrence, view: View, look: Look, depth: number): boolean {
  const { text } = view;
  const isDecoded = view.starts !== null;
  if (value.scope === 'anywhere') return (look === 'first' && !isDecoded) || !isEscape(text, at);
  // Such an id may look like an amount or a common word. In a finished file and in encoded text, the ids in fields were already
  // replaced. So an equal text that is still there is probably not the id, and is kept.
  if (look === 'last' || depth > 0) return false;
  if (isDecoded && originOf(view, end) - originOf(view, at) === end - at) return false;
  const found = text.slice(at, end);
  return found.replaceAll('+', ' ') === value.text.replaceAll('+', ' ') && isWord(text, at, found);
}

/** True if the character at this position ends an escape such as `\n`. Then no value can begin at this character. */
function isEscape(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

/**
 * The ways in which a text may be written. A letter with an accent can be one character or two. The bytes of UTF-8 can be decoded
 * as Latin-1 by mistake.
 */
function spellingsOf(id: string): readonly string[] {
  const latin1 = Buffer.from(id, 'utf8').toString('latin1');
  return [...new Set([id, id.normalize('NFC'), id.normalize('NFD'), latin1])];
}

function encodingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [bytes.toString('hex'), ...base64Within(bytes)].filter((encoded) => encoded.length >= MIN_ENCODED);
}

/**
 * Says whether an id is replaced everywhere in a text, or only where it is a whole word. Null if the id is too short: then it is
 * replaced only in fields for ids.
 */
function scopeOf(id: string): Scope | null {
  const isNumber = /^[\d.]+$/.test(id);
  if (id.length < (isNumber ? 4 : 2)) return null;
  return !isNumber && id.length >= 6 && (/[\d@:_.-]/.test(id) || id.length >= 12) ? 'anywhere' : 'whole word';
}

const PART_OF_UUID = /^[0-9a-f]{0,8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?$/i;
/** Matches the name of an amount before its value. */
const AMOUNT_NAME =
  /(?:amount|balance|price|stake|before|after|bets|wins|should|booked|difference)["']?\s{0,2}[=:]\s{0,2}["']?$/i;

/** True if the text at this position is a whole word. False if it is a part of a longer word, an amount or a UUID. */
function isWord(text: string, at: number, id: string): boolean {
  const before = text.slice(Math.max(0, at - 24), at);
  const after = text.slice(at + id.length, at + id.length + 25);
  if (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)) return false;
  if (!/^\d+$/.test(id)) return true;
  if (/\d[.,]$/.test(before) || /^[.,]\d/.test(after) || AMOUNT_NAME.test(before)) return false;
  const around = `${/(?<![0-9a-f-])[0-9a-f-]*$/i.exec(before)?.[0]}${id}${/^[0-9a-f-]*/i.exec(after)?.[0]}`;
  return around.length !== 36 || !PART_OF_UUID.test(around);
}
