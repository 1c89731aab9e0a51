import type { SeenExchange, SeenPlace } from '../seen.ts';
import type { LogForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads one JSON object of a log by the paths of its form; undefined when it tells of no request. */
export function readJsonLine(object: Fields, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  return exchangeOfLine(
    (field) => {
      for (const path of form.fields[field]) {
        const value = valueAt(object, path);
        const text = field === 'requestBody' || field === 'responseBody' ? bodyText(value) : plainText(value);
        if (text !== undefined) return text;
      }
      return undefined;
    },
    form,
    place,
    'operator',
  );
}

/** A name with points in it counts before the way through several objects. */
function valueAt(object: Fields, path: string): unknown {
  const own = object[path];
  if (own !== undefined) return own;
  const point = path.indexOf('.');
  if (point < 0) return undefined;
  const inner = object[path.slice(0, point)];
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    ? valueAt(inner as Fields, path.slice(point + 1))
    : undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** A body may have been logged as text, or as the JSON that it is. */
function bodyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}
