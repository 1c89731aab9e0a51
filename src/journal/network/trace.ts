import { createHash } from 'node:crypto';
import type { HeaderList } from '../exchange.ts';

/** The header with which a call names its trace and its span (W3C Trace Context). */
export const TRACE_HEADER = 'traceparent';

/** The place of a call in distributed tracing: the trace, and the span of the call within the trace. */
export interface Trace {
  /** 32 hexadecimal digits in lower case. */
  readonly traceID: string;
  /** 16 hexadecimal digits in lower case. */
  readonly spanID: string;
}

/**
 * Returns the trace of a scenario with all its attempts, or of the calls outside of all scenarios. All ids follow from the id of
 * the run, which is random. So everybody who has the journal can compute them again.
 *
 * @param scenario null for the calls outside of all scenarios, which belong to the trace of the run itself
 */
function traceIDOf(runID: string, scenario: string | null): string {
  return hash(scenario === null ? [runID] : [runID, 'scenario', scenario], 32);
}

/** Returns the span of the run itself, which is in the trace of the run. */
export function runSpan(runID: string): Trace {
  return { traceID: traceIDOf(runID, null), spanID: hash([runID, 'run'], 16) };
}

/** Returns the span of one attempt of a scenario. `attempt` counts the `scenario-started` events of the scenario from 1. */
export function attemptSpan(runID: string, scenario: string, attempt: number): Trace {
  return { traceID: traceIDOf(runID, scenario), spanID: hash([runID, 'attempt', scenario, String(attempt)], 16) };
}

/** Returns the span of a call in a run. `id` is the id of its exchange. */
export function callSpan(runID: string, id: string, scenario: string | null): Trace {
  return { traceID: traceIDOf(runID, scenario), spanID: hash([runID, 'call', id], 16) };
}

/**
 * Returns the span of a call in a load test. Each call has a trace of its own. A single trace with all calls of a load test would
 * be too large for any tracing system.
 */
export function loadCallSpan(runID: string, number: number): Trace {
  const both = hash([runID, 'load', String(number)], 48);
  return { traceID: both.slice(0, 32), spanID: both.slice(32) };
}

function hash(parts: readonly string[], digits: number): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, digits);
}

/** Returns the value of the `traceparent` header. It says that the trace is recorded, so that the operator records it too. */
export function traceparent({ traceID, spanID }: Trace): string {
  return `00-${traceID}-${spanID}-01`;
}

/** Returns headers with the `traceparent` of a call. An earlier `traceparent` is replaced. */
export function withTraceparent(headers: HeaderList, trace: Trace): HeaderList {
  return [...headers.filter(([name]) => name.toLowerCase() !== TRACE_HEADER), [TRACE_HEADER, traceparent(trace)]];
}
