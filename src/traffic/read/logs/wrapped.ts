/** The prefixes that log collectors add to a line. The group `time` is the time of the prefix. */
const PREFIXES: readonly RegExp[] = [
  // docker compose logs
  /^[\w.-]+ +\| /,
  // kubectl logs --prefix
  /^\[pod\/[^\]]+\] /,
  // containerd and CRI-O
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:stdout|stderr) [FP] /,
  // syslog, RFC 5424
  /^<\d{1,3}>\d (?<time>\S+) \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) (?:\uFEFF)?/,
  // syslog, RFC 3164: its time has no year, so it is ignored
  /^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^:\s]+: /,
  // journalctl -o short-iso
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \S+ [^:\s]+\[\d+\]: /,
  // docker logs -t, kubectl logs --timestamps
  /^(?<time>\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)[ \t]+(?=\S)/,
];

/** A quoted CSV field that contains JSON, and the text before it. */
const CSV_FIELD = /^(.*?)"(\{""(?:[^"]|"")*\})"/;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
const PAIR = /([A-Za-z_@][\w.@-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/g;
const MIN_PAIRS = 3;

/** A line without the prefix of a collector. */
export interface Unwrapped {
  readonly text: string;
  /** The time that the collector added. */
  readonly time: string | undefined;
}

/** Removes the prefix of a collector. @returns undefined if there is no known prefix */
export function withoutPrefix(line: string): Unwrapped | undefined {
  for (const prefix of PREFIXES) {
    const found = prefix.exec(line);
    if (found) return { text: line.slice(found[0].length), time: found.groups?.time };
  }
  return undefined;
}

/** Finds JSON at the end of a line of text, or in a field of a CSV. */
export function embeddedJson(line: string): Unwrapped | undefined {
  const [, before = '', field] = CSV_FIELD.exec(line) ?? [];
  if (field !== undefined) return { text: field.replaceAll('""', '"'), time: TIME.exec(before)?.[0] };
  const start = line.indexOf('{"');
  // Monolog appends context and extra data, as `[]` or `{}` if they are empty.
  const text = line.slice(start).replace(/(?:\s+(?:\[\]|\{\}))*\s*$/, '');
  return start > 0 && text.endsWith('}') ? { text, time: TIME.exec(line.slice(0, start))?.[0] } : undefined;
}

/** Finds the first time in a text. */
export function timeIn(text: string): string | undefined {
  return TIME.exec(text)?.[0];
}

/** Reads logfmt: `name=value name="a value"`. @returns undefined if the text has too few pairs to be logfmt */
export function namedPairs(line: string): Readonly<Record<string, string>> | undefined {
  const pairs = [...line.matchAll(PAIR)].map(([, name = '', value = '']): [string, string] => [name, unquoted(value)]);
  return pairs.length >= MIN_PAIRS ? Object.fromEntries(pairs) : undefined;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }
}
