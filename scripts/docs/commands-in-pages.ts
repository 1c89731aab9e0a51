/** One call of `croupier` in a page of the documentation. */
export interface PrintedCommand {
  readonly page: string;
  readonly line: number;
  /** The command as the page has it, but without comment, pipe and redirection. */
  readonly text: string;
  /** The environment variables that the command line sets. */
  readonly env: Readonly<Record<string, string>>;
  /** The arguments of `croupier`, without quotes. */
  readonly args: readonly string[];
}

const FENCE = /^\s*```(\w*)\s*$/u;
const SHELL_FENCES = new Set(['sh', 'console', 'bash', '']);
const INLINE = /(?<!`)`([^`\n]+)`(?!`)/gu;

interface Word {
  readonly text: string;
  /** An operator of the shell, such as a pipe, outside of quotes. */
  readonly operator: boolean;
}

/**
 * Splits a line into the parts of shell syntax that the pages use: quotes, comments, pipes, lists, redirections, `<( …
 * )`.
 */
function words(line: string): readonly Word[] {
  const found: Word[] = [];
  const pattern =
    /\s+|(?<comment>#.*$)|(?<operator>&&|\|\||\||;|>>?|<\(|\)|&)|(?<word>(?:'[^']*'|"[^"]*"|\\.|[^\s|;&<>()'"\\]|(?<=\S)[#(])+)/gu;
  for (const { groups } of line.matchAll(pattern)) {
    if (groups?.comment !== undefined) break;
    if (groups?.operator !== undefined) found.push({ text: groups.operator, operator: true });
    if (groups?.word !== undefined)
      found.push({
        text: groups.word.replaceAll(
          /'([^']*)'|"([^"]*)"|\\(.)/gu,
          (_, a?: string, b?: string, c?: string) => a ?? b ?? c ?? '',
        ),
        operator: false,
      });
  }
  return found;
}

/** Returns the calls of croupier in one line of a shell. */
function commandsOf(line: string, page: string, at: number): readonly PrintedCommand[] {
  const parts: string[][] = [[]];
  let isTarget = false;
  for (const { text, operator } of words(line)) {
    if (operator) {
      isTarget = text.startsWith('>');
      if (!isTarget) parts.push([]);
    } else if (isTarget) isTarget = false;
    else parts.at(-1)?.push(text);
  }
  return parts.flatMap((part) => {
    const start = part.findIndex((word) => !/^\w+=/u.test(word));
    if (part[start] !== 'croupier') return [];
    const env = Object.fromEntries(
      part.slice(0, start).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
    );
    return [{ page, line: at, text: part.join(' '), env, args: part.slice(start + 1) }];
  });
}

/**
 * Returns the command in a line of a code block. In `sh` blocks, the command is the whole line; in blocks with output,
 * it is the text after `$`.
 */
function typedLine(fence: string, line: string, carried: string): string {
  if (fence === 'sh' || carried !== '') return carried + line;
  return /^\s*\$ (.*)/u.exec(line)?.[1] ?? '';
}

/** Returns all croupier commands of a page: in shell blocks, after a `$`, and in inline code. */
export function commandsIn(page: string, text: string): readonly PrintedCommand[] {
  const found: PrintedCommand[] = [];
  let fence: string | undefined;
  let carried = '';
  for (const [index, line] of text.split('\n').entries()) {
    const at = index + 1;
    const mark = FENCE.exec(line);
    if (mark) fence = fence === undefined ? (mark[1] ?? '') : undefined;
    else if (fence === undefined) {
      const indented = /^ {4}(?:\$ )?(croupier .*)/u.exec(line)?.[1];
      if (indented !== undefined) found.push(...commandsOf(indented, page, at));
      for (const [, code] of line.replaceAll('\\|', '|').matchAll(INLINE))
        found.push(...commandsOf(code ?? '', page, at));
    } else if (SHELL_FENCES.has(fence)) {
      const typed = typedLine(fence, line, carried);
      carried = typed.endsWith('\\') ? `${typed.slice(0, -1)} ` : '';
      if (carried === '') found.push(...commandsOf(typed, page, at));
    }
  }
  return found;
}
