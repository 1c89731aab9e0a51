/** One of the two output streams, and its properties. */
export interface Sink {
  /** Writes text. Changes the text so that no CI system finds a command in it. Masks the secrets that were given to `hide`. */
  write(text: string): void;
  /** Writes a command of GitHub Actions, such as `::error::…`, with its line end. All other text goes to `write`. */
  command(line: string): void;
  /** Writes a command of GitHub Actions that must contain a secret: the command with which a pipeline hides this secret. */
  writeSecret(line: string): void;
  /** True if the stream is a terminal that a person may read. */
  readonly tty: boolean;
  /**
   * The terminal, for output that moves its cursor; undefined if the stream is no terminal, or its width is unknown.
   */
  readonly terminal?: NodeJS.WriteStream;
  readonly colour: boolean;
  /** The width in characters; 80 if the width is unknown. */
  readonly columns: number;
  /** The height in lines; 24 if the height is unknown. */
  readonly rows: number;
}

/**
 * The streams, the environment and the working directory of the caller. Results go to stdout, progress and messages to
 * stderr.
 */
export interface Stdio {
  readonly out: Sink;
  readonly err: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTty: boolean;
  /** Masks these texts in everything that is written from now on. */
  hide(secrets: Iterable<string>): void;
  readStdin(): Promise<string>;
  /** Reads standard input as exact bytes, because signatures depend on every byte. */
  readStdinBytes(): Promise<Uint8Array>;
}

/** Returns streams for a caller that is a program: they print nothing, and standard input is empty. */
export function silentStdio(cwd: string, env: Stdio['env']): Stdio {
  const nowhere: Sink = {
    write: () => {},
    command: () => {},
    writeSecret: () => {},
    tty: false,
    colour: false,
    columns: 100,
    rows: 24,
  };
  const nothing = new Uint8Array();
  return {
    out: nowhere,
    err: nowhere,
    env,
    cwd,
    stdinIsTty: false,
    hide: () => {},
    readStdin: async () => '',
    readStdinBytes: async () => nothing,
  };
}

/** True if the terminal can show Unicode; false for old consoles and the plain C locale, which show only ASCII. */
export function showsUnicode(env: Stdio['env']): boolean {
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== 'C' && locale !== 'POSIX';
}

/** True in a pipeline, which sets the variable `CI`; false for the values `false`, `0` and an empty text. */
export function isPipeline({ CI }: Stdio['env']): boolean {
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}
