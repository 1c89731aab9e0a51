import { expect, it } from 'vitest';
import { JOURNALS, reportText } from '../journals.ts';
import { readRequest } from './otlp-reader.ts';

it.each(JOURNALS)('the definitions of OpenTelemetry read the spans of the journal %s', async (name) => {
  const lines = (await reportText(name, 'otlp')).trimEnd().split('\n');
  const spans = lines.flatMap((line) =>
    readRequest(line).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.at(-1)?.name).toBe('croupier run');
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const known = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  const lost = spans.filter(
    ({ traceId, parentSpanId }) => parentSpanId !== '' && !known.has(`${traceId} ${parentSpanId}`),
  );
  expect(lost.map((span) => span.name)).toEqual([]);
});
