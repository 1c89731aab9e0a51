type Chunks = AsyncIterable<Uint8Array>;

/** Matches the beginning of a file with messages of syslog, each after its length in bytes (RFC 6587, 3.4.1). */
const OCTETS = /^\d{2,6} <\d{1,3}>1 /;
/** Matches the length of such a message, with the space after it. */
const LENGTH = /^(\d{1,7}) (?=<\d)/;
/** Maximum number of bytes before a message, which are its length and a space. */
const MAX_LENGTH_BYTES = 10;
/** Maximum size of one message or one joined line in bytes. Larger ones are passed on as they are. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Matches a part of a line that containerd or CRI-O has split. The group `begin` is its prefix up to the tag P. */
const PARTIAL = /^(?<begin>\S+ (?<stream>stdout|stderr)) P (?<text>.*)$/s;
const WHOLE = /^\S+ (?<stream>stdout|stderr) F (?<text>.*)$/s;
const HAS_PARTIAL = /^\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) P /m;
const NEWLINE = 0x0a;
const LINE_END = Buffer.from('\n');

/**
 * Returns the content of a file with one message on each line. Changes only files of syslog with lengths in place of line breaks, and
 * files in which containerd or CRI-O has split long lines. The numbers of the lines of a container stay the same.
 *
 * @param head the beginning of the file
 */
export function withWholeLines(head: string, chunks: Chunks): Chunks {
  if (OCTETS.test(head)) return withoutLengths(chunks);
  return HAS_PARTIAL.test(head) ? withJoinedParts(chunks) : chunks;
}

/** Matches the length and the beginning of a message. */
const BEGIN = /\d{2,7} <(?=\d{1,3}>1 (?:-|\d{4}-))/g;

/** Puts each message on its own line. From a wrong length on, a message ends where the next one seems to begin. */
async function* withoutLengths(chunks: Chunks): Chunks {
  let rest = Buffer.alloc(0);
  let isBroken = false;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    while (!isBroken && rest.length > 0) {
      const begin = rest.subarray(0, MAX_LENGTH_BYTES).toString('latin1').replace(/^\n+/, '');
      const skipped = leadingBreaks(rest);
      const [found, digits = ''] = LENGTH.exec(begin) ?? [];
      if (found === undefined) {
        if (rest.length >= MAX_LENGTH_BYTES) isBroken = true;
        break;
      }
      const from = skipped + found.length;
      const to = from + Number(digits);
      if (Number(digits) > MAX_BYTES) isBroken = true;
      if (isBroken || rest.length < to) break;
      yield Buffer.concat([rest.subarray(from, to), LINE_END]);
      rest = rest.subarray(to);
    }
    if (!isBroken) continue;
    yield separated(rest);
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield separated(rest);
}

function separated(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(BEGIN, '\n<'), 'latin1');
}

function leadingBreaks(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === NEWLINE) count += 1;
  return count;
}

/** Joins the parts of a line. An empty line takes the place of each part before the last one. */
async function* withJoinedParts(chunks: Chunks): Chunks {
  const open = new Map<string, string>();
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf(NEWLINE);
    if (end < 0) {
      if (rest.length <= MAX_BYTES) continue;
      yield rest;
      rest = Buffer.alloc(0);
      continue;
    }
    const lines = rest.subarray(0, end).toString('utf8').split('\n');
    rest = rest.subarray(end + 1);
    yield Buffer.from(`${lines.map((line) => joined(line, open)).join('\n')}\n`);
  }
  const last = rest.length === 0 ? '' : joined(rest.toString('utf8'), open);
  // The file ends within these lines.
  const cut = [...open.values()].join('\n');
  if (last !== '' || cut !== '') yield Buffer.from([last, cut].filter((text) => text !== '').join('\n'));
}

/** Returns a line with the parts before it, or an empty line if the next part is missing. */
function joined(line: string, open: Map<string, string>): string {
  const part = PARTIAL.exec(line)?.groups;
  if (part) {
    const { begin = '', stream = '', text = '' } = part;
    const before = open.get(stream);
    const all = `${before ?? `${begin} F `}${text}`;
    if (all.length > MAX_BYTES) return line;
    open.set(stream, all);
    return '';
  }
  const { stream = '', text = '' } = WHOLE.exec(line)?.groups ?? {};
  const before = open.get(stream);
  if (before === undefined) return line;
  open.delete(stream);
  return before + text;
}
