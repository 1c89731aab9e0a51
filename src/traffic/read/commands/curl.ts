import type { NoReplyReason } from '../../../journal/exchange.ts';
import { bodyOf, type LoggedReply } from '../../logged-exchange.ts';
import { type CommandReading, type ReadFileBeside, type StandardInput, withScheme } from './command.ts';

/** The options of curl that take a value but do not change the request. They are skipped together with the value. */
const WITH_VALUE = new Set(
  (
    '-o --output -m --max-time --connect-timeout -x --proxy --cacert --capath --cert -E --key --resolve --connect-to -w ' +
    '--write-out --retry --retry-delay --interface --limit-rate -T --upload-file -K --config --ciphers -D --dump-header ' +
    '-c --cookie-jar -U --proxy-user --noproxy --dns-servers --tls-max -F --form -r --range --trace --trace-ascii --stderr'
  ).split(' '),
);
const SHORT_WITH_VALUE = new Set('XHduAebomxEwTKDcUFrP'.split(''));

/** Reads the request from the words of a command after `curl`. */
export function readCurl(args: readonly string[], piped: StandardInput | null, beside: ReadFileBeside): CommandReading {
  let method: string | null = null;
  let url: string | null = null;
  let asQuery = false;
  const headers: [string, string][] = [];
  const data: Uint8Array[] = [];
  /** The parts that curl joins to the part before without `&`. */
  const joined = new Set<Uint8Array>();
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
  const words = args.flatMap(splitOptions);
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
        for (const part of data.slice(-1)) joined.add(part);
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
  if (url === null) return { kind: 'unreadable', why: 'the curl line has no URL' };
  const bytes = Buffer.concat(
    data.flatMap((part, index) => (index === 0 || joined.has(part) ? [part] : [Buffer.from('&'), part])),
  );
  if (asQuery && bytes.length > 0) url += `${url.includes('?') ? '&' : '?'}${bytes.toString('utf8')}`;
  const hasBody = !asQuery && (data.length > 0 || missing !== null);
  const body = !hasBody ? null : missing === null ? bodyOf(bytes) : 'unknown';
  return {
    kind: 'request',
    request: { method: method ?? (hasBody ? 'POST' : 'GET'), url: withScheme(url), headers, body },
    missing,
  };
}

/**
 * Splits a word that contains several short options: `-sSi` becomes three options, and `-XPOST` becomes an option and its value.
 */
function splitOptions(word: string): readonly string[] {
  if (!/^-[^-]./.test(word)) return [word];
  const found: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    found.push(`-${letter}`);
    if (SHORT_WITH_VALUE.has(letter)) return at + 1 < word.length ? [...found, word.slice(at + 1)] : found;
  }
  return found;
}

/**
 * Adds a header as curl does: `Name: value` sends the header, `Name;` sends it with an empty value, and `Name:` does
 * not send it.
 */
function addHeader(headers: [string, string][], text: string): void {
  const [, name, value = ''] = /^([^:;\s]+)\s*:(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value.trim() !== '') headers.push([name, value.trim()]);
  else if (text.endsWith(';')) headers.push([text.slice(0, -1), '']);
}

function urlEncoded(text: string): string {
  const [, name, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return encodeURIComponent(text);
  return name === '' ? encodeURIComponent(value) : `${name}=${encodeURIComponent(value)}`;
}

/** The reason for a missing reply, for each exit status of curl. */
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

/**
 * Reads the reason for a missing reply from an error line of curl: `curl: (28) Operation timed out …`. Returns
 * undefined if the line is not an error of curl.
 */
export function curlFailure(line: string): LoggedReply | undefined {
  const [, status = '', detail = ''] = /^curl: \((\d+)\) (.*)$/.exec(line.trim()) ?? [];
  if (status === '') return undefined;
  const reason = status === '28' && /connect/i.test(detail) ? 'connect-timeout' : (FAILURES[status] ?? 'reset');
  return { kind: 'none', reason, detail };
}
