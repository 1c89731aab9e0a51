/** The shell whose quoting a command line uses. */
export type Shell = 'posix' | 'cmd' | 'powershell';

/**
 * The words of a command line. The kind `open` means that a quotation or a continued line does not end within the text.
 */
export type ShellReading = { readonly kind: 'words'; readonly words: readonly string[] } | { readonly kind: 'open' };

/**
 * Detects the shell for which a command was copied. Browsers quote with carets for cmd, and with backticks for
 * PowerShell.
 */
export function shellOf(command: string): Shell {
  if (ASSIGNMENT.test(command)) return 'powershell';
  if (/^[ \t]*(Invoke-WebRequest|Invoke-RestMethod|iwr|irm|curl\.exe\b.*`[ \t]*$)/im.test(command)) return 'powershell';
  if (/\^"|\^\s*$/m.test(command)) return 'cmd';
  return 'posix';
}

/** Matches the beginning of a PowerShell statement that gives a variable a body, some headers or the reply of a request. */
export const ASSIGNMENT =
  /^\s*\$\w{1,60}\s*=\s*(?:\[ordered\]\s*)?(?:@['"{]|['"](?:[[{]|https?:)|Invoke-|i(?:wr|rm)\s|ConvertTo-Json\s|\$\w{1,60}\s*\|\s*ConvertTo-Json)/i;

/** Splits a command line into words by the rules of its shell. Variables are not expanded. */
export function shellWords(command: string, shell: Shell): ShellReading {
  switch (shell) {
    case 'posix':
      return posixWords(command);
    case 'cmd':
      return cmdWords(command);
    case 'powershell':
      return powershellWords(command);
  }
}

/** Collects the words of a command line. A quoted word may be empty. */
class Words {
  readonly done: string[] = [];
  #word: string | null = null;

  /** True within a word that has begun, if it is not only the name of a PowerShell variable. */
  isWithinArgument(): boolean {
    return this.#word !== null && !/^\$\w{1,60}$/.test(this.#word);
  }

  add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  end(): void {
    if (this.#word !== null) this.done.push(this.#word);
    this.#word = null;
  }
}

const BLANK = /\s/;

function posixWords(command: string): ShellReading {
  const words = new Words();
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (BLANK.test(char)) words.end();
    else if (char === '\\') {
      const next = command.charAt(at + 1);
      if (next === '' || (next === '\r' && at + 2 >= command.length)) return { kind: 'open' };
      // A backslash before a line end continues the command on the next line.
      if (next === '\r' && command.charAt(at + 2) === '\n') at += 2;
      else {
        if (next !== '\n') words.add(next);
        at += 1;
      }
    } else if (char === "'") {
      const end = command.indexOf("'", at + 1);
      if (end < 0) return { kind: 'open' };
      words.add(command.slice(at + 1, end));
      at = end;
    } else if (char === '"' || (char === '$' && command.charAt(at + 1) === '"')) {
      const quoted = doubleQuoted(command, char === '"' ? at + 1 : at + 2);
      if (!quoted) return { kind: 'open' };
      words.add(quoted.text);
      at = quoted.end;
    } else if (char === '$' && command.charAt(at + 1) === "'") {
      const quoted = ansiQuoted(command, at + 2);
      if (!quoted) return { kind: 'open' };
      words.add(quoted.text);
      at = quoted.end;
    } else if (char === '|' || char === ';' || char === '&') {
      words.end();
      words.add(char);
      words.end();
    } else words.add(char);
  }
  words.end();
  return { kind: 'words', words: words.done };
}

interface Quoted {
  readonly text: string;
  readonly end: number;
}

function doubleQuoted(command: string, from: number): Quoted | undefined {
  let text = '';
  for (let at = from; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (char === '"') return { text, end: at };
    if (char !== '\\') text += char;
    else {
      const next = command.charAt(at + 1);
      // Within double quotes, a backslash escapes only these characters. Before any other character, the backslash is
      // kept.
      if (next !== '\n') text += '$`"\\!'.includes(next) ? next : `\\${next}`;
      at += 1;
    }
  }
  return undefined;
}

const ANSI_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ANSI_CODE = /^(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/;

/** Reads the `$'…'` quotation of bash and zsh, which has escapes. Chrome uses it for line ends and non-ASCII text. */
function ansiQuoted(command: string, from: number): Quoted | undefined {
  const bytes: Uint8Array[] = [];
  let plain = '';
  for (let at = from; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (char === "'") {
      bytes.push(Buffer.from(plain));
      return { text: Buffer.concat(bytes).toString('utf8'), end: at };
    }
    if (char !== '\\') {
      plain += char;
      continue;
    }
    const code = ANSI_CODE.exec(command.slice(at + 1, at + 10));
    const [all = '', short, long, hex, octal] = code ?? [];
    if (short !== undefined || long !== undefined) {
      // A surrogate pair is written as two codes.
      const unit = Number.parseInt(short ?? long ?? '', 16);
      plain += unit > 0xffff ? (unit <= 0x10ffff ? String.fromCodePoint(unit) : '\uFFFD') : String.fromCharCode(unit);
    } else if (hex !== undefined || octal !== undefined) {
      bytes.push(Buffer.from(plain));
      plain = '';
      bytes.push(Uint8Array.of(Number.parseInt(hex ?? octal ?? '0', hex === undefined ? 8 : 16) & 0xff));
    } else {
      const next = command.charAt(at + 1);
      plain += ANSI_ESCAPES[next] ?? next;
    }
    at += code ? all.length : 1;
  }
  return undefined;
}

/**
 * Splits a command line of the Windows shell cmd into words, as cmd and the called program do together. First cmd removes the
 * carets. Then the program splits the text: `\"` means a quotation mark, and so does `""` inside quotation marks. If Chrome copies
 * a command line, it puts a caret before every special character, and writes each line end twice.
 */
function cmdWords(command: string): ShellReading {
  let bare = '';
  let isQuoted = false;
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (char === '^' && !isQuoted) {
      const rest = command.slice(at + 1);
      if (rest.trim() === '') return { kind: 'open' };
      const joined = /^\r?\n(\r?\n)?/.exec(rest);
      if (joined) {
        if (joined[1] !== undefined) bare += '\n';
        at += joined[0].length;
      } else {
        bare += rest.charAt(0);
        at += 1;
      }
    } else {
      if (char === '"') isQuoted = !isQuoted;
      bare += char;
    }
  }
  const words = new Words();
  let quoted = false;
  for (let at = 0; at < bare.length; at += 1) {
    const char = bare.charAt(at);
    const slashes = /^\\+(?=")/.exec(bare.slice(at, at + 64))?.[0].length ?? 0;
    if (slashes > 0) {
      words.add('\\'.repeat(Math.floor(slashes / 2)));
      at += slashes;
      if (slashes % 2 === 1) words.add('"');
      else quoted = !quoted;
    } else if (char === '"' && quoted && bare.charAt(at + 1) === '"') {
      words.add('"');
      at += 1;
    } else if (char === '"') {
      quoted = !quoted;
      words.add('');
    } else if (!quoted && BLANK.test(char)) words.end();
    else words.add(char);
  }
  words.end();
  return quoted ? { kind: 'open' } : { kind: 'words', words: words.done };
}

const BACKTICKED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
};

function powershellWords(command: string): ShellReading {
  const words = new Words();
  let depth = 0;
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (BLANK.test(char)) words.end();
    else if (char === '`') {
      if (command.slice(at + 1).trim() === '') return { kind: 'open' };
      if (command.charAt(at + 1) === '\r') at += 1;
      if (command.charAt(at + 1) !== '\n') words.add(command.charAt(at + 1));
      at += 1;
    } else if (char === '@' && HERE_STRING.test(command.slice(at, at + 200))) {
      const quoted = hereString(command, at);
      if (!quoted) return { kind: 'open' };
      words.add(quoted.text);
      at = quoted.end;
    } else if (char === "'" || char === '"') {
      const quoted = powershellQuoted(command, at + 1, char);
      if (!quoted) return { kind: 'open' };
      words.add(quoted.text);
      at = quoted.end;
    } else if (char === '=' && depth === 0 && words.isWithinArgument()) {
      // Within an argument, such as a URL, `=` is a character like any other.
      words.add(char);
    } else if ('{};='.includes(char)) {
      depth += char === '{' ? 1 : char === '}' ? -1 : 0;
      words.end();
      words.add(char);
      words.end();
    } else words.add(char);
  }
  words.end();
  return depth > 0 ? { kind: 'open' } : { kind: 'words', words: words.done };
}

const HERE_STRING = /^@['"][ \t]*\r?\n/;

/** Reads a here-string: `@'`, the lines of the text, and `'@` at the beginning of a line. Variables in it are not expanded. */
function hereString(command: string, from: number): Quoted | undefined {
  const mark = command.charAt(from + 1);
  const begin = command.indexOf('\n', from);
  const end = command.indexOf(`\n${mark}@`, begin);
  if (end < 0) return undefined;
  const text = command.slice(begin + 1, Math.max(begin + 1, end)).replace(/\r$/, '');
  const plain = mark === '"' ? text.replaceAll(/`(.)/gs, (_, sign: string) => BACKTICKED[sign] ?? sign) : text;
  return { text: plain, end: end + 2 };
}

function powershellQuoted(command: string, from: number, mark: string): Quoted | undefined {
  let text = '';
  for (let at = from; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (char === mark && command.charAt(at + 1) === mark) {
      text += mark;
      at += 1;
    } else if (char === mark) return { text, end: at };
    else if (char === '`' && mark === '"') {
      const next = command.charAt(at + 1);
      const unicode = /^u\{([0-9a-f]{1,6})\}/i.exec(command.slice(at + 1, at + 12));
      text += unicode
        ? String.fromCodePoint(Math.min(Number.parseInt(unicode[1] ?? '0', 16), 0x10ffff))
        : (BACKTICKED[next] ?? next);
      at += unicode ? unicode[0].length : 1;
    } else text += char;
  }
  return undefined;
}

/**
 * A command without its here-document. `input` is the text of the here-document, or null if there is none. The kind `open` means
 * that the end of the here-document is missing in the text.
 */
export type HereDocumentReading =
  | { readonly kind: 'read'; readonly command: string; readonly input: string | null }
  | { readonly kind: 'open' };

/**
 * Matches `<<` together with the word that ends the here-document. Also matches `<<<`, escaped characters and quoted text, so that
 * a `<<` in these is skipped.
 */
const HERE =
  /\\.|'[^']*'?|"[^"\\]*(?:\\.[^"\\]*)*"?|(?<text><<<)|<<(?<indented>-?)[ \t]*(?:'(?<single>\w+)'|"(?<double>\w+)"|(?<bare>\w+))/gs;

/**
 * Removes the here-document of a shell (`<<EOF` and the lines up to EOF) from a command. Variables in the here-document
 * are not expanded. A `<<<` is kept as a word of its own.
 */
export function withoutHereDocument(command: string): HereDocumentReading {
  for (const found of command.matchAll(HERE)) {
    const { text, indented = '', single, double, bare } = found.groups ?? {};
    const end = single ?? double ?? bare;
    if (text !== undefined) {
      const at = found.index;
      return { kind: 'read', command: `${command.slice(0, at)} <<< ${command.slice(at + text.length)}`, input: null };
    }
    if (end === undefined) continue;
    const behind = found.index + found[0].length;
    const firstLine = /(?<!\\)\r?\n/g;
    firstLine.lastIndex = behind;
    const opened = firstLine.exec(command);
    if (!opened) return { kind: 'open' };
    const lines = command.slice(opened.index + opened[0].length).split('\n');
    const plain = (line: string): string => (indented === '' ? line : line.replace(/^\t+/, '')).replace(/\r$/, '');
    const last = lines.findIndex((line) => plain(line) === end);
    if (last < 0) return { kind: 'open' };
    const input = lines
      .slice(0, last)
      .map((line) => `${plain(line)}\n`)
      .join('');
    const head = command.slice(0, found.index) + command.slice(behind, opened.index);
    return { kind: 'read', command: head, input };
  }
  return { kind: 'read', command, input: null };
}
