// The definitions of OTLP (opentelemetry-proto), compiled by the authors of OpenTelemetry.
import proto from '@opentelemetry/otlp-transformer/build/src/generated/root.js';
import { expect } from 'vitest';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: string };
}

export interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface MessageType {
  fromObject(given: object): object;
  toObject(message: object, options: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

const { ExportTraceServiceRequest } = (
  proto as unknown as {
    opentelemetry: {
      proto: { collector: { trace: { v1: { readonly ExportTraceServiceRequest: MessageType } } } };
    };
  }
).opentelemetry.proto.collector.trace.v1;

/** Reads JSON, and converts the ids: OTLP/JSON has them in hexadecimal, and the definitions have them as bytes. */
function withIds(text: string, from: 'hex' | 'base64', to: 'hex' | 'base64'): unknown {
  return JSON.parse(text, (name, value: unknown) =>
    ['traceId', 'spanId', 'parentSpanId'].includes(name) ? Buffer.from(String(value), from).toString(to) : value,
  );
}

/** Reads a request as a collector does. Fails if a key or a type of a value does not exist in OTLP. */
export function readRequest(body: string): Request {
  const given = withIds(body, 'hex', 'base64') as object;
  const bytes = ExportTraceServiceRequest.encode(ExportTraceServiceRequest.fromObject(given)).finish();
  const message = ExportTraceServiceRequest.decode(bytes);
  expect(ExportTraceServiceRequest.toObject(message, { longs: String, bytes: String })).toEqual(given);
  const options = { longs: String, enums: String, bytes: String, defaults: true };
  return withIds(JSON.stringify(ExportTraceServiceRequest.toObject(message, options)), 'base64', 'hex') as Request;
}

/** Returns the value of an attribute as text. */
export function attribute({ attributes }: Pick<Span, 'attributes'>, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue === '' || value?.stringValue === undefined ? value?.intValue : value.stringValue;
}
