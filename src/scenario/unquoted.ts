/** A `${…}` that stands without quotes where YAML takes its brace for a map of its own. */
export interface Unquoted {
  readonly start: number;
  readonly end: number;
  /** The whole value as the author meant it. */
  readonly text: string;
}

/**
 * Finds every unquoted `${…}` inside `{ }` or `[ ]`, and gives the text with each of them put in quotes, at the same length,
 * so that the rest of the file can be checked at its right places.
 */
export function quoteUnquoted(text: string): { readonly text: string; readonly found: readonly Unquoted[] } {
  if (!/[{[,:]\s*\$\{/.test(text)) return { text, found: [] };
  const found: Unquoted[] = [];
  let depth = 0;
  let at = 0;
  /** True where a value can begin. */
  let fresh = true;
  while (at < text.length) {
    const letter = text[at];
    if (depth > 0 && fresh && text.startsWith('${', at)) {
      const end = endOfValue(text, at);
      found.push({ start: at, end, text: text.slice(at, end) });
      at = end;
      fresh = false;
      continue;
    }
    if (letter === '\n') fresh = true;
    else if (letter === '#' && /\s/.test(text[at - 1] ?? '\n')) {
      at = text.indexOf('\n', at);
      if (at === -1) break;
      continue;
    } else if (fresh && (letter === '"' || letter === "'")) {
      at = endOfQuoted(text, at, letter);
      fresh = false;
      continue;
    } else if (fresh && /[|>]/.test(letter ?? '') && depth === 0) {
      at = endOfBlock(text, at);
      continue;
    } else if ((letter === '{' || letter === '[') && (fresh || depth > 0)) {
      depth += 1;
      fresh = true;
      at += 1;
      continue;
    } else if ((letter === '}' || letter === ']') && depth > 0) {
      depth -= 1;
      fresh = false;
    } else if (letter === ',' && depth > 0) fresh = true;
    else if ((letter === ':' || letter === '-' || letter === '?') && /\s/.test(text[at + 1] ?? '\n')) fresh = true;
    else if (letter !== ' ' && letter !== '\t' && letter !== '\r') fresh = false;
    at += 1;
  }
  let mended = '';
  let copied = 0;
  for (const { start, end } of found) {
    const inner = text.slice(start + 1, end - 1).replaceAll(/["\\]/g, '_');
    mended += `${text.slice(copied, start)}"${inner}"`;
    copied = end;
  }
  return { text: mended + text.slice(copied), found };
}

function endOfValue(text: string, start: number): number {
  let at = start;
  let open = 0;
  while (at < text.length) {
    const letter = text[at];
    if (letter === '\n') break;
    if (letter === '{') open += 1;
    else if (letter === '}') {
      if (open === 0) break;
      open -= 1;
    } else if (open === 0 && (letter === ',' || letter === ']')) break;
    at += 1;
  }
  while (at > start + 2 && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length) {
    if (text[at] === '\\' && quote === '"') at += 2;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 2;
      else return at + 1;
    } else at += 1;
  }
  return at;
}

/** A `|` or `>` block goes on while lines are empty or indented deeper than the line that began it. */
function endOfBlock(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const indent = /^[ ]*/.exec(text.slice(lineStart, start))?.[0].length ?? 0;
  let next = text.indexOf('\n', start);
  while (next !== -1) {
    const line = text.slice(next + 1, (text.indexOf('\n', next + 1) + 1 || text.length + 1) - 1);
    if (line.trim() !== '' && (/^[ ]*/.exec(line)?.[0].length ?? 0) <= indent) return next;
    if (next + 1 >= text.length) break;
    next = text.indexOf('\n', next + 1);
  }
  return text.length;
}
