import type { Aliases } from './aliases.ts';
import { fieldMeaning } from './field-meaning.ts';
import type { Sweep } from './sweep.ts';

const MASK = '***';

/** Rewrites texts so that nobody can be told from them. Without a sweep it only learns which ids there are. */
export class TextRewriting {
  readonly #aliases: Aliases;
  readonly #sweep: Sweep | null;
  /** How many values were taken out for good. */
  removed = 0;

  constructor(aliases: Aliases, sweep: Sweep | null) {
    this.#aliases = aliases;
    this.#sweep = sweep;
  }

  /** Takes a value out for good. */
  remove(value: string): string {
    if (value === '' || value === MASK) return value;
    this.removed += 1;
    return MASK;
  }

  /** A value that stands under a name. */
  value(text: string, name: string | undefined, parent?: string): string {
    if (text === '') return text;
    const meaning = fieldMeaning(name, parent);
    switch (meaning) {
      case 'session':
      case 'player':
      case 'person':
        // A log may have a whole object there, as text.
        return /^\s*[[{]/.test(text) ? this.free(text) : this.#aliases.of(meaning, text);
      case 'secret':
        return this.remove(text);
      case 'amount':
        return /^-?\d+(\.\d+)?$/.test(text) ? text : this.free(text);
      case undefined:
        return this.free(text);
    }
  }

  /** Any text: JSON to the byte, but for what has to go; else as it is. */
  free(text: string): string {
    const from = /"\s*:/.test(text) || /^\s*[[{]/.test(text) ? text.search(/[[{]/) : -1;
    if (from < 0) return this.#plain(text);
    const until = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
    // What was cut off has no end.
    const end =
      until > from && /[\w.\s)]{3,}$/.test(text.slice(until)) && !text.slice(until).includes('"') ? until : text.length;
    return this.#plain(text.slice(0, from)) + this.#json(text.slice(from, end)) + this.#plain(text.slice(end));
  }

  /** Only ids that are known, in a text whose names mean something of their own. */
  words(text: string): string {
    return this.#sweep?.text(text) ?? text;
  }

  #plain(text: string): string {
    if (text === '') return text;
    const pairs = text
      .replace(/(\/\/)[^/\s@"'<>]+@/g, `$1${MASK}@`)
      .replace(HEADER_LINE, (_, name: string, value: string) => `${name}${this.remove(value)}`)
      .replace(PAIR, (whole: string, name: string, value: string) => this.#pair(whole, name, value));
    return this.words(pairs);
  }

  #pair(whole: string, name: string, value: string): string {
    const meaning = fieldMeaning(name, undefined);
    return meaning === undefined || meaning === 'amount' ? whole : `${name}=${this.value(decoded(value), name)}`;
  }

  /** Token by token, so that white space, order and the way in which numbers are written stay as they were. */
  #json(text: string): string {
    /** Under which name each open object or list stands. */
    const open: (string | undefined)[] = [];
    const pieces: string[] = [];
    let name: string | undefined;
    for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
      const around = name === undefined ? { name: open.at(-1), parent: open.at(-2) } : { name, parent: open.at(-1) };
      if (token.startsWith('"')) {
        COLON.lastIndex = index + token.length;
        const content = contentOf(token);
        const isName = name === undefined && COLON.test(text);
        const changed = isName ? this.#name(content) : this.value(content, around.name, around.parent);
        if (isName) name = content;
        pieces.push(changed === content ? token : quoted(changed, token));
        continue;
      }
      if (token === '{' || token === '[') open.push(name ?? inList(open.at(-1)));
      else if (token === '}' || token === ']') open.pop();
      // Only a colon leaves the name of what follows as it is, and white space.
      if (/^[[\]{},]$/.test(token)) name = undefined;
      pieces.push(/^[\s\d.eE+-]*\d[\s\d.eE+-]*$/.test(token) ? this.#number(token, around) : this.#words(token));
    }
    return pieces.join('');
  }

  /** An id may stand where a name does; a name that means something is none. */
  #name(content: string): string {
    return fieldMeaning(content, undefined) === undefined ? this.#plain(content) : content;
  }

  #words(token: string): string {
    return /^(?:[[\]{},:]|\s*(?:true|false|null)?\s*)$/.test(token) ? token : this.#plain(token);
  }

  /** An id may have been written as a number; what replaces it is text. */
  #number(token: string, { name, parent }: { readonly name: string | undefined; readonly parent: string | undefined }) {
    const number = token.trim();
    const meaning = fieldMeaning(name, parent);
    const isID = meaning !== undefined && meaning !== 'amount' && /^\d+$/.test(number);
    if (isID) return token.replace(number, () => JSON.stringify(this.value(number, name, parent)));
    const swept = meaning === 'amount' ? number : (this.#sweep?.text(number) ?? number);
    return swept === number ? token : token.replace(number, () => JSON.stringify(swept));
  }
}

const JSON_TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[[\]{},:]|[^"[\]{},:]+/g;
const COLON = /\s*:/y;
/** Of curl lines and of raw HTTP. */
const HEADER_LINE =
  /((?:^|[\s'"])(?:set-cookie|cookie|(?:proxy-)?authorization|x-forwarded-for|x-real-ip|x-[\w-]*(?:key|token|secret|auth|sign)[\w-]*)\s*:\s*)([^'"\r\n]+)/gim;
/** Of queries, forms and many logs. */
const PAIR = /\b([A-Za-z][\w.-]*)=([^\s&;,"'<>{}\][#]+)/g;

/** What stands in a list, stands there under the name of the list. */
export function inList(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${name}[]`;
}

/** What stands between the quotation marks; a text that was cut off has no second one. */
function contentOf(token: string): string {
  const isClosed = token.length > 1 && token.endsWith('"');
  const within = token.slice(1, isClosed ? -1 : undefined);
  try {
    return String(JSON.parse(`"${within}"`));
  } catch {
    return within;
  }
}

function quoted(text: string, token: string): string {
  const whole = JSON.stringify(text);
  return token.length > 1 && token.endsWith('"') ? whole : whole.slice(0, -1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
