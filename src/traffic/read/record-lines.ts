type Chunks = AsyncIterable<Uint8Array>;

/** Matches the beginning of a Windows event log in XML, as `wevtutil` and the Event Viewer write it. */
const EVENTS = /^(?:<\?xml[^>]{0,200}\?>\s{0,9})?<(?:Events>|Event xmlns)/;
/** Matches a message of syslog with structured data, and without a text after it (RFC 5424, 6.3). */
const STRUCTURED =
  /^<\d{1,3}>\d (?<time>\S+) \S+ \S+ \S+ \S+ (?<data>(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: (?:\uFEFF)?-?)?\s*$/;
const HAS_STRUCTURED = /^(?:\d{2,6} )?<\d{1,3}>\d \S+ \S+ \S+ \S+ \S+ \[[^\s\]]+ /m;
const PARAMETER = /(?<![\w.@-])([\w.@-]+)="((?:[^"\\]|\\.)*)"/g;
const EVENT_END = '</Event>';
const EVENT_TIME = /<TimeCreated\b[^>]{0,300}?\bSystemTime=["']([^"']+)["']/;
const EVENT_DATA = /<Data(?:\s+Name=["']([^"']*)["'])?\s*>([^<]*)<\/Data>/g;
/** Maximum size of an event that is read, in bytes. A larger one is passed on as it is. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Returns the content of a file with one record on each line. Changes only Windows event logs in XML, and messages of syslog whose
 * data are structured. Other files are returned as they are. Each record is on the line on which it ends in the file, or on a later line
 * if the file has several records on one line.
 *
 * @param head the beginning of the file
 */
export function withRecordLines(head: string, chunks: Chunks): Chunks {
  if (EVENTS.test(head)) return eventLines(chunks);
  return HAS_STRUCTURED.test(head) ? structuredLines(chunks) : chunks;
}

async function* eventLines(chunks: Chunks): Chunks {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const events = rest.split(EVENT_END);
    rest = events.pop() ?? '';
    if (events.length > 0) yield Buffer.from(events.map(eventLine).join(''));
    if (rest.length <= MAX_BYTES) continue;
    yield Buffer.from(rest);
    rest = '';
  }
  // The end of an event is missing, or only the end of the document is left.
  if (rest.includes('<Event ')) yield Buffer.from(rest.replaceAll(/\r?\n/g, ' '));
}

/** Returns the text of an event on one line, after its time in the form of syslog. */
function eventLine(event: string): string {
  const breaks = '\n'.repeat(Math.max(1, event.split('\n').length - 1));
  const time = EVENT_TIME.exec(event)?.[1] ?? '-';
  const data = Array.from(event.matchAll(EVENT_DATA), ([, name, text = '']) => [name, decoded(text)] as const);
  const named = data.flatMap(([name, text]) => (name === undefined || name === '' ? [] : [[name, text] as const]));
  const text =
    named.length > 1 && named.length === data.length
      ? JSON.stringify({ time, ...Object.fromEntries(named) })
      : data.map(([, each]) => onOneLine(each)).join(' ');
  return named.length > 1 && named.length === data.length ? text + breaks : `<14>1 ${time} - - - - - ${text}${breaks}`;
}

function onOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.join(' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };

function decoded(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(quot|apos|lt|gt|amp));/gi, (found, hex, digits, name) => {
    if (name) return ENTITIES[String(name).toLowerCase()] ?? found;
    const code = hex ? Number.parseInt(hex, 16) : Number(digits);
    return code > 0x10ffff ? found : String.fromCodePoint(code);
  });
}

async function* structuredLines(chunks: Chunks): Chunks {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield Buffer.from(`${lines.map(structuredLine).join('\n')}\n`);
  }
  if (rest !== '') yield Buffer.from(structuredLine(rest));
}

/** Returns the parameters of a message as an object in JSON. Returns a line without them, or with two values of one name, as it is. */
function structuredLine(line: string): string {
  const { time = '', data = '' } = STRUCTURED.exec(line)?.groups ?? {};
  const fields = new Map<string, string>(time === '' || time === '-' ? [] : [['time', time]]);
  for (const [, name = '', value = ''] of data.matchAll(PARAMETER)) {
    const text = value.replaceAll(/\\(["\\\]])/g, '$1');
    if (fields.has(name) && fields.get(name) !== text) return line;
    fields.set(name, text);
  }
  return data === '' ? line : JSON.stringify(Object.fromEntries(fields));
}
