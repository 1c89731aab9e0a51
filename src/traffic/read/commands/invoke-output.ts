/**
 * Rewrites the output of `Invoke-WebRequest` and `Invoke-RestMethod` of PowerShell as the reply that it shows. `Invoke-WebRequest`
 * prints a list with the raw reply as the value of `RawContent`. `Invoke-RestMethod` prints the fields of the reply as a table.
 */
export class InvokeOutput {
  #part: 'none' | 'list' | 'raw' = 'none';
  #names: readonly string[] | null = null;

  /** Returns the line that takes the place of this line of output. */
  line(text: string): string {
    if (/^StatusCode\s+:\s+\d{3}\b/.test(text)) {
      this.#part = 'list';
      return '';
    }
    return this.#part === 'none' ? this.#tableLine(text) : this.#listLine(text);
  }

  #listLine(text: string): string {
    const name = /^([A-Z]\w*)\s+:(?: |$)/.exec(text)?.[1];
    if (name === undefined) return this.#part === 'raw' ? text.trimStart() : '';
    this.#part = name === 'RawContent' ? 'raw' : LAST_OF_LIST.has(name) ? 'none' : 'list';
    return name === 'RawContent' ? text.slice(text.indexOf(':') + 1).trimStart() : '';
  }

  #tableLine(text: string): string {
    const words = text.trim().split(/\s+/, MAX_COLUMNS);
    if (words.includes('balance') && words.every((word) => /^\w+$/.test(word))) {
      this.#names = words;
      return '';
    }
    const names = this.#names;
    if (names === null || words.every((word) => /^-+$/.test(word))) return names === null ? text : '';
    this.#names = null;
    if (words.length !== names.length) return text;
    return JSON.stringify(Object.fromEntries(names.map((name, at) => [name, words[at]])));
  }
}

/** The list ends with one of these entries, depending on the version of PowerShell. */
const LAST_OF_LIST: ReadonlySet<string> = new Set(['RawContentLength', 'RelationLink']);
const MAX_COLUMNS = 10;
