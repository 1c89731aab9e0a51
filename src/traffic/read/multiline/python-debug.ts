/** Matches the lines that `http.client` of Python prints with a debug level, each with the text as Python prints it. */
const LINE = /^(?:send: b|reply: )(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*$/s;
const HEADER = /^header: ([!#$%&'*+\-.^_`|~\w]{1,100}: .*)$/;

const REQUEST = /^[A-Z]{3,7} \S+ HTTP\/\d/;
const STATUS = /^HTTP\/\d/;

/**
 * Reads the lines that `http.client` of Python prints, also for the package requests. It prints no bodies of replies. The lines have
 * no id. If a program has several requests in progress, the lines do not show to which of them a body or a reply belongs.
 */
export class PythonDebug {
  /** The number of requests without a reply so far. */
  #open = 0;
  #isMixed = false;

  /**
   * Returns the lines of HTTP in a printed line, or `mixed` if it is unknown to which request they belong. Returns undefined for any
   * other line.
   */
  take(line: string): readonly string[] | 'mixed' | undefined {
    if (line.startsWith('Traceback ')) {
      // The exception says that no reply comes.
      this.#open = Math.max(0, this.#open - 1);
      this.#isMixed &&= this.#open > 0;
      return undefined;
    }
    const lines = linesOf(line);
    const [first = ''] = lines ?? [];
    if (!lines) return undefined;
    if (line.startsWith('send: ') && REQUEST.test(first)) {
      this.#open += 1;
      this.#isMixed ||= this.#open > 1;
      return lines;
    }
    const isMixed = this.#isMixed;
    if (STATUS.test(first)) {
      this.#open = Math.max(0, this.#open - 1);
      this.#isMixed &&= this.#open > 0;
    }
    return isMixed ? 'mixed' : lines;
  }
}

/** Returns the lines of HTTP in a printed line. Returns undefined for any other line. */
function linesOf(line: string): readonly string[] | undefined {
  if (line.startsWith('header: ')) {
    const header = HEADER.exec(line)?.[1];
    return header === undefined ? undefined : [header];
  }
  if (!line.startsWith('send: b') && !line.startsWith('reply: ')) return undefined;
  const [found, single, double] = LINE.exec(line) ?? [];
  if (found === undefined) return undefined;
  const text = unescaped(single ?? double ?? '');
  // The text of a header ends with a line end, so nothing follows the last one. A body has no line end.
  return text.replace(/\r\n$/, '').split('\r\n');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Returns the text of a literal of Python. A byte outside of ASCII is `\xNN`, and several of them are one character of UTF-8. */
function unescaped(literal: string): string {
  const bytes = literal.replaceAll(/\\(?:x([\da-f]{2})|(.))/gs, (_, hex: string | undefined, sign: string) =>
    hex === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /[\u0080-\u00FF]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
