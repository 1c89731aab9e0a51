import type { Sink } from '../../../app/stdio.ts';

/** The command that a key gives during `run --watch`. */
export type KeyCommand =
  | { readonly kind: 'all' | 'failed' | 'again' | 'quit' }
  /** Runs only scenarios with this text in their id or title. An empty text selects all scenarios. */
  | { readonly kind: 'pattern'; readonly text: string };

/** The explanation of the keys, in one line. */
export const KEYS = 'a: run all · f: run failed ones · p: run by a pattern · Enter: repeat · q: quit';

const CTRL_C = '\u0003';
const CTRL_U = '\u0015';
const ESCAPE = '\u001B';
const BACKSPACE: readonly string[] = ['\u007F', '\b'];
const ENTER: readonly string[] = ['\r', '\n'];

/**
 * Reads single keys from the terminal.
 *
 * @param onCommand called for each key that has a meaning
 * @returns a function that stops reading and restores the terminal
 */
export function readKeys(stdin: NodeJS.ReadStream, prompt: Sink, onCommand: (command: KeyCommand) => void): () => void {
  let typed: string | undefined;
  const type = (key: string): void => {
    if (ENTER.includes(key)) {
      const text = typed ?? '';
      typed = undefined;
      prompt.write('\n');
      onCommand({ kind: 'pattern', text });
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
    // In raw mode, Ctrl-C gives a character and no signal. So this line sends the signal to the process.
    if (key === CTRL_C) process.kill(process.pid, 'SIGINT');
    else if (typed !== undefined) type(key);
    else if (key === 'p') {
      typed = '';
      prompt.write('pattern: ');
    } else if (key === 'a') onCommand({ kind: 'all' });
    else if (key === 'f') onCommand({ kind: 'failed' });
    else if (key === 'q') onCommand({ kind: 'quit' });
    else if (ENTER.includes(key)) onCommand({ kind: 'again' });
  };
  const onData = (text: string): void => {
    // An arrow key sends several characters, and the first character is Escape. All these characters are ignored.
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
