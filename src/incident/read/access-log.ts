import type { SeenExchange, SeenPlace } from '../seen.ts';
import type { LogField, LogForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** A form of access logs. What its groups are named after is what they hold. */
const FORMS: readonly RegExp[] = [
  // The common format, and the combined one that goes on with referer and agent; some servers add how long it took: nginx
  // writes seconds with a point, Apache whole microseconds, which nobody can tell from milliseconds.
  /^(?:\S+:\d+ )?(\S+) \S+ (\S+|"[^"]*") \[(?<time>[^\]]+)\] "(?<url>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*")?(?:(?: \d+)? "?(?:(?<tookSeconds>\d+\.\d+)|\d+)"?)?/,
  // HAProxy, its HTTP format; the last of the five timers is the whole of it.
  /\[(?<time>\d\d\/\w{3}\/\d{4}:[\d:.]+)\] \S+ \S+ (?:-?\d+\/){4}\+?(?<tookMs>\d+) (?<status>\d{3}|-1) .*"(?<url>[A-Z]+ \S+(?: HTTP\/[\d.]+)?)"\s*$/,
  // Envoy and Istio, their default format: after the status flags and reasons, then bytes in, bytes out, and milliseconds.
  /^\[(?<time>\d{4}-[^\]]+)\] "(?<url>[A-Z]+ \S+ HTTP\/[\d.]+)" (?<status>\d{1,3}) .*? \d+ \d+ (?<tookMs>\d+) (?:\d+|-) "/,
  // A load balancer of AWS; the second of its three times is that of the target. -1: it gave no answer.
  /^(?:https?|h2|wss?) (?<time>\d{4}-\S+) \S+ \S+ \S+ \S+ (?<tookSeconds>-?[\d.]+) \S+ (?<status>\d{3}|-) (?:\d{3}|-) \d+ \d+ "(?<url>[A-Z]+ \S+ \S+)" /,
];

/** Reads a line of an access log, or one that the configured pattern fits; undefined when it is neither. */
export function readTextLine(line: string, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  const groups: Groups | undefined = form.pattern?.exec(line)?.groups ?? groupsOf(line);
  return groups && exchangeOfLine((field: LogField) => groups[field], form, place, 'operator');
}

function groupsOf(line: string): Groups | undefined {
  for (const each of FORMS) {
    const found = each.exec(line)?.groups;
    if (found) return found;
  }
  return undefined;
}
