import { MASK } from '../../journal/secrets/scrubber.ts';
import { viewsOf } from '../../journal/secrets/unescape.ts';
import { type AddressKind, addressKind, replaceAddresses } from './addresses.ts';
import type { Aliases } from './aliases.ts';
import { encodedRunsIn, rewriteRun } from './encoded-runs.ts';
import {
  type FieldMeaning,
  fieldMeaning,
  isForwardingHeader,
  isHeaders,
  isKeptField,
  isPrivateHeader,
} from './field-meaning.ts';
import type { IdReplacer } from './id-replacer.ts';
import type { Certainty, Secrets } from './secrets.ts';

/** The maximum number of times that a text may be encoded. */
const MAX_DEPTH = 4;
/** The maximum length of an id or a word that is kept. */
const MAX_WORD = 128;

export interface TextRewriterOptions {
  readonly aliases: Aliases;
  readonly secrets: Secrets;
  /** Null in the first pass, which only collects ids and secrets. */
  readonly replacer: IdReplacer | null;
  /** The kinds of addresses that are replaced in every text. */
  readonly addresses?: ReadonlySet<AddressKind>;
  /** Names of headers with private values, in lower case. */
  readonly privateHeaders?: ReadonlySet<string>;
}

/** Makes texts anonymous. Without a replacer it only collects ids and secrets. */
export class TextRewriter {
  readonly #aliases: Aliases;
  readonly #secrets: Secrets;
  readonly #replacer: IdReplacer | null;
  readonly #addresses: ReadonlySet<AddressKind>;
  readonly #privateHeaders: ReadonlySet<string>;
  readonly #headerLine: RegExp | null;
  /** The maximum number of further lines of a private key. It is 0 outside a key. */
  #keyLines = 0;
  /** The number of encodings around the text that is being rewritten. */
  #depth = 0;
  /** The number of values that were removed without an alias. */
  removed = 0;

  constructor({ aliases, secrets, replacer, addresses = new Set(), privateHeaders = new Set() }: TextRewriterOptions) {
    this.#aliases = aliases;
    this.#secrets = secrets;
    this.#replacer = replacer;
    this.#addresses = addresses;
    this.#privateHeaders = privateHeaders;
    this.#headerLine = headerPattern(privateHeaders);
  }

  /** Replaces a secret with a fixed mask. Remembers the secret, so that it is removed in every other place too. */
  remove(value: string, certainty: Certainty = 'sure'): string {
    if (value === '' || value === MASK) return value;
    this.removed += 1;
    if (this.#replacer === null) {
      this.#secrets.add(value, certainty);
      this.#learnTokens(value);
    }
    return MASK;
  }

  /** Removes the value of a private header. Forwarded addresses get aliases if the user asks for addresses. */
  removeHeader(name: string, value: string): string {
    const forwarded = isForwardingHeader(name) ? this.#withoutAddresses(value) : value;
    if (forwarded !== value) return forwarded;
    if (this.#replacer === null) {
      this.#secrets.addHeader(name, value);
      this.#learnTokens(value);
    }
    return value === '' || value === MASK ? value : this.#mask();
  }

  /** Rewrites a line of a log. A private key in PEM may have several lines, also with a prefix of the log before each. */
  line(text: string): string {
    if (PEM_BEGIN.test(text)) this.#keyLines = PEM_END.test(text) ? 0 : MAX_KEY_LINES;
    else if (this.#keyLines > 0) {
      this.#keyLines = PEM_END.test(text) ? 0 : this.#keyLines - 1;
      return this.rewrite(text.replace(PEM_LINE, (part) => this.remove(part)));
    }
    return this.rewrite(text);
  }

  #mask(): string {
    this.removed += 1;
    return MASK;
  }

  /** Remembers that a text is a fixed word of a format, so that it does not count as a secret. */
  keep(text: string): string {
    if (this.#replacer === null && text.length <= MAX_WORD) this.#secrets.keep(text);
    return text;
  }

  /** Rewrites the value of a field. */
  value(coloured: string, name: string | undefined, parent?: string): string {
    const text = withoutColours(coloured);
    if (text === '') return text;
    if (isKeptField(name)) this.keep(text);
    const header = name?.replace(/\[\]$/, '');
    if (header !== undefined && isHeaders(parent) && isPrivateHeader(header, this.#privateHeaders))
      return this.removeHeader(header, text);
    const meaning = fieldMeaning(name, parent);
    switch (meaning) {
      case 'session':
      case 'player':
      case 'person': {
        if (this.#replacer === null) this.#learnTokens(text);
        // Some logs write a whole object as text into this field.
        if (/^\s*[[{]/.test(text)) return this.rewrite(text);
        const kind = meaning === 'person' ? addressKind(text) : undefined;
        return this.#aliases.of(kind !== undefined && this.#addresses.has(kind) ? kind : meaning, text);
      }
      case 'secret':
        return this.#secretField(text, name ?? '');
      case 'amount':
        return /^-?\d+(\.\d+)?$/.test(text) ? text : this.rewrite(text);
      case undefined:
        return this.rewrite(text);
    }
  }

  #secretField(text: string, name: string): string {
    return HEADER_FIELD.test(name)
      ? this.removeHeader(name, text)
      : this.remove(text, LIKELY_FIELD.test(name) ? 'likely' : 'sure');
  }

  /** Rewrites any text. JSON inside the text keeps every byte except the replaced values. */
  rewrite(coloured: string): string {
    const text = withoutColours(coloured);
    const at = this.#depth < MAX_DEPTH ? text.search(MARKED_JSON) : -1;
    // If JSON with ordinary quotation marks comes before the escaped JSON, the escaped JSON is the value of a field. Then it is
    // rewritten together with the ordinary JSON.
    if (at < 0 || PLAIN_JSON.test(text.slice(0, at))) return this.#unmarked(text);
    const pieces: string[] = [];
    let from = 0;
    for (const { 0: json, index } of text.matchAll(MARKED_JSON)) {
      pieces.push(this.#unmarked(text.slice(from, index)), this.#marked(json));
      from = index + json.length;
    }
    return pieces.join('') + this.#unmarked(text.slice(from));
  }

  /** Rewrites a text that has no JSON with other quotation marks. */
  #unmarked(text: string): string {
    const escaped = escapedJson(text);
    if (escaped !== null && this.#depth < MAX_DEPTH) {
      const { at, end, content } = escaped;
      const changed = this.#inside(content);
      const inner = changed === content ? text.slice(at, end) : JSON.stringify(changed).slice(1, -1);
      return this.#plain(text.slice(0, at)) + this.replaceIds(inner) + this.rewrite(text.slice(end));
    }
    // JavaScript and Python write objects with other quotation marks than JSON.
    if (SINGLE_QUOTED.test(text)) return this.#plain(text);
    const from = /"\s*(?::|=>)/.test(text) || /^\s*[[{]/.test(text) ? text.search(/[[{]/) : -1;
    if (from < 0) return this.#plain(text);
    const until = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
    // If JSON was cut off, its closing bracket is missing.
    const end =
      until > from && /[\w.\s)]{3}$/.test(text.slice(until)) && !text.slice(until).includes('"') ? until : text.length;
    return this.#plain(text.slice(0, from)) + this.#json(text.slice(from, end)) + this.#plain(text.slice(end));
  }

  /**
   * Rewrites JSON in which the quotation marks are written in another form, such as `\x22`. Every quotation mark keeps its form.
   */
  #marked(text: string): string {
    const marks = text.match(MARK) ?? [];
    const content = text.replaceAll(MARK, '"');
    const changed = this.#inside(content);
    if (changed === content) return this.replaceIds(text);
    const [first = '"'] = marks;
    let index = 0;
    return changed.replaceAll('"', () => {
      const mark = marks[index];
      index += 1;
      return mark ?? first;
    });
  }

  /** Replaces only the known ids. For texts in which the names of fields do not have their usual meaning. */
  replaceIds(text: string): string {
    return this.#replacer?.replace(text) ?? text;
  }

  #plain(text: string): string {
    if (text === '') return text;
    const pairs = text
      .replace(PEM_WHOLE, (_, begin: string, key: string) => `${begin}${this.remove(key)}`)
      .replace(ADDRESS_CREDENTIALS, (_, before: string, value: string) => `${before}${this.#removeCredentials(value)}@`)
      .replace(CREDENTIALS, (_, option: string, value: string) => `${option}${this.#removeCredentials(value)}`)
      .replace(
        POWERSHELL_CREDENTIALS,
        (_, option: string, value: string) => `${option}${this.#removeCredentials(value)}`,
      )
      .replace(
        KEY_AND_VALUE,
        (_, before: string, name: string, sign: string, value: string) =>
          `${before}${name}${sign}${this.#quotedPair(name, value)}`,
      )
      .replace(
        ELEMENT,
        (_, before: string, name: string, value: string) => `${before}${this.#ofSecretName(name, value)}</`,
      )
      .replace(CELLS, (_, begin: string, name: string, value: string) =>
        isPrivateHeader(name, this.#privateHeaders)
          ? `${begin}${this.removeHeader(name, value)}"`
          : `${begin}${value}"`,
      )
      .replace(
        ENTRY,
        (_, before: string, name: string, sign: string, value: string) =>
          `${before}${sign}${this.#ofSecretName(name, value)}`,
      )
      .replace(HEADER_LIST, (found, name: string, sign: string, value: string) =>
        isPrivateHeader(name, this.#privateHeaders) ? `${name}${sign}${this.removeHeader(name, value)}]` : found,
      )
      .replace(
        QUOTED_PAIR,
        (found, before: string, name: string, sign: string, mark: string, value: string, at: number, whole: string) =>
          // The attribute `key` names the value of the attribute after it, which is rewritten already.
          name === 'key' && VALUE_ATTRIBUTE.test(whole.slice(at + found.length, at + found.length + 20))
            ? found
            : `${before}${name}${sign}${mark}${this.#quotedPair(name.replace(/['"]$/, ''), value)}${mark}`,
      )
      .replace(BEARER, (_, scheme: string, value: string) => `${scheme}${this.remove(value)}`)
      .replace(JWT, (token) => this.remove(token))
      .replace(CARD, (digits) => (isCardNumber(digits) ? this.#mask() : digits))
      .replace(HEADER_LINE, (_, name: string, value: string) => `${name}${this.#headerOfLine(name, value)}`)
      .replace(
        PAIR,
        (_, before: string, name: string, sign: string, value: string) =>
          `${before}${name}${sign}${this.#pair(name, value)}`,
      )
      .replace(
        SETTING,
        (_, name: string, sign: string, value: string) => `${name}${sign}${this.#setting(name, value)}`,
      );
    const headers = this.#headerLine
      ? pairs.replace(this.#headerLine, (_, name: string, value: string) => `${name}${this.#headerOfLine(name, value)}`)
      : pairs;
    return this.replaceIds(this.#encoded(this.#withoutAddresses(headers)));
  }

  #headerOfLine(begin: string, value: string): string {
    return this.removeHeader(begin.replace(/[\s'":]/g, ''), value);
  }

  /** Removes the user and the password of a command or an address. */
  #removeCredentials(value: string): string {
    if (value === MASK) return value;
    if (this.#replacer === null) this.#secrets.addCredentials(value.replace(/^(['"])(.*)\1$/, '$2'));
    return this.#mask();
  }

  #withoutAddresses(text: string): string {
    if (this.#addresses.size === 0) return text;
    // An address with escapes, such as `joe&#64;example.com`, is replaced later together with all known ids.
    if (this.#replacer === null && ESCAPED_SIGN.test(text))
      for (const view of viewsOf(text).slice(1))
        replaceAddresses(view.text, this.#addresses, (kind, address) => this.#aliases.of(kind, address));
    return replaceAddresses(text, this.#addresses, (kind, address) => this.#aliases.of(kind, address));
  }

  /** Learns the ids in the claims of JSON Web Tokens. */
  #learnTokens(text: string): void {
    for (const [token] of text.matchAll(JWT)) {
      const [, claims = '', signature = ''] = token.split('.');
      this.#secrets.add(claims, 'sure');
      this.#secrets.add(signature, 'sure');
      const content = Buffer.from(claims, 'base64url').toString('utf8');
      if (this.#depth < MAX_DEPTH) this.#inside(content);
      const subject = SUBJECT.exec(content)?.[1];
      if (subject !== undefined) this.#aliases.expect('player', subject);
    }
  }

  /** Rewrites the parts of a text that are percent-encoded, escaped for HTML, or written in base64 or hexadecimal. */
  #encoded(text: string): string {
    if (this.#depth >= MAX_DEPTH) return text;
    const percent = text.replace(PERCENT_PART, (part) => this.#decodedPart(part, percentDecoded, encodeURIComponent));
    const html = HTML_QUOTE.test(percent) ? this.#decodedPart(percent, htmlDecoded, htmlEncoded) : percent;
    const pieces: string[] = [];
    let from = 0;
    for (const run of encodedRunsIn(html).toSorted((a, b) => a.at - b.at)) {
      if (run.at < from) continue;
      const changed = rewriteRun(run, (content, isText) => (isText ? this.#inside(content) : content), false);
      if (changed === run.text) continue;
      pieces.push(html.slice(from, run.at), changed);
      from = run.at + run.text.length;
    }
    return from === 0 ? html : pieces.join('') + html.slice(from);
  }

  #decodedPart(part: string, decode: (text: string) => string, encode: (text: string) => string): string {
    const content = decode(part);
    if (content === part) return part;
    const changed = this.#inside(content);
    return changed === content ? part : encode(changed);
  }

  #inside(content: string): string {
    this.#depth += 1;
    try {
      return this.rewrite(content);
    } finally {
      this.#depth -= 1;
    }
  }

  /** Rewrites the value of a pair in quotation marks. The name may be the name of a field or of a header. */
  #quotedPair(name: string, value: string): string {
    if (isKeptField(name)) this.keep(value);
    // A variable with the name `wallet` may hold an address or a body.
    if (/^(?:https?:\/\/|[[{$])/i.test(value)) return value;
    if (PRIVATE_MEANINGS.has(fieldMeaning(name, undefined))) return this.value(value, name);
    return isPrivateHeader(name, this.#privateHeaders) ? this.removeHeader(name, value) : value;
  }

  /** Rewrites the value of an element or an entry. The name may have a prefix, such as the namespace in `<w:password>`. */
  #ofSecretName(name: string, value: string): string {
    const own = name.slice(name.indexOf(':') + 1);
    if (isKeptField(own)) this.keep(value);
    return PRIVATE_MEANINGS.has(fieldMeaning(own, undefined)) ? this.value(value, own) : value;
  }

  /**
   * Rewrites the value of a pair such as `token: abc-1` in a text. Many sentences contain a word and a colon, so only values that look
   * like a secret or an id are rewritten.
   */
  #setting(name: string, value: string): string {
    const meaning = fieldMeaning(name, undefined);
    const isPrivate = (meaning === 'secret' && !LIKELY_FIELD.test(name)) || meaning === 'session';
    const looksPrivate = value.length >= MIN_SETTING && /\d/.test(value) && !/^\d+\.\d+$/.test(value);
    return isPrivate && looksPrivate ? this.value(value, name) : value;
  }

  /** Rewrites the value of a `name=value` pair. */
  #pair(name: string, value: string): string {
    const text = decoded(value);
    if (isKeptField(name)) this.keep(text);
    if (PRIVATE_MEANINGS.has(fieldMeaning(name, undefined))) return this.value(text, name);
    // The value may be a URL whose query begins with a pair.
    const query = value.indexOf('?') + 1;
    const inner = query > 0 ? value.slice(query) : '';
    const sign = inner.indexOf('=');
    const isPrivate = sign > 0 && PRIVATE_MEANINGS.has(fieldMeaning(inner.slice(0, sign), undefined));
    return isPrivate
      ? `${value.slice(0, query + sign)}=${this.#pair(inner.slice(0, sign), inner.slice(sign + 1))}`
      : value;
  }

  /** Rewrites JSON token by token, so that white space, order and the format of numbers stay unchanged. */
  #json(text: string): string {
    /** The field names of the open objects and lists, outermost first. */
    const open: (string | undefined)[] = [];
    const pieces: string[] = [];
    let name: string | undefined;
    /** The name in an object such as `{"key": "sessionID", "value": "s-1"}`, as Postman and OpenTelemetry write it. */
    let pair: string | undefined;
    for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
      if (name === 'value' && pair !== undefined) name = pair;
      const around = name === undefined ? { name: open.at(-1), parent: open.at(-2) } : { name, parent: open.at(-1) };
      if (token.startsWith('"')) {
        COLON.lastIndex = index + token.length;
        const content = contentOf(token);
        const isName = name === undefined && COLON.test(text);
        VALUE_NAME.lastIndex = index + token.length;
        if (name === 'key' && VALUE_NAME.test(text)) {
          pair = content;
          pieces.push(token);
          continue;
        }
        const changed = isName ? this.#name(content) : this.value(content, around.name, around.parent);
        if (isName) name = content;
        pieces.push(changed === content ? token : quoted(changed, token));
        continue;
      }
      if (token === '{' || token === '[') open.push(name ?? inList(open.at(-1)));
      else if (token === '}' || token === ']') {
        open.pop();
        pair = undefined;
      }
      // A bracket, a brace or a comma ends the name. A colon or white space does not: the value of the name comes after it.
      if (/^[[\]{},]$/.test(token)) name = undefined;
      pieces.push(/^[\s.eE+-]*\d[\s\d.eE+-]*$/.test(token) ? this.#number(token, around) : this.#words(token));
    }
    return pieces.join('');
  }

  /** Rewrites a field name, because some programs write an id as a field name. A name with a known meaning is kept. */
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

/** Matches an escaped at sign, point or colon, which an address may contain. */
const ESCAPED_SIGN = /&(?:#(?:64|46|58|x40|x2e|x3a)|commat|period|colon);|\\u00(?:40|2e|3a)|%(?:40|2e|3a)/i;
/** The meanings of the fields whose values are replaced or removed. */
const PRIVATE_MEANINGS: ReadonlySet<FieldMeaning | undefined> = new Set(['session', 'player', 'person', 'secret']);

/** Matches the user and the password in an address. */
const ADDRESS_CREDENTIALS = /(\/\/)([^/\s@"'<>]+)@/g;
/** Matches the user and the password of a curl line. */
const CREDENTIALS =
  /(\s(?:-[fgGijJklLnNOqRsSvVZ#0-46]{0,8}[uU]|(?:--user|--proxy-user)(?:\s|=))\s{0,5})(?<=\bcurl\b[^\r\n]{0,2000})('[^'\r\n]*'|"[^"\r\n]*"|[^\s'"]+)/g;
/**
 * Matches the beginning of an object whose first name is not in double quotation marks: its first value is in single ones, or the name
 * is a symbol of Ruby (`:token=>"abc"`).
 */
const SINGLE_QUOTED = /^[\s[{]{1,20}(?:'?[A-Za-z][\w-]{0,60}'?\s{0,5}:\s{0,5}'|:[A-Za-z]\w{0,60}\s{0,5}=>)/;
/** Matches a password in a PowerShell command. A variable is no password. */
const POWERSHELL_CREDENTIALS =
  /((?:\s|\()(?:-Credential|ConvertTo-SecureString(?:\s{1,5}-String)?)\s{1,5})(?![$(-])('[^'\r\n]*'|"[^"\r\n]*"|[^\s'"]+)/gi;
/**
 * Matches a name and its value in quotation marks, as in a hash table of PowerShell (`'X-Api-Key' = 'abc'`), in an object of
 * JavaScript or in a dictionary of Python.
 */
const QUOTED_PAIR =
  /(?<![\w.-])(['"]?)\b([A-Za-z][\w.-]{0,60}['"]?)(\s{0,5}(?:=>?|:)\s{0,5})(['"])((?:(?!\4)[^\r\n]){1,2000})\4/g;
/** Matches an element of XML with the attributes `key` and `value`, as in the configuration of .NET. */
const KEY_AND_VALUE = /(\b(?:key|name)=")([A-Za-z][\w.-]{0,60})("\s{1,5}value=")([^"\r\n]{1,2000})(?=")/g;
const VALUE_ATTRIBUTE = /^\s{1,5}value=/;
/** Matches an element of XML that contains only a text. */
const ELEMENT = /(<([A-Za-z][\w.:-]{0,60})>)([^<>\r\n]{1,2000})<\//g;
/** Matches a header as two cells of a CSV: `"x-forwarded-for","203.0.113.84"`. */
const CELLS = /("(x-[\w-]{1,60}|authorization|cookie)","?)(?<=,")([^"\r\n]{1,2000})"/gi;
/** Matches an entry as `print_r` of PHP writes it: `[password] => abc`. */
const ENTRY = /(\[([A-Za-z][\w.-]{0,60})\])(\s{0,3}=>\s{0,3})([^\s[\](){}"']+)/g;
/** Matches a header as a Map of Java writes it: `Cookie=[a=1]`. */
const HEADER_LIST = /(?<![\w-])([A-Za-z][\w-]{0,60})(=\[)([^[\]\r\n]{1,2000})\]/g;
/** Matches a name and a value with a colon or an equals sign between them, as in YAML, INI and many texts. */
const SETTING = /(?<![\w.-])([A-Za-z][\w.-]{0,60})(\s{0,3}[:=]\s{1,3})([\w.@+/=~-]+)(?![\w:])/g;
const MIN_SETTING = 6;
/** Matches the lines around a private key in PEM (RFC 7468), a part of its text in one line, and a whole key in one line. */
const PEM_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const PEM_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----/;
const PEM_LINE = /(?<![\w+/=-])[\w+/]{4,76}={0,2}(?=["'\\\s]{0,8}$)/;
const PEM_WHOLE = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)((?:[\w+/=\s]|\\[nr]){8,8000})(?=-----END)/g;
const MAX_KEY_LINES = 200;
const BEARER = /\b(bearer\s{1,5})([\w.~+/=-]{8,})/gi;
/** Matches a JSON Web Token (RFC 7519): its first part is JSON in base64url. */
const JWT = /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g;
const CARD = /(?<![\w.-])\d(?:[ \u00A0-]?\d){12,18}(?![\w.-])/g;
/** The beginnings of the numbers of the usual card networks. */
const CARD_BEGIN = /^(?:4|5[1-5]|2[2-7]|3[0456789]|6)/;

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
/** Matches the sign between a name and its value. Ruby and Elixir write an arrow. */
const COLON = /\s*(?::|=>)/y;
/** Matches the name of the value after the name of a pair. Jaeger writes the type of the value between the two. */
const VALUE_NAME = /\s*,\s*(?:"type"\s*:\s*"\w{1,20}"\s*,\s*)?"value"\s*:/y;
/**
 * Matches private headers in curl lines and raw HTTP. Faraday writes the value in quotation marks. Python writes the line ends as
 * `\r\n`, and HttpClient of Apache as `[\r][\n]`.
 */
const HEADER_LINE =
  /((?:^|[\s'"]|\\n)(?:set-cookie|cookie|(?:proxy-)?authorization|forwarded|(?:true|cf-connecting)(?:-client)?-ip|api-key|(?:http_)?x[-_](?:forwarded[-_]for|real[-_]ip|client[-_]ip|cluster[-_]client[-_]ip)|x-(?=[\w-]*(?:key|token|secret|auth|sign|session|passw))[\w-]*)\s*:\s*"?)((?:[^'"\r\n\\[]|\\(?![rn])|\[(?!\\r\]))+)/gim;
/** The names of fields that are also names of headers. The values of these fields are rewritten like headers. */
const HEADER_FIELD = /authorization|cookie|forwarded|ip$/i;
/** Fields whose name does not prove that the value is a secret. */
const LIKELY_FIELD = /^(?:key|pin|sign)$/i;
/** Matches the player in the claims of a JSON Web Token (RFC 7519, 4.1.2). */
const SUBJECT = /"sub"\s*:\s*"?([^"\\,}\s]+)/;
/** Matches a part of an address that is percent-encoded. */
const PERCENT_PART = /(?<![^\s"'<>&?=#;,:/])(?=[^\s"'<>&?=#;,:/%]*%[0-9a-f]{2})[^\s"'<>&?=#;,:/]+/gi;
const HTML_QUOTE = /&(?:quot|#34|#x22);/i;
/**
 * Matches a `name=value` pair in queries, forms and many logs, together with characters before the name, such as hyphens. The
 * lookahead first checks that a value follows. Without it, a long text without values would be searched many times. HTTPie writes
 * two signs `=` before the value of a query.
 */
const PAIR =
  /(?<![\w.-])(?=[\w.-]+=[^\s&;,"'<>{}\][#`“”„‘’‚])([\w.-]*?)\b([A-Za-z][\w.-]*)(==?)([^\s&;,"'<>{}\][#`“”„‘’‚]+)/g;

/**
 * Matches JSON whose quotation marks are written as `\x22` by nginx, as `` `" `` in PowerShell, doubled in a CSV, or as typographic
 * marks by a text program.
 */
const MARKED_JSON = /[[{]\s*(?:\\x22[^"]*|`"(?:[^"`]|`"|`)*|""(?=\w)(?:""|[^"])*|[“”„][^"]*)/g;
const MARK = /\\x22|`"|""|[“”„]/g;

/** Matches the colours that loggers print for a terminal. */
const COLOUR = /\u001B\[[\d;]{0,20}m/g;

/** Removes the colours that loggers print for a terminal, because they separate a name from its value. */
function withoutColours(text: string): string {
  return text.includes('\u001B') ? text.replaceAll(COLOUR, '') : text;
}

/** Returns a pattern for the headers with these names in curl lines and raw HTTP; null without names. */
function headerPattern(names: ReadonlySet<string>): RegExp | null {
  if (names.size === 0) return null;
  const any = [...names].map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|');
  return new RegExp(`((?:^|[\\s'"])(?:${any})\\s{0,5}:\\s{0,5})([^\\s'"][^'"\\r\\n]*)`, 'gim');
}

/** Finds JSON with escaped quotation marks. A logger escapes them if it writes JSON into a text: `body={\"txID\":\"1\"}`. */
function escapedJson(text: string): { readonly at: number; readonly end: number; readonly content: string } | null {
  const at = text.search(ESCAPED_JSON);
  // If JSON without escapes comes before the escaped JSON, the escaped JSON is the value of a field. Then it is rewritten together
  // with the JSON before it.
  if (at < 0 || PLAIN_JSON.test(text.slice(0, at))) return null;
  let end = at;
  while (end < text.length && text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
  end = Math.min(end, text.length);
  while (/\s/.test(text.charAt(end - 1))) end -= 1;
  try {
    return { at, end, content: String(JSON.parse(`"${text.slice(at, end)}"`)) };
  } catch {
    return null;
  }
}

const ESCAPED_JSON = /[[{]\s*\\+"/;
const PLAIN_JSON = /[[{]\s*"/;

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function htmlDecoded(text: string): string {
  return text.replace(/&(?:(quot|#34|#x22)|(lt)|(gt)|(apos|#39)|amp);/gi, (_, quote, lt, gt, apos) =>
    quote ? '"' : lt ? '<' : gt ? '>' : apos ? "'" : '&',
  );
}

function htmlEncoded(text: string): string {
  const names: Readonly<Record<string, string>> = { '"': 'quot', '<': 'lt', '>': 'gt', '&': 'amp', "'": '#39' };
  return text.replace(/["<>&']/g, (character) => `&${names[character]};`);
}

/** Returns the field name for the items of a list. */
export function inList(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${name}[]`;
}

/** Decodes a JSON string. If the string was cut off, its closing quotation mark is missing. */
function contentOf(token: string): string {
  const isClosed = token.length > 1 && token.endsWith('"');
  const within = token.slice(1, isClosed ? -1 : undefined);
  // nginx and Apache write a quotation mark as `\x22`, which is not allowed in JSON.
  const json = within.replaceAll(ESCAPE, (found, code?: string) => (code === undefined ? found : `\\u00${code}`));
  try {
    return String(JSON.parse(`"${json}"`));
  } catch {
    return within;
  }
}

/** Matches any escape, and the code of an escape such as `\x22`. */
const ESCAPE = /\\(?:x([\da-f]{2})|[\s\S])/gi;

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
