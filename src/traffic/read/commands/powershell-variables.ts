import { withJson } from './convert-to-json.ts';

/** The value of a PowerShell variable: a text, or the words of a hash table, `name = value` for each entry. */
type Value = string | readonly string[];

/** The variables of the PowerShell commands of a file. They often hold the body and the headers of a request. */
export class PowerShellVariables {
  readonly #values = new Map<string, Value>();
  /** The texts that `ConvertTo-Json` has produced. */
  readonly #produced = new Set<string>();

  /**
   * Reads a statement `$name = …`. Returns the words of the command if the variable takes the reply of a command. Returns null if
   * the statement only sets the variable.
   */
  assign(words: readonly string[]): readonly string[] | null {
    const [name = '', , first = ''] = words;
    if (/^(?:invoke-|i(?:wr|rm)$)/i.test(first)) return words.slice(2);
    const value = this.#withJson(words.slice(2));
    if (value.length === 1) {
      this.#values.set(name.toLowerCase(), value[0] ?? '');
      return null;
    }
    const open = words.indexOf('{');
    const isTable = words[open - 1]?.endsWith('@') === true && open <= MAX_TABLE_AT;
    this.#values.set(name.toLowerCase(), isTable ? words.slice(open + 1, words.lastIndexOf('}')) : first);
    return null;
  }

  /** Replaces the variables of a command by their values. Variables without a known value stay. */
  expanded(words: readonly string[]): readonly string[] {
    return this.#withJson(this.#known(words));
  }

  /** True for a body that `ConvertTo-Json` has produced. Its exact bytes are not known. */
  isProduced(text: string): boolean {
    return this.#produced.has(text);
  }

  #withJson(words: readonly string[]): readonly string[] {
    const isConverted = words.some((word) => /ConvertTo-Json/i.test(word));
    return isConverted ? withJson(this.#known(words), (text) => this.#produced.add(text)) : words;
  }

  #known(words: readonly string[]): readonly string[] {
    return words.flatMap((word) => {
      const [, before = '', inner, behind = ''] = IN_PARENTHESES.exec(word) ?? [];
      if (inner !== undefined && inner !== word) {
        const values = this.#known([inner]);
        if (values[0] !== inner) return [before, ...values, behind].filter((part) => part !== '');
      }
      const bytesOf = BYTES_OF.exec(word)?.[1]?.toLowerCase() ?? '';
      const encoded = this.#values.get(bytesOf);
      if (typeof encoded === 'string') return [encoded];
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

/** Matches a variable after an opening or before a closing parenthesis. */
const IN_PARENTHESES = /^(\()?(\$\w+)(\))?$/;
/** Matches the bytes of a variable. */
const BYTES_OF = /^\(?\[(?:System\.)?Text\.Encoding\]::UTF8\.GetBytes\((\$\w+)\)\)?$/i;
/** The `{` of a table is at most the fifth word: `$name = [ordered]@ {`. */
const MAX_TABLE_AT = 4;

function parameters(table: readonly string[]): readonly string[] {
  return table.flatMap((word, at) => {
    if (table[at + 1] === '=') return [`-${word}`];
    return word === '=' || word === ';' ? [] : [word];
  });
}
