import { bodyOf } from '../../logged-exchange.ts';
import { type CommandReading, optionValue, type ReadFileBeside, withScheme } from './command.ts';

/** The options of wget that take a value but do not change the request. They are skipped together with the value. */
const WITH_VALUE =
  /^(?:-[OoaePtTwQUlADRIX]|--(?:output-document|output-file|append-output|tries|timeout|wait|user-agent|ca-certificate|certificate|private-key|referer))$/;

/** Reads the request from the words of a command after `wget`. */
export function readWget(words: readonly string[], beside: ReadFileBeside): CommandReading {
  let method: string | null = null;
  let url: string | null = null;
  let body: Uint8Array | null = null;
  let missing: string | null = null;
  const headers: [string, string][] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '|' || word === ';' || word === '&') break;
    const name = word.split('=', 1)[0] ?? '';
    const option = optionValue(words, at);
    switch (name) {
      case '--header': {
        const [, header, value = ''] = /^([^:\s]+)\s*:(.*)$/s.exec(option.value) ?? [];
        if (header !== undefined) headers.push([header, value.trim()]);
        at = option.at;
        break;
      }
      case '--post-data':
      case '--body-data':
        body = Buffer.from(option.value);
        at = option.at;
        break;
      case '--post-file':
      case '--body-file':
        body = beside(option.value) ?? null;
        if (body === null) missing = option.value;
        at = option.at;
        break;
      case '--method':
        method = option.value.toUpperCase();
        at = option.at;
        break;
      default:
        if (WITH_VALUE.test(word) || /^-[a-zA-Z]*O$/.test(word)) at += 1;
        else if (!word.startsWith('-') && url === null) url = word;
    }
  }
  if (url === null) return { kind: 'unreadable', why: 'the wget line has no URL' };
  const sent = body === null ? (missing === null ? null : ('unknown' as const)) : bodyOf(body);
  const request = { method: method ?? (sent === null ? 'GET' : 'POST'), url: withScheme(url), headers, body: sent };
  return { kind: 'request', request, missing };
}
