/** One of the two output streams, and its properties. */
export interface Sink {
  write(text: string): void;
  /** True if it is a terminal that a person may read. */
  readonly tty: boolean;
  /** The terminal itself, for output that moves its cursor; undefined without a terminal, or if its width is unknown. */
  readonly terminal?: NodeJS.WriteStream;
  readonly colour: boolean;
  /** Width in characters; 80 if it is unknown. */
  readonly columns: number;
}

/** The streams, the environment and the working directory of the caller. stdout is for results, stderr for progress and messages. */
export interface Stdio {
  readonly out: Sink;
  readonly err: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTty: boolean;
  readStdin(): Promise<string>;
  /** Reads the exact bytes, for signatures. */
  readStdinBytes(): Promise<Uint8Array>;
}

/** Streams for callers in code: they print nothing, and standard input is empty. */
export function silentStdio(cwd: string, env: Stdio['env']): Stdio {
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

/** False for old consoles and the plain C locale, which show only ASCII. */
export function showsUnicode(env: Stdio['env']): boolean {
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== 'C' && locale !== 'POSIX';
}
