/**
 * Replaces each `ConvertTo-Json` of a PowerShell command by the text that it produces, with its source: `@{ … } | ConvertTo-Json`,
 * `($table | ConvertTo-Json -Compress)` or `(ConvertTo-Json $table)`. The text has the fields of the body, but not always its exact
 * bytes: the versions of PowerShell indent in different ways, and a table without `[ordered]` has no fixed order. A table with
 * values that the file does not show stays unchanged.
 *
 * @param words the words of the command, with variables already replaced
 * @param produced takes each text that replaces a `ConvertTo-Json`
 */
export function withJson(words: readonly string[], produced: (text: string) => void): readonly string[] {
  const all = words.some((word) => CONVERT.test(word)) ? words.flatMap(withoutParentheses) : words;
  const at = all.findIndex((word) => /^ConvertTo-Json$/i.test(word));
  if (at < 0) return words;
  const isPiped = all[at - 1] === '|';
  let end = at + 1;
  while (end < all.length && isOption(all, end)) end += 1;
  const from = isPiped ? tableBefore(all, at - 1) : end;
  const to = isPiped ? at - 1 : tableEnd(all, end);
  const text = jsonOf(all.slice(from, to));
  if (text === null) return all;
  produced(text);
  let after = isPiped ? end : to;
  while (after < all.length && isOption(all, after)) after += 1;
  const isInParentheses = all[from - 1] === '(' || (!isPiped && all[at - 1] === '(');
  const begin = Math.min(from, isPiped ? from : at) - (isInParentheses ? 1 : 0);
  const rest = all.slice(after + (isInParentheses && all[after] === ')' ? 1 : 0));
  return withJson([...all.slice(0, begin), text, ...rest], produced);
}

const CONVERT = /^\(?ConvertTo-Json\)?$/i;

/** Makes the parentheses around the source and around `ConvertTo-Json` words of their own. */
function withoutParentheses(word: string): readonly string[] {
  const [, open, rest, close] =
    /^(\()?(\$\w+|@|\[ordered\]@|ConvertTo-Json|-\w+|\d{1,3}|\{.*\})?(\))?$/is.exec(word) ?? [];
  const parts = [open, rest, close].flatMap((part) => part ?? []);
  return parts.length > 0 ? parts : [word];
}

/** True for an option of `ConvertTo-Json` and for the number after `-Depth`. */
function isOption(words: readonly string[], at: number): boolean {
  return (
    /^-(?:Compress|Depth|InputObject|EnumsAsStrings)$/i.test(words[at] ?? '') || /^-Depth$/i.test(words[at - 1] ?? '')
  );
}

function tableBefore(words: readonly string[], end: number): number {
  const open = words.lastIndexOf('{', end);
  return words[end - 1] === '}' && open > 0 ? open - 1 : end;
}

function tableEnd(words: readonly string[], from: number): number {
  return words[from + 1] === '{' ? words.indexOf('}', from) + 1 : from;
}

/** Writes a hash table as JSON. Returns null if the words are no hash table whose values are known. */
function jsonOf(words: readonly string[]): string | null {
  const [mark = '', open, ...rest] = words;
  if (!mark.endsWith('@') || open !== '{' || rest.pop() !== '}') return null;
  const entries: [string, string][] = [];
  const parts = rest.filter((word) => word !== ';');
  for (let at = 0; at < parts.length; at += 3) {
    const [name = '', sign, value] = parts.slice(at, at + 3);
    if (sign !== '=' || value === undefined || /^[$([]/.test(value)) return null;
    entries.push([name, value]);
  }
  return JSON.stringify(Object.fromEntries(entries));
}
