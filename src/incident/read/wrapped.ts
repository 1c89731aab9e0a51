/** What collectors of logs put before a line, each with the time that it names, where it names one. */
const PREFIXES: readonly RegExp[] = [
  // docker compose logs
  /^[\w.-]+ +\| /,
  // kubectl logs --prefix
  /^\[pod\/[^\]]+\] /,
  // containerd and CRI-O
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:stdout|stderr) [FP] /,
  // syslog, as RFC 5424 has it
  /^<\d{1,3}>\d (?<time>\S+) \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) (?:\uFEFF)?/,
  // syslog, as RFC 3164 has it: without a year its time says nothing
  /^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^:\s]+: /,
  // journalctl -o short-iso
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \S+ [^:\s]+\[\d+\]: /,
  // docker logs -t, kubectl logs --timestamps
  /^(?<time>\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)[ \t]+(?=\S)/,
];

/** A quoted field of a CSV with JSON in it, and what stands before it. */
const CSV_FIELD = /^(.*?)"(\{""(?:[^"]|"")*\})"/;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
const PAIR = /([A-Za-z_@][\w.@-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/g;
const FEWEST_PAIRS = 3;

/** What was written, apart from what a collector added to it. */
export interface Unwrapped {
  readonly text: string;
  /** When it was collected. */
  readonly time: string | undefined;
}

/** A line without what stands before it; undefined when nothing that is known does. */
export function withoutPrefix(line: string): Unwrapped | undefined {
  for (const prefix of PREFIXES) {
    const found = prefix.exec(line);
    if (found) return { text: line.slice(found[0].length), time: found.groups?.time };
  }
  return undefined;
}

/** JSON at the end of a line of text, or in a field of a CSV. */
export function embeddedJson(line: string): Unwrapped | undefined {
  const [, before = '', field] = CSV_FIELD.exec(line) ?? [];
  if (field !== undefined) return { text: field.replaceAll('""', '"'), time: TIME.exec(before)?.[0] };
  const start = line.indexOf('{"');
  // Monolog puts what it has beside a message behind it, even when that is nothing.
  const text = line.slice(start).replace(/(?:\s+(?:\[\]|\{\}))*\s*$/, '');
  return start > 0 && text.endsWith('}') ? { text, time: TIME.exec(line.slice(0, start))?.[0] } : undefined;
}

/** The first time that a text names. */
export function timeIn(text: string): string | undefined {
  return TIME.exec(text)?.[0];
}

/** `name=value name="a value"`, as programs in Go write; undefined for text that only happens to have an equals sign. */
export function namedPairs(line: string): Readonly<Record<string, string>> | undefined {
  const pairs = [...line.matchAll(PAIR)].map(([, name = '', value = '']): [string, string] => [name, unquoted(value)]);
  return pairs.length >= FEWEST_PAIRS ? Object.fromEntries(pairs) : undefined;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }
}
