import { beginsMessage } from './raw-http.ts';

/** A request or a reply that a program of Go has logged as httputil dumps it. */
export interface DumpedMessage {
  /** The time before the message; undefined if there is none. */
  readonly time: string | undefined;
  /** The first line of the message, or all its lines if the program has written them as one quoted text. */
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/** Matches the time and the place in the program that the log package of Go writes before a text. */
const PREFIX = /^(\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?) (?:[\w./-]{1,100}\.go:\d{1,6}: )?/;

/** Reads the first line of a dumped message. Returns undefined for any other line, also for a message without anything before it. */
export function dumpedMessage(line: string): DumpedMessage | undefined {
  const [prefix = '', time] = PREFIX.exec(line) ?? [];
  const text = line.slice(prefix.length).trimEnd();
  if (text.startsWith('"') && text.endsWith('"')) {
    const lines = unquoted(text)?.split(/\r?\n/);
    return lines && beginsMessage(lines[0] ?? '') ? { time, lines, isWhole: true } : undefined;
  }
  return prefix !== '' && beginsMessage(text) ? { time, lines: [text], isWhole: false } : undefined;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
