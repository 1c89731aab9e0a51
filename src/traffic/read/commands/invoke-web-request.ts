import { textBody } from '../../logged-exchange.ts';
import type { CommandReading } from './command.ts';

/**
 * Replaces the .NET calls `GetBytes(…)` and `$([char]N)` by the text that they produce. Chrome uses these calls for a
 * body that is not plain ASCII.
 */
export function withoutDotNetCalls(text: string): string {
  if (!/^(?:Invoke-|iwr|irm)/i.test(text)) return text;
  return withoutGetBytes(text).replaceAll(/\$\(\[char\](\d{1,5})\)/g, (_, code: string) =>
    String.fromCharCode(Number(code)),
  );
}

const GET_BYTES = '([System.Text.Encoding]::UTF8.GetBytes(';

function withoutGetBytes(text: string): string {
  const from = text.indexOf(`${GET_BYTES}"`);
  const begin = from + GET_BYTES.length;
  const end = text.lastIndexOf('"))');
  return from < 0 || end <= begin ? text : text.slice(0, from) + text.slice(begin, end + 1) + text.slice(end + 3);
}

/**
 * Reads the request from a PowerShell command: `Invoke-WebRequest -Uri … -Method … -Headers @{ "name"="value" } -Body
 * …`.
 */
export function readInvoke(words: readonly string[]): CommandReading {
  let method: string | null = null;
  let url: string | null = null;
  let text: string | null = null;
  const headers: [string, string][] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const value = (): string => {
      at += 1;
      return words[at] ?? '';
    };
    switch (word.toLowerCase()) {
      case '-uri':
        url = value();
        break;
      case '-method':
        method = value();
        break;
      case '-contenttype':
        headers.push(['Content-Type', value()]);
        break;
      case '-body':
        text = value();
        break;
      case '-headers': {
        const end = words.indexOf('}', at);
        for (let each = at; each < end; each += 1) {
          if (words[each] === '=') headers.push([words[each - 1] ?? '', words[each + 1] ?? '']);
        }
        if (end > at) at = end;
        break;
      }
      default:
        if (!word.startsWith('-') && url === null && /^https?:/i.test(word)) url = word;
    }
  }
  if (url === null) return { kind: 'unreadable', why: 'the command has no URL' };
  if (text?.endsWith('@') === true)
    return { kind: 'unreadable', why: 'its body is a hash table whose values are not all in the file' };
  if (text !== null && /^(?:\$\w|\()/.test(text))
    return { kind: 'unreadable', why: `its body is ${text}, whose value is not in the file` };
  const body = text === null ? null : textBody(text);
  return { kind: 'request', request: { method: method ?? 'GET', url, headers, body }, missing: null };
}
