import type { Sink } from './stdio.ts';

/** What somebody at the keyboard wants. */
export type Wanted =
  | { readonly kind: 'all' | 'failed' | 'again' | 'quit' }
  /** Only scenarios whose id or title holds the text; empty: any. */
  | { readonly kind: 'pattern'; readonly text: string };

/** The keys, as one line says them. */
export const KEYS = 'a: all · f: what failed · p: by a pattern · Enter: the same again · q: quit';

const CTRL_C = '\u0003';
const CTRL_U = '\u0015';
const ESCAPE = '\u001B';
const BACKSPACE: readonly string[] = ['\u007F', '\b'];
const ENTER: readonly string[] = ['\r', '\n'];

/**
 * Reads single keys from the terminal.
 *
 * @param onWanted hears of each wish
 * @returns what gives the terminal back
 */
export function readKeys(stdin: NodeJS.ReadStream, prompt: Sink, onWanted: (wanted: Wanted) => void): () => void {
  let typed: string | undefined;
  const type = (key: string): void => {
    if (ENTER.includes(key)) {
      const text = typed ?? '';
      typed = undefined;
      prompt.write('\n');
      onWanted({ kind: 'pattern', text });
      return;
    }
    if (key === ESCAPE) {
      typed = undefined;
      prompt.write('\n');
      return;
    }
    if (BACKSPACE.includes(key))
      typed = Array.from(typed ?? '')
        .slice(0, -1)
        .join('');
    else if (key === CTRL_U) typed = '';
    else if (key >= ' ') typed = (typed ?? '') + key;
    prompt.write(`\r\u001B[2Kpattern: ${typed}`);
  };
  const press = (key: string): void => {
    // In raw mode the terminal makes no signal of it.
    if (key === CTRL_C) process.kill(process.pid, 'SIGINT');
    else if (typed !== undefined) type(key);
    else if (key === 'p') {
      typed = '';
      prompt.write('pattern: ');
    } else if (key === 'a') onWanted({ kind: 'all' });
    else if (key === 'f') onWanted({ kind: 'failed' });
    else if (key === 'q') onWanted({ kind: 'quit' });
    else if (ENTER.includes(key)) onWanted({ kind: 'again' });
  };
  const onData = (text: string): void => {
    // An arrow and its like: a sequence that begins with Escape and is none.
    if (text.length > 1 && text.startsWith(ESCAPE)) return;
    for (const key of text) press(key);
  };
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on('data', onData);
  return () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
