/**
 * Binary file formats that a user may give by mistake. `first`: the first bytes of such a file. `instead`: what the user must
 * export instead. The first bytes are taken from the specification of the format, or from the program that writes the format.
 */
const BINARIES: readonly { readonly first: Uint8Array; readonly name: string; readonly instead: string }[] = [
  ...['d4c3b2a1', 'a1b2c3d4', '4d3cb2a1', 'a1b23c4d', '0a0d0d0a'].map((hex) => ({
    first: Buffer.from(hex, 'hex'),
    name: 'a packet capture (pcap)',
    instead: 'save each HTTP stream as text (in Wireshark: Follow, HTTP Stream, Save as)',
  })),
  binary('ElfFile\0', 'a Windows event log (evtx)', 'export the events as CSV or text'),
  binary('%PDF-', 'a PDF', 'export the log as text or CSV'),
  {
    first: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    name: 'a document of Excel, Word or Outlook',
    instead: 'save the log as CSV or text',
  },
  binary('{\\rtf', 'a text document (RTF)', 'save the log as plain text'),
  binary('SQLite format 3\0', 'an SQLite database', 'export the table as CSV with a header'),
  binary('PGDMP', 'a database dump (pg_dump)', 'export the table as CSV with a header'),
  binary('PAR1', 'a Parquet file', 'export the rows as CSV or JSON lines'),
  binary('Obj\u0001', 'an Avro file', 'export the records as JSON lines'),
  binary('LPKSHHRH', 'a binary journal of systemd', 'export it with journalctl -o json'),
  ...['89504e470d0a1a0a', 'ffd8ff', '47494638'].map((hex) => ({
    first: Buffer.from(hex, 'hex'),
    name: 'a picture',
    instead: 'copy the text of the log',
  })),
  ...['377abcaf271c', '526172211a07', 'fd377a585a00', '28b52ffd', '425a68'].map((hex) => ({
    first: Buffer.from(hex, 'hex'),
    name: 'an archive (7z, rar, xz, zstd or bzip2)',
    instead: 'unpack it, or pack the log as gzip or zip',
  })),
];

function binary(text: string, name: string, instead: string): (typeof BINARIES)[number] {
  return { first: Buffer.from(text, 'latin1'), name, instead };
}

/**
 * Matches a line of IIS with its usual columns. After the path come the query and the port. So the number after the path is not a
 * status.
 */
const IIS_LINE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:\S+ )?[\d.:a-f]{3,45} (?:GET|POST) \/\S* \S+ \d{1,5} /;

/** True for a line of IIS. The meaning of its numbers is known only from the header that names the columns. */
export function isIisLine(line: string): boolean {
  return IIS_LINE.test(line);
}

/** The beginnings of lines of text in which croupier can't find calls. `instead`: what the user must export instead. */
const LINES: readonly { readonly begins: RegExp; readonly name: string; readonly instead: string | null }[] = [
  {
    begins: /^<(?:\?xml[^>]{0,200}\?>\s?)?(?:Events>|Event xmlns)/,
    name: 'a Windows event log',
    instead: 'export the events again, because an event is cut off',
  },
  {
    begins: /^"?Level"?,"?Date and Time"?,"?Source"?,/,
    name: 'a Windows event log',
    instead: 'export the log file of the program itself',
  },
  {
    begins: IIS_LINE,
    name: 'an IIS log without its header',
    instead: 'include the line that begins with #Fields:',
  },
  {
    begins: /^\[pod\/[^\]]+\]\s*$|^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)(?: (?:stdout|stderr) [FP])?\s*$/,
    name: 'the prefix of kubectl logs without the line of the program',
    instead: 'export whole lines',
  },
  {
    begins:
      /^(?:\s+at [\w$.<>/@ -]{1,300}\(|Caused by: |\s*\.\.\. \d+ (?:more|common frames omitted)|Exception in thread "|Traceback \(most recent call last\):|\s+File "[^"]{1,500}", line \d|goroutine \d+ \[|\s+at .{1,300}:\d+:\d+\)?$|\w[\w.$]{1,200}(?:Exception|Error)(?::|$))/,
    name: 'a line of a stack trace',
    instead: null,
  },
  {
    begins: /^(?:-- (?:MySQL|MariaDB|PostgreSQL) (?:database )?dump|(?:INSERT INTO|CREATE TABLE|COPY) \S)/i,
    name: 'an SQL dump',
    instead: 'export the rows as CSV with a header',
  },
  {
    begins: /^<\d{1,3}>1 (?:-|\d{4}-\d\d-\d\dT\S+) /,
    name: 'syslog (RFC 5424) whose message has no method and path of a call',
    instead: 'log the method, the path, the status and both bodies',
  },
  { begins: /^<(?:!doctype html|html)\b/i, name: 'a web page', instead: 'download the log as text' },
  { begins: /^<\?xml/, name: 'XML', instead: 'export JSON lines or CSV' },
];

/**
 * Finds the format of a file that contains no lines of text. Returns a clause that names this format and says what to export
 * instead. Returns undefined if the file is text.
 *
 * @param first the first bytes of the file, as they are (`raw`) and decompressed (`plain`)
 */
export function unreadableFormat({ raw, plain }: { readonly raw: Buffer; readonly plain: Buffer }): string | undefined {
  const known = documentFormat(raw) ?? documentFormat(plain);
  if (known !== undefined || !isBinary(plain)) return known;
  return lookingLike('binary data, for example protobuf', 'export the calls as JSON lines or text');
}

function documentFormat(bytes: Buffer): string | undefined {
  const known = BINARIES.find(({ first }) => bytes.subarray(0, first.length).equals(first));
  if (known) return lookingLike(known.name, known.instead);
  // In a tar, this word is in the head of the first file (POSIX.1-1988, ustar).
  if (bytes.toString('latin1', 257, 262) === 'ustar' || isOldTar(bytes))
    return lookingLike('a tar archive', 'unpack it, or pack the logs as zip');
  return isOffice(bytes) ? lookingLike('a document of Excel or Word', 'save the log as CSV or text') : undefined;
}

/** Names the format of a line that croupier can't read as a call. Returns undefined if the format is unknown. */
export function lineFormat(line: string): string | undefined {
  const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
  const known = LINES.find(({ begins }) => begins.test(text));
  return known && lookingLike(known.name, known.instead);
}

/** Maximum number of characters of a line in which a format is searched. */
const MAX_LINE = 2000;

function lookingLike(name: string, instead: string | null): string {
  return `it looks like ${name}${instead === null ? '' : `: ${instead}`}`;
}

/**
 * True for a tar in the format of Unix version 7, which has no such word. Its head has the sum of all its bytes, where the sum
 * itself counts as spaces.
 */
function isOldTar(bytes: Buffer): boolean {
  const head = bytes.subarray(0, TAR_HEAD);
  const [from, to] = TAR_SUM;
  const [, sum] = /^ *([0-7]{4,7})[ \0]/.exec(head.toString('latin1', from, to)) ?? [];
  if (head.length < TAR_HEAD || sum === undefined) return false;
  const total = head.reduce((all, byte, at) => all + (at >= from && at < to ? 0x20 : byte), 0);
  return total === Number.parseInt(sum, 8);
}

/** The length of the head of a file in a tar, and where the head has the sum. */
const TAR_HEAD = 512;
const TAR_SUM = [148, 156] as const;

/** The parts of documents of Excel and Word, which are zip files (ECMA-376, part 2). */
const OFFICE = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|word\/)/;

/**
 * True for a zip file that is an office document. Its first file is then a part of an office document. The name of this first file
 * begins at byte 30.
 */
function isOffice(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004' && OFFICE.test(bytes.toString('latin1', 30, 60));
}

/** The control characters that occur in logs: tab, line ends, form feed and the escape of colours. */
const USUAL_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
/** If at least this share of the bytes are other control characters, the file is not text. */
const BINARY_SHARE = 0.05;
const FEWEST_BYTES = 16;

function isBinary(bytes: Buffer): boolean {
  // If a log was cleared while a program still wrote it, the log begins with NUL characters. They are skipped.
  const start = bytes.findIndex((byte) => byte !== 0);
  const rest = start < 0 ? bytes.subarray(0, 0) : bytes.subarray(start);
  if (rest.length < FEWEST_BYTES) return false;
  let controls = 0;
  for (let at = 0; at < rest.length; at += 1) {
    const byte = rest[at] ?? 0;
    if (byte < 0x20 && !USUAL_CONTROLS.has(byte)) controls += 1;
  }
  return controls / rest.length >= BINARY_SHARE;
}
