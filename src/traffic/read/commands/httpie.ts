import { bodyOf, type LoggedReply, type LoggedRequest } from '../../logged-exchange.ts';
import { reasonOf } from '../logs/transport-error.ts';
import { type CommandReading, optionValue, type ReadFileBeside, type StandardInput, withScheme } from './command.ts';

/** The options of HTTPie that take a value but do not change the request. They are skipped together with the value. */
const WITH_VALUE =
  /^(?:-[apsoA]|--(?:auth|auth-type|print|style|output|timeout|verify|cert|cert-key|session|session-read-only|proxy|max-redirects|pretty|format-options))$/;
const METHOD = /^[A-Z]{3,7}$/;
/**
 * Matches a request item of HTTPie: `Name:value` (header), `name==value` (query), `name:=json` or `name=value` (fields of the
 * body). `:=@` and `=@` take the value of a field from a file.
 */
const ITEM = /^((?:\\.|[^:=@\\])+)(:=@|:=|==|=@|=|:)(.*)$/s;

/**
 * Reads the request from the words of a command after `http` or `https` (the programs of HTTPie). HTTPie sends the
 * fields as a JSON object in the format of Python's json module.
 */
export function readHttpie(
  program: string,
  words: readonly string[],
  piped: StandardInput | null,
  beside: ReadFileBeside,
): CommandReading {
  let method: string | null = null;
  let url: string | null = null;
  let raw: Uint8Array | null = piped?.bytes ?? null;
  let isForm = false;
  let missing: string | null = piped?.missing ?? null;
  const headers: [string, string][] = [];
  const query: string[] = [];
  const fields: [string, string][] = [];
  const file = (name: string): string => {
    const bytes = beside(name);
    if (!bytes) missing = name;
    return Buffer.from(bytes ?? []).toString('utf8');
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '|' || word === ';' || word === '&') break;
    if (word === '--raw' || word.startsWith('--raw=')) {
      const option = optionValue(words, at);
      raw = Buffer.from(option.value);
      at = option.at;
    } else if (word === '-f' || word === '--form') isForm = true;
    else if (WITH_VALUE.test(word)) at += 1;
    else if (word.startsWith('-')) continue;
    else if (url === null && method === null && METHOD.test(word)) method = word;
    else if (url === null) url = word;
    else {
      const [, name = '', separator = '', value = ''] = ITEM.exec(word) ?? [];
      const plain = name.replaceAll(/\\(.)/g, '$1');
      if (separator === ':') headers.push([plain, value]);
      else if (separator === '==') query.push(`${encodeURIComponent(plain)}=${encodeURIComponent(value)}`);
      else if (separator === '=') fields.push([plain, isForm ? value : JSON.stringify(value)]);
      else if (separator === '=@') fields.push([plain, isForm ? file(value) : JSON.stringify(file(value))]);
      else if (separator === ':=') fields.push([plain, value]);
      else if (separator === ':=@') fields.push([plain, file(value).trim()]);
    }
  }
  if (url === null) return { kind: 'unreadable', why: `the ${program} line has no URL` };
  if (fields.length > 0) raw = Buffer.from(isForm ? formOf(fields) : jsonOf(fields));
  const whole = withScheme(url, program === 'https' ? 'https' : 'http');
  const asked = query.length === 0 ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${query.join('&')}`;
  const body: LoggedRequest['body'] = missing === null ? (raw === null ? null : bodyOf(raw)) : 'unknown';
  return {
    kind: 'request',
    request: { method: method ?? (body === null ? 'GET' : 'POST'), url: asked, headers, body },
    missing,
  };
}

/** Reads the reason for a missing reply from an error line of HTTPie. Returns undefined if the line is not such an error. */
export function httpieFailure(line: string): LoggedReply | undefined {
  const detail = /^https?: error: (.{1,2000})$/.exec(line.trim())?.[1];
  return detail === undefined ? undefined : { kind: 'none', reason: reasonOf(detail), detail };
}

function jsonOf(fields: readonly (readonly [string, string])[]): string {
  const text = fields.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ');
  return `{${text}}`.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function formOf(fields: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();
}
