import { isatty } from 'node:tty';
import { wantsColour } from './colour.ts';

/** Where text goes: one of the two output streams, and what is known about it. */
export interface Sink {
  write(text: string): void;
  readonly tty: boolean;
  readonly colour: boolean;
  /** Width in characters; 80 where nobody knows. */
  readonly columns: number;
}

/** What a command may know of the process around it. stdout is the product, stderr is progress and complaints. */
export interface Stdio {
  readonly out: Sink;
  readonly err: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTty: boolean;
  readStdin(): Promise<string>;
  /** As it came, for what is signed to the byte. */
  readStdinBytes(): Promise<Uint8Array>;
}

/** `CI` is set to something by every pipeline; `false` and `0` take it back. */
function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== 'false' && text !== '0';
}

function sink(stream: NodeJS.WriteStream, flag: boolean | undefined): Sink {
  let open = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`croupier list rules | head`): no reason to end, reports to files are still owed.
    if (error.code !== 'EPIPE') throw error;
    open = false;
  });
  // A pipeline may lend a terminal, but nobody sits before it.
  const tty = stream.isTTY && !isSet(process.env.CI);
  return {
    write: (text) => {
      if (open) stream.write(text);
    },
    tty,
    colour: wantsColour({ flag, env: process.env, tty }),
    // Asked each time: windows are drawn wider and narrower, and some that are no windows say 0.
    get columns() {
      return stream.columns || 80;
    },
  };
}

/** The streams of this process, with colours as the `--color` flag, the environment and each stream itself ask for. */
export function processStdio(colour: boolean | undefined): Stdio {
  return {
    out: sink(process.stdout, colour),
    err: sink(process.stderr, colour),
    env: process.env,
    cwd: process.cwd(),
    stdinIsTty: isatty(0),
    readStdin: async () => {
      let text = '';
      process.stdin.setEncoding('utf8');
      for await (const piece of process.stdin) text += String(piece);
      return text;
    },
    readStdinBytes: async () => {
      const pieces: Buffer[] = [];
      for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces);
    },
  };
}

/** For what is asked for by code rather than at a command line: nothing is printed, and nothing read. */
export function silentStdio(cwd: string = process.cwd(), env: Stdio['env'] = process.env): Stdio {
  const nowhere: Sink = { write: () => {}, tty: false, colour: false, columns: 100 };
  const nothing = new Uint8Array();
  return {
    out: nowhere,
    err: nowhere,
    env,
    cwd,
    stdinIsTty: false,
    readStdin: async () => '',
    readStdinBytes: async () => nothing,
  };
}

/** Old consoles and the plain C locale show nothing but ASCII. */
export function showsUnicode(env: Stdio['env']): boolean {
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== 'C' && locale !== 'POSIX';
}
