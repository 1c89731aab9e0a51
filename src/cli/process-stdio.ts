import { isatty } from 'node:tty';
import type { Sink, Stdio } from '../app/stdio.ts';

/** True if `CI` is set, as in every pipeline; `false` and `0` mean that it is not a pipeline. */
function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== 'false' && text !== '0';
}

function sink(stream: NodeJS.WriteStream, flag: boolean | undefined): Sink {
  let open = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe (`croupier list rules | head`). The command continues: it may still write files.
    if (error.code !== 'EPIPE') throw error;
    open = false;
  });
  // A pipeline may provide a terminal that no person reads.
  const tty = stream.isTTY && !isSet(process.env.CI);
  return {
    write: (text) => {
      if (open) stream.write(text);
    },
    tty,
    // ora divides by the width, and would draw forever if the width were 0.
    ...(tty && stream.columns > 0 && { terminal: stream }),
    colour: wantsColour({ flag, env: process.env, tty }),
    // Read each time, because windows are resized. Some streams without a window give 0.
    get columns() {
      return stream.columns || 80;
    },
  };
}

/** The streams of this process, with colours according to the `--color` flag, the environment and each stream. */
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

/** Everything that decides about the colours of one stream. */
export interface ColourOptions {
  /** True for `--color`, false for `--no-color`; undefined: neither was given. */
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
}

/**
 * Decides whether a stream gets colours: by the flag, then by `FORCE_COLOR` (empty, `0` and `false` mean no), then by
 * `NO_COLOR` (not empty means no), then by the stream: a terminal that can show them gets colours.
 */
export function wantsColour({ flag, env, tty }: ColourOptions): boolean {
  if (flag !== undefined) return flag;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '' && forced !== '0' && forced !== 'false';
  if (env.NO_COLOR) return false;
  return tty && env.TERM !== 'dumb';
}
