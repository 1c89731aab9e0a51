import type { Aliases } from './aliases.ts';
import { fieldMeaning } from './field-meaning.ts';
import type { IdReplacer } from './id-replacer.ts';

const MASK = '***';

/** Makes texts anonymous. Without a replacer it only collects ids. */
export class TextRewriter {
  readonly #aliases: Aliases;
  readonly #replacer: IdReplacer | null;
  /** The number of values that were removed without an alias. */
  removed = 0;

  constructor(aliases: Aliases, replacer: IdReplacer | null) {
    this.#aliases = aliases;
    this.#replacer = replacer;
  }

  /** Replaces a value by a fixed mask instead of an alias. */
  remove(value: string): string {
    if (value === '' || value === MASK) return value;
    this.removed += 1;
    return MASK;
  }

  /** Rewrites the value of a field. */
  value(text: string, name: string | undefined, parent?: string): string {
    if (text === '') return text;
    const meaning = fieldMeaning(name, parent);
    switch (meaning) {
      case 'session':
      case 'player':
      case 'person':
        // Some logs write a whole object as text into this field.
        return /^\s*[[{]/.test(text) ? this.rewrite(text) : this.#aliases.of(meaning, text);
      case 'secret':
        return this.remove(text);
      case 'amount':
        return /^-?\d+(\.\d+)?$/.test(text) ? text : this.rewrite(text);
      case undefined:
        return this.rewrite(text);
    }
  }

  /** Rewrites any text. JSON inside the text keeps every byte except the replaced values. */
  rewrite(text: string): string {
    const from = /"\s*:/.test(text) || /^\s*[[{]/.test(text) ? text.search(/[[{]/) : -1;
    if (from < 0) return this.#plain(text);
    const until = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
    // JSON that was cut off has no closing bracket.
    const end =
      until > from && /[\w.\s)]{3}$/.test(text.slice(until)) && !text.slice(until).includes('"') ? until : text.length;
    return this.#plain(text.slice(0, from)) + this.#json(text.slice(from, end)) + this.#plain(text.slice(end));
  }

  /** Replaces only the known ids. For texts in which field names have other meanings. */
  replaceIds(text: string): string {
    return this.#replacer?.replace(text) ?? text;
  }

  #plain(text: string): string {
    if (text === '') return text;
    const pairs = text
      .replace(/(\/\/)[^/\s@"'<>]+@/g, `$1${MASK}@`)
      .replace(CREDENTIALS, (_, option: string, value: string) => `${option}${this.remove(value)}`)
      .replace(BEARER, (_, scheme: string, value: string) => `${scheme}${this.remove(value)}`)
      .replace(JWT, (token) => this.remove(token))
      .replace(CARD, (digits) => (isCardNumber(digits) ? this.remove(digits) : digits))
      .replace(HEADER_LINE, (_, name: string, value: string) => `${name}${this.remove(value)}`)
      .replace(PAIR, (_, before: string, name: string, value: string) => `${before}${this.#pair(name, value)}`);
    return this.replaceIds(pairs);
  }

  #pair(name: string, value: string): string {
    const meaning = fieldMeaning(name, undefined);
    return meaning === undefined || meaning === 'amount'
      ? `${name}=${value}`
      : `${name}=${this.value(decoded(value), name)}`;
  }

  /** Rewrites JSON token by token, so that white space, order and the format of numbers stay unchanged. */
  #json(text: string): string {
    /** The field names of the open objects and lists, outermost first. */
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
      // A colon or white space follows the name, so the name must be kept for the next value.
      if (/^[[\]{},]$/.test(token)) name = undefined;
      pieces.push(/^[\s.eE+-]*\d[\s\d.eE+-]*$/.test(token) ? this.#number(token, around) : this.#words(token));
    }
    return pieces.join('');
  }

  /** Rewrites a field name, because some programs use an id as a name. A name with a known meaning is not an id. */
  #name(content: string): string {
    return fieldMeaning(content, undefined) === undefined ? this.#plain(content) : content;
  }

  #words(token: string): string {
    return /^(?:[[\]{},:]|\s*(?:(?:true|false|null)\s*)?)$/.test(token) ? token : this.#plain(token);
  }

  /** Rewrites a number, because an id may be written as a number. The alias is a string. */
  #number(token: string, { name, parent }: { readonly name: string | undefined; readonly parent: string | undefined }) {
    const number = token.trim();
    const meaning = fieldMeaning(name, parent);
    const isID = meaning !== undefined && meaning !== 'amount' && /^\d+$/.test(number);
    if (isID) return token.replace(number, () => JSON.stringify(this.value(number, name, parent)));
    const replaced = meaning === 'amount' ? number : (this.#replacer?.replace(number) ?? number);
    return replaced === number ? token : token.replace(number, () => JSON.stringify(replaced));
  }
}

/** Matches the user and the password of a curl line. */
const CREDENTIALS =
  /(\s(?:-u|-U|--user|--proxy-user)(?:\s|=)\s{0,5})(?<=\bcurl\b[^\r\n]{0,2000})('[^'\r\n]*'|"[^"\r\n]*"|[^\s'"]+)/g;
const BEARER = /\b(bearer\s{1,5})([\w.~+/=-]{8,})/gi;
/** Matches a JSON Web Token (RFC 7519): its first part is JSON in base64url. */
const JWT = /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g;
const CARD = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-])/g;
/** The beginnings of the numbers of the usual card networks. */
const CARD_BEGIN = /^(?:4|5[1-5]|2[2-7]|3[47]|3[0689]|6)/;

/** True for the number of a payment card: its check digit is right (Luhn, ISO/IEC 7812-1). */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!CARD_BEGIN.test(digits)) return false;
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const JSON_TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[[\]{},:]|[^"[\]{},:]+/g;
const COLON = /\s*:/y;
/** Matches private headers in curl lines and raw HTTP. */
const HEADER_LINE =
  /((?:^|[\s'"])(?:set-cookie|cookie|(?:proxy-)?authorization|x-forwarded-for|x-real-ip|x-(?=[\w-]*(?:key|token|secret|auth|sign))[\w-]*)\s*:\s*)([^'"\r\n]+)/gim;
/**
 * Matches `name=value` pairs in queries, forms and many logs, and what precedes the name, such as hyphens. The lookahead makes sure
 * that a value follows, so that long text without values is searched only once.
 */
const PAIR = /(?<![\w.-])(?=[\w.-]+=[^\s&;,"'<>{}\][#])([\w.-]*?)\b([A-Za-z][\w.-]*)=([^\s&;,"'<>{}\][#]+)/g;

/** Returns the field name for the items of a list. */
export function inList(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${name}[]`;
}

/** Decodes a JSON string. If the string was cut off, its closing quotation mark is missing. */
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
