/** A command without the input that is written within it; `open`: the input does not end yet. */
export type HereReading =
  | { readonly kind: 'read'; readonly command: string; readonly input: string | null }
  | { readonly kind: 'open' };

/** What is quoted counts for nothing; then `<<<`, or `<<` with a word that may be quoted itself. */
const HERE =
  /'[^']*'|"(?:\\.|[^"\\])*"|(?<text><<<)|<<(?<indented>-?)[ \t]*(?:'(?<single>\w+)'|"(?<double>\w+)"|(?<bare>\w+))/gs;

/** Takes the here-document of a shell (`<<EOF` and the lines up to EOF) out of a command. Variables in it are left as they stand. */
export function withoutHereDocument(command: string): HereReading {
  for (const found of command.matchAll(HERE)) {
    const { text, indented = '', single, double, bare } = found.groups ?? {};
    const end = single ?? double ?? bare;
    if (text !== undefined) {
      const at = found.index;
      return { kind: 'read', command: `${command.slice(0, at)} <<< ${command.slice(at + text.length)}`, input: null };
    }
    if (end === undefined) continue;
    const behind = found.index + found[0].length;
    const firstLine = /(?<!\\)\r?\n/g;
    firstLine.lastIndex = behind;
    const opened = firstLine.exec(command);
    if (!opened) return { kind: 'open' };
    const lines = command.slice(opened.index + opened[0].length).split('\n');
    const plain = (line: string): string => (indented === '' ? line : line.replace(/^\t+/, '')).replace(/\r$/, '');
    const last = lines.findIndex((line) => plain(line) === end);
    if (last < 0) return { kind: 'open' };
    const input = lines
      .slice(0, last)
      .map((line) => `${plain(line)}\n`)
      .join('');
    const head = command.slice(0, found.index) + command.slice(behind, opened.index);
    return { kind: 'read', command: head, input };
  }
  return { kind: 'read', command, input: null };
}
