import { isFields, parsed } from '../../json-fields.ts';
import type { Unwrapped } from './wrapped.ts';

/**
 * The prefix that a log collector puts before each line of a program. The group `time` is the time in the prefix, if the prefix
 * has a usable time.
 */
const PREFIXES: readonly RegExp[] = [
  // `docker compose logs`, also with timestamps.
  /^[\w.-]+ +\| (?:(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) )?/,
  // `kubectl logs --prefix`, also with timestamps.
  /^\[pod\/[^\]]+\] (?:(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) )?/,
  // containerd and CRI-O.
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:stdout|stderr) [FP] /,
  // `docker logs -t` and `kubectl logs --timestamps`. A time with nanoseconds is a time of these collectors, because other programs
  // seldom write nanoseconds.
  /^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) /,
  // syslog (RFC 5424).
  /^<\d{1,3}>\d (?<time>\S+) \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) (?:\uFEFF)?/,
  // syslog in the old format (RFC 3164), and journalctl. Their times have no year.
  /^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^:\s]+: /,
  // `journalctl -o short-iso`.
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \S+ [^:\s]+\[\d+\]: /,
  // Heroku.
  /^(?<time>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \w+\[[\w.-]+\]: /,
  // stern: the pod and the container.
  /^[a-z][a-z\d.-]*-[a-z\d]{5,10}-[a-z\d]{5} [a-z][a-z\d-]* /,
];

/** Maximum number of lines that may come before the first line with a prefix. A message of the collector can be such a line. */
const MAX_LINES = 20;

/**
 * Removes the prefix of a log collector from the lines of one file, so that croupier can join the lines of one entry. The first
 * lines of the file show which collector wrote it.
 */
export class CollectorPrefix {
  #prefix: RegExp | 'docker' | 'journald' | null = null;
  /** The time of the entry of journald that is being read. */
  #journaldTime: string | undefined = undefined;
  #seen = 0;

  /** Returns the line of the program, and the time that the collector added. Returns undefined if the line has no prefix. */
  take(line: string): Unwrapped | undefined {
    if (this.#prefix === null) {
      if (this.#seen >= MAX_LINES) return undefined;
      this.#seen += 1;
      // A program that writes JSON has each entry on one line. Such a line is read together with its prefix, so the prefix is not
      // removed here.
      this.#prefix =
        dockerLine(line)?.text.startsWith('{') === false
          ? 'docker'
          : line.startsWith('__CURSOR=')
            ? 'journald'
            : (PREFIXES.find((prefix) => isBefore(prefix, line)) ?? null);
    }
    if (this.#prefix === null) return undefined;
    if (this.#prefix === 'docker') return dockerLine(line);
    if (this.#prefix === 'journald') return this.#journaldLine(line);
    const found = this.#prefix.exec(line);
    return found ? { text: line.slice(found[0].length), time: found.groups?.time } : undefined;
  }

  /** Reads a line of `journalctl -o export`, which writes each field of an entry on a line of its own. */
  #journaldLine(line: string): Unwrapped | undefined {
    const [name = ''] = line.split('=', 1);
    const value = line.slice(name.length + 1);
    if (name === '__REALTIME_TIMESTAMP') this.#journaldTime = value;
    return name === 'MESSAGE' ? { text: value, time: this.#journaldTime } : undefined;
  }
}

/** True if a line has the prefix, and something after it. */
function isBefore(prefix: RegExp, line: string): boolean {
  const found = prefix.exec(line);
  return found !== null && line.slice(found[0].length).trim() !== '';
}

/** Reads a line of the `json-file` log driver of Docker. */
function dockerLine(line: string): Unwrapped | undefined {
  if (!line.startsWith('{"log":"')) return undefined;
  const value = parsed(line);
  if (!isFields(value) || typeof value.log !== 'string' || typeof value.time !== 'string') return undefined;
  return { text: value.log.replace(/\r?\n$/, ''), time: value.time };
}
