/** The value of a PowerShell variable: a text, or the words of a hash table, `name = value` for each entry. */
type Value = string | readonly string[];

/** The variables of the PowerShell commands of a file. They often hold the body and the headers of a request. */
export class PowerShellVariables {
  readonly #values = new Map<string, Value>();

  /**
   * Reads a statement `$name = …`. Returns the words of the command if the variable takes the reply of a command. Returns null if
   * the statement only sets the variable.
   */
  assign(words: readonly string[]): readonly string[] | null {
    const [name = '', , first = ''] = words;
    if (/^(?:invoke-|i(?:wr|rm)$)/i.test(first)) return words.slice(2);
    const open = words.indexOf('{');
    const isTable = words[open - 1]?.endsWith('@') === true && open <= MAX_TABLE_AT;
    this.#values.set(name.toLowerCase(), isTable ? words.slice(open + 1, words.lastIndexOf('}')) : first);
    return null;
  }

  /** Replaces the variables of a command by their values. Variables without a known value stay. */
  expanded(words: readonly string[]): readonly string[] {
    return words.flatMap((word) => {
      const inUrl = /^(\$\w{1,60})\//.exec(word)?.[1]?.toLowerCase() ?? '';
      const base = this.#values.get(inUrl);
      if (typeof base === 'string') return [base + word.slice(inUrl.length)];
      const value = this.#values.get(word.toLowerCase().replace(/^@/, '$'));
      if (value === undefined || !/^[$@]\w+$/.test(word)) return [word];
      if (typeof value === 'string') return [value];
      // `@name` gives each entry of the table to the command as a parameter.
      return word.startsWith('@') ? this.expanded(parameters(value)) : ['@', '{', ...value, '}'];
    });
  }
}

/** The `{` of a table is at most the fifth word: `$name = [ordered]@ {`. */
const MAX_TABLE_AT = 4;

function parameters(table: readonly string[]): readonly string[] {
  return table.flatMap((word, at) => {
    if (table[at + 1] === '=') return [`-${word}`];
    return word === '=' || word === ';' ? [] : [word];
  });
}
