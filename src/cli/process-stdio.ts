import { isatty } from 'node:tty';
import { EXIT } from '../app/exit-status.ts';
import { whyUnreadable } from '../app/files.ts';
import { isPipeline, type Sink, type Stdio } from '../app/stdio.ts';
import { createScrubber } from '../journal/secrets/scrubber.ts';
import { logCommandFilter } from './log-commands.ts';

function sink(stream: NodeJS.WriteStream, flag: boolean | undefined, scrub: (text: string) => string): Sink {
  let open = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = open;
    // The command continues, because it may still write files.
    open = false;
    // The reader has closed the pipe, as `croupier list rules | head` does.
    if (error.code === 'EPIPE' || !isFirst) return;
    // The output can't be written, so the exit status of the command would be misleading. The process ends with status 2 instead.
    process.once('exit', () => {
      process.exitCode = EXIT.USAGE;
    });
    if (stream === process.stdout)
      process.stderr.write(`The output can't be written to the standard output: ${whyUnreadable(error)}.\n`);
  });
  // A CI pipeline may provide a terminal that no person reads.
  const tty = stream.isTTY && !isPipeline(process.env);
  const filter = logCommandFilter();
  const write = (text: string): void => {
    if (open) stream.write(text);
  };
  const command = (line: string): void => {
    // The two colons at the beginning are not filtered, because this line is a command of croupier. The rest is filtered, so that
    // text from outside is not read as a command.
    write(`${line.slice(0, 2)}${filter(`-${line.slice(2)}`).slice(1)}`);
  };
  return {
    write: (text) => write(filter(scrub(text))),
    command: (line) => command(scrub(line)),
    writeSecret: command,
    tty,
    // ora divides by the width. If the width were 0, it would draw forever.
    ...(tty && stream.columns > 0 && { terminal: stream }),
    colour: wantsColour({ flag, env: process.env, tty }),
    // The user can resize the window, so the width is read each time. It is 0 for some streams without a window.
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}

/** Returns the streams of this process. The `--color` flag, the environment and each stream decide about colours. */
export function processStdio(colour: boolean | undefined): Stdio {
  const secrets = new Set<string>();
  let scrub: ((text: string) => string) | undefined;
  const clean = (text: string): string => {
    scrub ??= createScrubber([...secrets]);
    return scrub(text);
  };
  return {
    out: sink(process.stdout, colour, clean),
    err: sink(process.stderr, colour, clean),
    hide: (texts) => {
      for (const text of texts) secrets.add(text);
      scrub = undefined;
    },
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

/** The facts that decide whether a stream gets colours. */
export interface ColourOptions {
  /** True for `--color`, false for `--no-color`, undefined without these flags. */
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
}

/**
 * True if a stream gets colours. The first of these that is set decides: the flag, `FORCE_COLOR` (empty, `0` and `false` mean
 * no), `NO_COLOR` (any text means no). If none is set, only a terminal that can show colours gets colours.
 */
export function wantsColour({ flag, env, tty }: ColourOptions): boolean {
  if (flag !== undefined) return flag;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '' && forced !== '0' && forced !== 'false';
  if (env.NO_COLOR) return false;
  return tty && env.TERM !== 'dumb';
}
