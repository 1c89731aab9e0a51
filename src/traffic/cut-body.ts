import type { Body } from '../journal/exchange.ts';
import { type Fields, isFields, parsed } from './json-fields.ts';
import { textBody } from './logged-exchange.ts';

/** The beginning of a JSON object whose end is not in the log. */
export interface CutObject {
  /** The members that are complete, as the text of a JSON object. A value that ends at the cut is left out. */
  readonly text: string;
  /**
   * If the cut is inside an inner object: the name of the member that has this object as its value, and the text of the object up
   * to the cut. Some loggers write this inner object as a string. Null if the cut is in no inner object.
   */
  readonly open: { readonly name: string; readonly text: string } | null;
}

/** Matches the mark with which loggers replace the rest of a text, such as `…`, `... (1234 more bytes)` or `<truncated>`. */
const MARK =
  /^[\s,]{0,3}(?:…|\.{3}|[[(<{*-]{0,3}\s?(?:truncated|cut off|snip|omitted|\+?\d{1,12} (?:more )?(?:bytes|chars|characters)\b))/i;
/** Matches the same mark within a text. */
const MARK_WITHIN = /…|\.{3}|[[(<{*-]\s?truncated/i;

/** True if a logger has put its mark into a text, to show that it has cut the text. */
export function hasCutMark(text: string): boolean {
  return MARK_WITHIN.test(text);
}

/**
 * Reads the beginning of a JSON object. Loggers keep only the first characters of a long text. So if the end of an object is
 * missing, the logger may have cut it, and the sender did not make a mistake.
 *
 * @returns undefined if the text is a whole object, or not the beginning of an object
 */
export function cutObject(text: string): CutObject | undefined {
  const scan = new MemberScan(text);
  return scan.isCut() ? scan.result() : undefined;
}

/** Matches the mark with which a logger ends a text that it has cut, if the line continues after the mark. */
const MARK_IN_LINE =
  /(?:…|\.{3})(?:\s?[[(<{][^\])>}{"]{0,40}[\])>}])?|[[(<{*-]\s?truncated[^\])>}{"]{0,40}[\])>}*-]{0,3}/i;

/**
 * If a logger has cut a text and added its mark, returns the text up to the mark, including the mark. Otherwise returns the whole
 * text.
 */
export function withoutRest(text: string): string {
  const found = MARK_IN_LINE.exec(text);
  return found ? text.slice(0, found.index + found[0].length) : text;
}

/**
 * Returns the fields of a log entry whose JSON was cut. If the cut is in an inner object, this object is returned as a text,
 * because it may be the body of a call. Returns undefined if the text is not the beginning of an object, or if no field is known.
 */
export function cutEntry(text: string): Fields | undefined {
  const cut = cutObject(text);
  const value = cut && parsed(cut.text);
  if (!cut || !isFields(value)) return undefined;
  const fields = cut.open === null ? value : { ...value, [cut.open.name]: cut.open.text };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Returns the complete fields of a body that was cut. Returns undefined if the body is not the beginning of an object. */
export function cutFields(text: string): Fields | undefined {
  const cut = cutObject(text);
  const value = cut && parsed(cut.text);
  return isFields(value) ? value : undefined;
}

/** Converts the logged text of a body to a body. If the logger has cut the text, the body is marked as truncated. */
export function loggedBody(text: string): Body {
  const body = textBody(text);
  if (!text.trimStart().startsWith('{')) return body;
  // Most bodies have no inner object. Such a body is complete if it ends with a brace. It is not parsed, which saves time.
  if (text.endsWith('}') && text.lastIndexOf('{') === 0 && !MARK_WITHIN.test(text)) return body;
  const value = parsed(text);
  // Some loggers cut out the middle of a text, and write a mark in its place. Then the mark can stand inside a field name: before
  // it is the beginning of one field name, and after it is the end of another.
  const isCut = isFields(value)
    ? Object.keys(value).some((name) => MARK_WITHIN.test(name))
    : value === undefined && cutObject(text) !== undefined;
  return isCut ? { ...body, truncated: true } : body;
}

/**
 * Returns a new body with only the complete fields of a truncated body. Returns null if the text is not the beginning of an object.
 */
export function completePart(body: Body): Body | null {
  const cut = body.encoding === 'utf8' ? cutObject(body.data) : undefined;
  return cut ? textBody(cut.text) : null;
}

/** Returns the text of a value whose end is missing. In a string, the escapes are decoded. */
function innerText(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  const decoded = parsed(`${value.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`);
  return typeof decoded === 'string' ? decoded : undefined;
}

/** The kinds of text that JSON allows at a position. */
type Next = 'name' | 'first name' | 'colon' | 'value' | 'first value' | 'comma' | 'nothing';

const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:e[+-]?\d{1,10})?)$/i;

/** Finds the complete members of an object. Reads each character only once. */
class MemberScan {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;
  #next: Next = 'value';
  /** The position after the last complete member of the outermost object. */
  #end = 0;
  /** The position before the last text in quotation marks. */
  #quoted = 0;
  /** The position after the last complete member but one. It is used if the last member contains a mark of the logger. */
  #endBefore = 0;
  #name = '';
  #valueAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** True if the text is the beginning of an object, followed by the end of the text or a mark of the logger. */
  isCut(): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== '{') return false;
    while (this.#next !== 'nothing') {
      this.#skipSpace();
      if (this.#at >= this.#text.length) return true;
      const before = this.#at;
      if (this.#step()) continue;
      // If the whole text ends inside a string, number or word, the logger has cut it.
      if (this.#at >= this.#text.length) return true;
      this.#at = before;
      if (MARK.test(this.#text.slice(before, before + 80))) return true;
      return this.#isMarkInText();
    }
    return MARK.test(this.#text.slice(this.#at, this.#at + 80));
  }

  result(): CutObject {
    const start = this.#text.indexOf('{');
    const members = this.#end === 0 ? '{' : this.#text.slice(start, this.#end);
    const inner = this.#valueAt >= this.#end ? innerText(this.#text.slice(this.#valueAt)) : undefined;
    return { text: `${members}}`, open: inner?.startsWith('{') ? { name: this.#name, text: inner } : null };
  }

  /**
   * Some loggers cut out the middle of a text and write a mark in its place. Then the text before the mark and the text after it
   * are not one value.
   */
  #isMarkInText(): boolean {
    if (!MARK_WITHIN.test(this.#text.slice(this.#quoted, this.#at))) return false;
    if (this.#end > this.#quoted) this.#end = this.#endBefore;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '.')) this.#at += 1;
  }

  /**
   * Reads one sign, string, number or word of JSON. Returns false if its end is missing, or if JSON does not allow it at this
   * place.
   */
  #step(): boolean {
    const sign = this.#text[this.#at];
    switch (this.#next) {
      case 'name':
      case 'first name':
        if (sign === '}' && this.#next === 'first name') return this.#close('{');
        return sign === '"' && this.#readName();
      case 'colon':
        this.#at += 1;
        this.#next = 'value';
        return sign === ':';
      case 'value':
      case 'first value':
        if (sign === ']' && this.#next === 'first value') return this.#close('[');
        return this.#readValue(sign);
      case 'comma':
        if (sign === '}') return this.#close('{');
        if (sign === ']') return this.#close('[');
        this.#at += 1;
        this.#next = this.#open.at(-1) === '{' ? 'name' : 'value';
        return sign === ',';
      case 'nothing':
        return false;
    }
  }

  #readName(): boolean {
    const from = this.#at;
    if (!this.#readText()) return false;
    if (this.#open.length === 1) {
      const name = parsed(this.#text.slice(from, this.#at));
      this.#name = typeof name === 'string' ? name : '';
      this.#valueAt = this.#text.length;
    }
    this.#next = 'colon';
    return true;
  }

  #readValue(sign: string | undefined): boolean {
    if (this.#open.length === 1) this.#valueAt = this.#at;
    if (sign === '{' || sign === '[') {
      this.#open.push(sign);
      this.#at += 1;
      this.#next = sign === '{' ? 'first name' : 'first value';
      return true;
    }
    if (sign === '"') return this.#readText() && this.#complete();
    return this.#readWord() && this.#complete();
  }

  /**
   * Reads a number or a word. At the cut, more digits or letters could follow. So the number or word is complete only if a sign of
   * JSON comes after it.
   */
  #readWord(): boolean {
    const from = this.#at;
    while (/[-+.\w]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    const word = this.#text.slice(from, this.#at);
    let after = this.#at;
    while (/\s/.test(this.#text[after] ?? '.')) after += 1;
    if (after >= this.#text.length) {
      this.#at = after;
      return false;
    }
    if (/[,}\]]/.test(this.#text[after] ?? '')) return LITERAL.test(word);
    const mark = word.indexOf('...');
    if (mark >= 0 || MARK.test(this.#text.slice(after, after + 80))) this.#at = this.#text.length;
    return false;
  }

  /** Reads a text in quotation marks. Returns false if its end is missing. */
  #readText(): boolean {
    this.#quoted = this.#at;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === '\\') at += 1;
      else if (this.#text[at] === '"') {
        this.#at = at + 1;
        return true;
      }
    }
    this.#at = this.#text.length;
    return false;
  }

  #close(bracket: '{' | '['): boolean {
    if (this.#open.pop() !== bracket) return false;
    this.#at += 1;
    return this.#complete();
  }

  #complete(): true {
    if (this.#open.length === 1) {
      this.#endBefore = this.#end;
      this.#end = this.#at;
    }
    this.#next = this.#open.length === 0 ? 'nothing' : 'comma';
    return true;
  }
}
