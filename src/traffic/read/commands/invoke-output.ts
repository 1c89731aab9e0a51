import type { LoggedReply } from '../../logged-exchange.ts';
import { reasonOf } from '../logs/transport-error.ts';

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
    if (ERROR_CONTEXT.test(text)) return '';
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
/** Matches the lines after the first line of an error: they say where in the command the error is. */
const ERROR_CONTEXT = /^(?:At line:\d+ char:\d+|\s*\+ )/;
/** Matches the first line of an error. It is no command, although it begins with the name of one. */
const ERROR = /^(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s?:(?:\s+(.{1,2000}))?$/i;

/** True for the first line of an error that a command of PowerShell prints. */
export function isInvokeError(line: string): boolean {
  return ERROR.test(line.trim());
}

/**
 * Reads the reply or the reason for a missing reply from the first line of an error. The line with the body of the reply does not
 * show its status, so the reply stays unknown. Returns undefined if the line is not an error.
 */
export function invokeFailure(line: string): LoggedReply | undefined {
  const [all, detail = ''] = ERROR.exec(line.trim()) ?? [];
  if (all === undefined) return undefined;
  const status = /\((\d{3})\) |success: (\d{3})\b/.exec(detail);
  if (status) return { kind: 'reply', status: Number(status[1] ?? status[2]), headers: null, body: null };
  if (detail === '' || detail.startsWith('{')) return { kind: 'unknown' };
  const isUnconnected = /unable to connect/i.test(detail);
  return {
    kind: 'none',
    reason: isUnconnected ? 'refused' : reasonOf(detail.replace('elapsing', 'timed out')),
    detail,
  };
}
