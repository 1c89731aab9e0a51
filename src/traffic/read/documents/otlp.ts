import { type Fields, isFields } from '../../json-fields.ts';

/**
 * Matches the beginning of logs or traces in the JSON form of OTLP, the protocol of OpenTelemetry. The file exporter of its collector
 * writes one such object on each line.
 */
const BEGINNING = /^\{\s*"resource(?:Logs|Spans)"\s*:\s*\[/;

/** True if a file begins with logs or traces of OTLP. */
export function isOtlp(head: string): boolean {
  return BEGINNING.test(head);
}

/** Returns the log records or spans of an object of OTLP as log lines. Returns undefined if it is another object. */
export function otlpLines({ resourceLogs, resourceSpans }: Fields): readonly Fields[] | undefined {
  if (Array.isArray(resourceSpans))
    return listOf(resourceSpans).flatMap(({ scopeSpans }) =>
      listOf(scopeSpans).flatMap(({ spans }) => listOf(spans).map(lineOfSpan)),
    );
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

/** Returns a span with its attributes as fields. Each span has its own id, because a trace may have several calls. */
function lineOfSpan({ startTimeUnixNano: start, endTimeUnixNano: end, spanId, attributes }: Fields): Fields {
  const isTimed = isTime(start) && isTime(end);
  return {
    ...(isTime(start) && { timestamp: String(start) }),
    ...(isTimed && { duration_ms: Number((BigInt(end) - BigInt(start)) / 1000n) / 1000 }),
    ...(typeof spanId === 'string' && { trace_id: spanId }),
    ...namedValues(attributes),
  };
}

/**
 * Returns the spans of a trace in the JSON of Jaeger as log lines. Their times are in microseconds. Returns undefined for another object.
 */
export function jaegerLines({ spans }: Fields): readonly Fields[] | undefined {
  if (!Array.isArray(spans)) return undefined;
  return listOf(spans).map(({ startTime, duration, spanID, tags }) => ({
    ...(typeof startTime === 'number' && { timestamp: startTime }),
    ...(typeof duration === 'number' && { duration_ms: duration / 1000 }),
    ...(typeof spanID === 'string' && { trace_id: spanID }),
    ...Object.fromEntries(
      listOf(tags).flatMap(({ key, value }) => (typeof key === 'string' ? [[key, value] as const] : [])),
    ),
  }));
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
