import { type Fields, isFields } from '../../json-fields.ts';

/**
 * Matches the beginning of logs in the JSON form of OTLP, the protocol of OpenTelemetry. The file exporter of its collector writes
 * one such object on each line.
 */
const BEGINNING = /^\{\s*"resourceLogs"\s*:\s*\[/;

/** True if a file begins with logs of OTLP. */
export function isOtlp(head: string): boolean {
  return BEGINNING.test(head);
}

/** Returns the log records of an object of OTLP as log lines. Returns undefined if it is another object. */
export function otlpLines({ resourceLogs }: Fields): readonly Fields[] | undefined {
  if (!Array.isArray(resourceLogs)) return undefined;
  return listOf(resourceLogs).flatMap(({ resource, scopeLogs }) => {
    const ofResource = isFields(resource) ? namedValues(resource.attributes) : {};
    return listOf(scopeLogs).flatMap(({ logRecords }) =>
      listOf(logRecords).map((record) => lineOf(record, ofResource)),
    );
  });
}

/** Returns a log record with its attributes as fields. The fields of its body come before attributes of the same name. */
function lineOf(record: Fields, ofResource: Fields): Fields {
  const { timeUnixNano, observedTimeUnixNano, traceId } = record;
  const body = plainValue(record.body);
  const time = isTime(timeUnixNano) ? timeUnixNano : observedTimeUnixNano;
  return {
    ...ofResource,
    ...(isTime(time) && { timestamp: String(time) }),
    ...(typeof traceId === 'string' && traceId !== '' && { trace_id: traceId }),
    ...namedValues(record.attributes),
    ...(isFields(body) ? body : { message: body }),
  };
}

/** False for 0, which means that the time is not known. */
function isTime(value: unknown): value is string | number {
  return (typeof value === 'string' || typeof value === 'number') && Number(value) > 0;
}

function namedValues(list: unknown): Fields {
  return Object.fromEntries(
    listOf(list).flatMap(({ key, value }) => (typeof key === 'string' ? [[key, plainValue(value)]] : [])),
  );
}

/** Returns a value without the name of its type. */
function plainValue(value: unknown): unknown {
  if (!isFields(value)) return undefined;
  const { kvlistValue, arrayValue } = value;
  if (isFields(kvlistValue)) return namedValues(kvlistValue.values);
  if (isFields(arrayValue)) return listOf(arrayValue.values).map(plainValue);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
