import { harEntry } from './har-entry.ts';
import type { Entry, Random, Simulation } from './simulation.ts';

/** The log files to write, and the damage to them. */
export interface Writing {
  readonly sides: 'service' | 'operator' | 'both';
  readonly damage: Damage;
}

export const DAMAGES = [
  'none',
  'drop',
  'gap',
  'cut',
  'cut-anywhere',
  'cut-document',
  'rotated',
  'double',
  'reorder',
  'mask-player',
  'mask-body',
  'cut-body',
  'pod-clocks',
  'whole-seconds',
  'end-times',
  'other-calls',
  'noise',
  'unreadable',
] as const;

export type Damage = (typeof DAMAGES)[number];

interface Line {
  readonly entry: Entry;
  readonly text: string;
}

/** A log file with its side. */
export interface LogFile {
  readonly side: Entry['side'];
  /** The number of the file among the files of its side. If absent, the side has one file. */
  readonly part?: number;
  readonly text: string;
}

/** Writes the log files of a simulation, with one kind of damage. The files are in the order in which they are read. */
export function logFiles(simulation: Simulation, { sides, damage }: Writing, random: Random): readonly LogFile[] {
  const wanted = sides === 'both' ? (['service', 'operator'] as const) : [sides];
  return wanted.flatMap((side) => {
    const entries = simulation.entries.filter((entry) => entry.side === side);
    return partsOf(damaged(entries, damage, random), damage, random).map((text, part) => ({ side, part, text }));
  });
}

/** Cuts a file. Never cuts between two lines, because then nothing in the file would show that lines are missing. */
function partsOf(text: string, damage: Damage, random: Random): readonly string[] {
  const anywhere = (): number => {
    const at = random.whole(1, text.length - 1);
    if (text[at] === '\n') return at - 1;
    return text[at - 1] === '\n' ? at + 1 : at;
  };
  if (damage === 'rotated') {
    // The second part of the log comes first, as in an alphabetical list of wallet.log and wallet.log.1.
    const at = anywhere();
    return [text.slice(at), text.slice(0, at)];
  }
  if (damage !== 'cut-anywhere' && damage !== 'cut-document') return [text];
  const [from = 0, to = 0] = [anywhere(), anywhere()].toSorted((a, b) => a - b);
  return [random.pick([text.slice(0, to), text.slice(from), text.slice(from, to)])];
}

function damaged(entries: readonly Entry[], damage: Damage, random: Random): string {
  const pods = Array.from({ length: 3 }, () => random.whole(-4000, 4000));
  const lines = entries.map((entry): Line => {
    const pod = damage === 'pod-clocks' ? random.whole(0, 2) : null;
    return { entry, text: lineOf(entry, damage, pod, pod === null ? 0 : (pods[pod] ?? 0)) };
  });
  // The first and the last line of each player stay, so that the first and the last balance are in the log.
  const isEdge = (line: Line): boolean => {
    const mine = lines.filter(({ entry }) => entry.player === line.entry.player);
    return line === mine[0] || line === mine.at(-1);
  };
  const inFile = (all: readonly Line[]): string => all.map(({ text }) => `${text}\n`).join('');
  switch (damage) {
    case 'cut-document':
      return documentOf(
        lines.map(({ text }) => JSON.parse(text) as Record<string, unknown>),
        random,
      );
    case 'none':
    case 'cut-anywhere':
    case 'rotated':
    case 'mask-player':
    case 'pod-clocks':
    case 'whole-seconds':
    case 'end-times':
      return inFile(lines);
    case 'drop': {
      const share = random.pick([0.03, 0.1, 0.3]);
      return inFile(lines.filter((line) => isEdge(line) || !random.chance(share)));
    }
    case 'gap': {
      const from = random.whole(0, lines.length - 1);
      const to = from + random.whole(1, 6);
      return inFile(lines.filter((line, index) => isEdge(line) || index < from || index > to));
    }
    case 'cut':
      return inFile(lines).slice(0, -random.whole(2, 60));
    case 'double':
      return inFile(lines.flatMap((line) => (random.chance(0.3) ? [line, line] : [line])));
    case 'reorder':
      return inFile(
        lines
          .map((line, index) => ({ line, at: index + random.whole(0, 6) }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ line }) => line),
      );
    case 'mask-body':
      return inFile(
        lines.map((line) => {
          if (isEdge(line) || !random.chance(0.15)) return line;
          const name = random.pick(['amount', 'txID', 'balance', 'sessionID', 'origTxID', 'roundID']);
          const pattern = new RegExp(`(\\\\"${name}\\\\":\\\\")[^"\\\\]*`);
          return { ...line, text: line.text.replace(pattern, '$1***') };
        }),
      );
    case 'cut-body':
      return inFile(
        lines.map((line) => (random.chance(0.2) ? { ...line, text: withCutBody(line.text, random) } : line)),
      );
    case 'other-calls':
      return inFile(
        lines.flatMap((line) =>
          random.chance(0.3) ? [line, { ...line, text: otherCall(line.entry, random) }] : [line],
        ),
      );
    case 'noise':
      return inFile(
        lines.flatMap((line) =>
          random.chance(0.3) ? [{ ...line, text: '18:00:00 INFO connection pool: 3 of 10 in use' }, line] : [line],
        ),
      );
    case 'unreadable':
      return inFile(
        lines.map((line) =>
          isEdge(line) || !random.chance(0.1)
            ? line
            : {
                ...line,
                text: random.pick([line.text.slice(0, random.whole(40, line.text.length - 3)), textLine(line.entry)]),
              },
        ),
      );
  }
}

/** Writes the lines as JSON documents: a list, a list of ECS, a HAR, or one or several documents of OTLP. */
function documentOf(lines: readonly Record<string, unknown>[], random: Random): string {
  const indent = random.pick([0, 2]);
  const write = (value: object): string => `${JSON.stringify(value, null, indent)}\n`;
  switch (random.pick(['list', 'ecs', 'har', 'otlp', 'otlp-batches'] as const)) {
    case 'list':
      return write(lines);
    case 'ecs':
      return write(lines.map(ecsOf));
    case 'har':
      return write({ log: { version: '1.2', creator: { name: 'test' }, entries: lines.map(harEntry) } });
    case 'otlp':
      return write(otlpOf(lines));
    case 'otlp-batches': {
      const size = random.whole(1, 5);
      const batches = lines.flatMap((_, at) => (at % size === 0 ? [lines.slice(at, at + size)] : []));
      return batches.map((batch) => `${JSON.stringify(otlpOf(batch))}\n`).join('');
    }
  }
}

function ecsOf({ ts, player, method, url, requestBody, status, responseBody, error, durationMs }: Fields): object {
  return {
    '@timestamp': ts,
    user: { id: player },
    url: { full: url },
    http: {
      request: { method, ...(requestBody !== undefined && { body: { content: requestBody } }) },
      ...(status !== undefined && { response: { status_code: status, body: { content: responseBody } } }),
    },
    ...(error !== undefined && { error: { message: error } }),
    event: { duration: Number(durationMs) * 1e6 },
  };
}

function otlpOf(lines: readonly Fields[]): object {
  const logRecords = lines.map(({ ts, ...fields }) => ({
    timeUnixNano: `${Date.parse(String(ts))}000000`,
    body: { stringValue: 'call' },
    attributes: Object.entries(fields).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    })),
  }));
  return { resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ scope: {}, logRecords }] }] };
}

type Fields = Readonly<Record<string, unknown>>;

/** Cuts a body of a line, as loggers with a maximum length do. */
function withCutBody(text: string, random: Random): string {
  const line = JSON.parse(text) as Record<string, unknown>;
  const name = random.pick(['requestBody', 'responseBody']);
  const body = line[name];
  if (typeof body !== 'string') return text;
  const mark = random.pick(['', '…', '...', '... (1234 more bytes)', '<truncated>', '…(truncated)']);
  return JSON.stringify({ ...line, [name]: `${body.slice(0, random.whole(1, body.length - 1))}${mark}` });
}

function money(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(Math.abs(cents % 100)).padStart(2, '0')}`;
}

function lineOf(entry: Entry, damage: Damage, pod: number | null, aheadMs: number): string {
  const { call, side, tookMs, status, error } = entry;
  const ms = entry.atMs + aheadMs + (damage === 'end-times' ? tookMs : 0) + (side === 'operator' ? 700 : 0);
  const iso = new Date(ms).toISOString();
  const sessionID = `s-${entry.player}`;
  const url = `https://wallet.example/eu/${call}${call === 'balance' ? `?sessionID=${sessionID}` : ''}`;
  const body = {
    amount: money(entry.cents ?? 0),
    roundID: entry.roundID,
    sessionID,
    txID: entry.txID,
    type: 'regular',
    ...(entry.origTxID !== null && { origTxID: entry.origTxID }),
  };
  const reply =
    status === 200
      ? { balance: money(entry.balance ?? 0), ...(entry.replyTxID !== null && { txID: entry.replyTxID }) }
      : status === null
        ? null
        : { code: status === 402 ? 'insufficient_funds' : 'general_error', message: 'no' };
  return JSON.stringify({
    ts: damage === 'whole-seconds' ? `${iso.slice(0, 19)}Z` : iso,
    ...(pod !== null && { pod: `svc-${pod}` }),
    ...(damage === 'mask-player' ? { player: '***' } : { player: `p${entry.player}` }),
    method: call === 'balance' ? 'GET' : 'POST',
    url: damage === 'mask-player' ? url.replace(/sessionID=.*/, 'sessionID=***') : url,
    ...(call !== 'balance' && {
      requestBody: JSON.stringify(damage === 'mask-player' ? { ...body, sessionID: '***' } : body),
    }),
    ...(status !== null && { status }),
    ...(reply !== null && { responseBody: JSON.stringify(reply) }),
    ...(error !== null && { error }),
    durationMs: tookMs,
  });
}

/** Writes a call of another provider, with fields of its own. */
function otherCall({ atMs, player }: Entry, random: Random): string {
  return JSON.stringify({
    ts: new Date(atMs + 13).toISOString(),
    player: `p${player}`,
    method: 'POST',
    url: `https://other.example/api/v3/${random.pick(['bet', 'withdraw', 'deposit'])}`,
    requestBody: JSON.stringify({ transactionId: `o-${random.whole(1, 1e6)}`, playerId: `p${player}`, amount: 1250 }),
    status: 200,
    responseBody: JSON.stringify({ balance: 123_450 }),
    durationMs: 20,
  });
}

function textLine({ atMs, call, txID, cents }: Entry): string {
  return `${new Date(atMs).toISOString()} !! ${call} ${txID ?? ''} amount=${money(cents ?? 0)} <truncated>`;
}
