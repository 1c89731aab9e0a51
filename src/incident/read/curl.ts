import type { NoReplyReason } from '../../journal/exchange.ts';
import { bodyOf, type SeenAnswer } from '../seen.ts';
import { type CommandReading, type Piped, type ReadBeside, withScheme } from './command.ts';
import { withoutHereDocument } from './here.ts';
import { readHttpie } from './httpie.ts';
import { readInvoke, withoutBytes } from './invoke.ts';
import { type Shell, shellOf, shellWords } from './shell.ts';
import { readWget } from './wget.ts';

/** What a shell writes before a command: `$`, `user@host ~ %`, `root@host:/#`, `PS C:\\>`. */
const PROMPT = /^\s*(?:(?:[^\s'"{]{1,80}\s){0,3}[^\s'"{]{0,80}[$>%#]\s+|PS [^>]*>\s*)?/;
const BEGINS = new RegExp(
  `${PROMPT.source}(?:(?:printf|echo|cat)\\s+\\S.*\\|\\s*)?(curl(?:\\.exe)?|wget|https?(?=\\s(?!\\d{4}-).*\\/)|Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\\s`,
  'i',
);

/** True for a line with which a copied command begins. */
export function beginsCommand(line: string): boolean {
  const program = BEGINS.exec(line)?.[1] ?? 'HTTP';
  // Logs speak of HTTP in capital letters; the program is not called so.
  return !/^HTTPS?$/.test(program);
}

/** Reads a command as browsers copy it, for curl in bash, zsh, cmd or PowerShell, or PowerShell's own; wget and HTTPie too. */
export function readCommand(
  text: string,
  beside: ReadBeside = () => undefined,
  shell: Shell = shellOf(text),
): CommandReading {
  const command = withoutBytes(text.replace(PROMPT, ''));
  const here = shell === 'posix' ? withoutHereDocument(command) : { kind: 'read' as const, command, input: null };
  if (here.kind === 'open') return here;
  const reading = shellWords(here.command, shell);
  if (reading.kind === 'open') return reading;
  const { words, stdin } = redirected(reading.words, here.input, beside);
  const pipe = words.indexOf('|');
  const program = words[0]?.toLowerCase() ?? '';
  if (program === 'printf' || program === 'echo' || program === 'cat') {
    if (pipe < 0) return { kind: 'unreadable', why: `the ${program} is not piped into curl` };
    return readProgram(words.slice(pipe + 1), stdin ?? piped(program, words.slice(1, pipe), beside), beside);
  }
  return readProgram(words, stdin, beside);
}

function readProgram(words: readonly string[], stdin: Piped | null, beside: ReadBeside): CommandReading {
  const program = words[0]?.toLowerCase() ?? '';
  const args = words.slice(1);
  switch (program) {
    case 'curl':
    case 'curl.exe':
      return readCurl(args, stdin, beside);
    case 'wget':
      return readWget(args, beside);
    case 'http':
    case 'https':
      return readHttpie(program, args, stdin, beside);
    default:
      return readInvoke(words);
  }
}

/** Takes `< FILE` and `<<< TEXT` out of a command. */
function redirected(
  words: readonly string[],
  input: string | null,
  beside: ReadBeside,
): { readonly words: readonly string[]; readonly stdin: Piped | null } {
  const at = words.findIndex((word) => word === '<' || word === '<<<');
  const value = words[at + 1];
  if (at < 0 || value === undefined) {
    return { words, stdin: input === null ? null : { bytes: Buffer.from(input), missing: undefined } };
  }
  const bytes = words[at] === '<' ? beside(value) : Buffer.from(`${value}\n`);
  return { words: words.toSpliced(at, 2), stdin: { bytes, missing: bytes === undefined ? value : undefined } };
}

/** Options of curl that are followed by a value and say nothing about the request. */
const WITH_VALUE = new Set(
  (
    '-o --output -m --max-time --connect-timeout -x --proxy --cacert --capath --cert -E --key --resolve --connect-to -w ' +
    '--write-out --retry --retry-delay --interface --limit-rate -T --upload-file -K --config --ciphers -D --dump-header ' +
    '-c --cookie-jar -U --proxy-user --noproxy --dns-servers --tls-max -F --form -r --range --trace --trace-ascii --stderr'
  ).split(' '),
);
const SHORT_WITH_VALUE = new Set('XHduAebomxEwTKDcUFrP'.split(''));

function readCurl(args: readonly string[], piped: Piped | null, beside: ReadBeside): CommandReading {
  let method: string | null = null;
  let url: string | null = null;
  let asQuery = false;
  const headers: [string, string][] = [];
  const data: Uint8Array[] = [];
  let missing: string | null = null;
  const take = (value: string, keepsLines: boolean): void => {
    if (!value.startsWith('@')) {
      data.push(Buffer.from(value));
      return;
    }
    const name = value.slice(1);
    const bytes = name === '-' && piped ? piped.bytes : name === '-' ? undefined : beside(name);
    if (bytes === undefined) missing = (name === '-' ? piped?.missing : name) ?? 'standard input';
    else data.push(keepsLines ? bytes : bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d));
  };
  const words = args.flatMap(apart);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const value = (): string => {
      at += 1;
      return words[at] ?? '';
    };
    switch (word) {
      case '-X':
      case '--request':
        method = value();
        break;
      case '--url':
        url = value();
        break;
      case '-G':
      case '--get':
        asQuery = true;
        break;
      case '-I':
      case '--head':
        method ??= 'HEAD';
        break;
      case '-H':
      case '--header':
        addHeader(headers, value());
        break;
      case '-A':
      case '--user-agent':
        headers.push(['User-Agent', value()]);
        break;
      case '-e':
      case '--referer':
        headers.push(['Referer', value()]);
        break;
      case '-b':
      case '--cookie':
        headers.push(['Cookie', value()]);
        break;
      case '-u':
      case '--user':
        headers.push(['Authorization', `Basic ${Buffer.from(value()).toString('base64')}`]);
        break;
      case '--json':
        headers.push(['Content-Type', 'application/json'], ['Accept', 'application/json']);
        take(value(), true);
        break;
      case '--data-raw':
        data.push(Buffer.from(value()));
        break;
      case '-d':
      case '--data':
      case '--data-ascii':
        take(value(), false);
        break;
      case '--data-binary':
        take(value(), true);
        break;
      case '--data-urlencode':
        data.push(Buffer.from(urlEncoded(value())));
        break;
      case '|':
      case ';':
      case '&':
        at = words.length;
        break;
      default:
        if (WITH_VALUE.has(word)) at += 1;
        else if (!word.startsWith('-') && url === null) url = word;
    }
  }
  if (url === null) return { kind: 'unreadable', why: 'the curl line names no address' };
  const bytes = Buffer.concat(data.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from('&'), part])));
  if (asQuery && bytes.length > 0) url += `${url.includes('?') ? '&' : '?'}${bytes.toString('utf8')}`;
  const hasBody = !asQuery && (data.length > 0 || missing !== null);
  const body = !hasBody ? null : missing === null ? bodyOf(bytes) : 'untold';
  return {
    kind: 'request',
    request: { method: method ?? (hasBody ? 'POST' : 'GET'), url: withScheme(url), headers, body },
    missing,
  };
}

/** `-sSi` is three options, `-XPOST` one with its value, `--request=POST` is two words too. */
function apart(word: string): readonly string[] {
  if (!/^-[^-]./.test(word)) return [word];
  const found: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    found.push(`-${letter}`);
    if (SHORT_WITH_VALUE.has(letter)) return at + 1 < word.length ? [...found, word.slice(at + 1)] : found;
  }
  return found;
}

/** `Name: value`; `Name;` sends it empty, and `Name:` leaves it out. */
function addHeader(headers: [string, string][], text: string): void {
  const [, name, value = ''] = /^([^:;\s]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== '') headers.push([name, value.trim()]);
  else if (text.endsWith(';')) headers.push([text.slice(0, -1), '']);
}

function urlEncoded(text: string): string {
  const [, name, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return encodeURIComponent(text);
  return name === '' ? encodeURIComponent(value) : `${name}=${encodeURIComponent(value)}`;
}

/** What `printf FORMAT`, as croupier writes bodies that a terminal could not show, or echo, or cat gives to what is behind the pipe. */
function piped(program: string, args: readonly string[], beside: ReadBeside): Piped {
  const [first = ''] = args;
  switch (program.toLowerCase()) {
    case 'printf':
      // printf %s TEXT prints the text as it is.
      return { bytes: first === '%s' ? Buffer.from(args[1] ?? '') : printed(first), missing: undefined };
    case 'cat':
      return { bytes: args.length === 1 ? beside(first) : undefined, missing: args.join(' ') };
    default: {
      const isBare = first === '-n';
      return { bytes: Buffer.from(`${args.slice(isBare ? 1 : 0).join(' ')}${isBare ? '' : '\n'}`), missing: undefined };
    }
  }
}

function printed(format: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const [part, octal, percent] of format.matchAll(/\\([0-7]{1,3})|(%%)|[^\\%]+|[\\%]/g)) {
    if (octal !== undefined) pieces.push(Uint8Array.of(Number.parseInt(octal, 8) & 0xff));
    else pieces.push(Buffer.from(percent === undefined ? part : '%'));
  }
  return Buffer.concat(pieces);
}

/** By the exit status of curl, as it prints it. */
const FAILURES: Readonly<Record<string, NoReplyReason>> = {
  '5': 'unresolved',
  '6': 'unresolved',
  '7': 'refused',
  '28': 'too-late',
  '35': 'tls',
  '52': 'closed-early',
  '55': 'reset',
  '56': 'reset',
  '58': 'tls',
  '60': 'tls',
  '97': 'proxy',
};

/** `curl: (28) Operation timed out …`: why no reply came. */
export function curlFailure(line: string): SeenAnswer | undefined {
  const [, status = '', detail = ''] = /^curl: \((\d+)\) (.*)$/.exec(line.trim()) ?? [];
  if (status === '') return undefined;
  const reason = status === '28' && /connect/i.test(detail) ? 'connect-timeout' : (FAILURES[status] ?? 'reset');
  return { kind: 'none', reason, detail };
}
