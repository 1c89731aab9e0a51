import type { JournalEvent, Labels } from '../event.ts';
import type { Body, ExchangeRequest, HeaderList, Outcome } from '../exchange.ts';

/** Removes the secrets from a text. */
export type Scrub = (text: string) => string;

/** Returns a request without secrets. */
export function cleanRequest(request: ExchangeRequest, scrub: Scrub): ExchangeRequest {
  return {
    method: request.method,
    url: scrub(request.url),
    headers: cleanHeaders(request.headers, scrub),
    body: request.body && cleanBody(request.body, scrub),
  };
}

/** Returns the outcome of a call without secrets. */
export function cleanOutcome(outcome: Outcome, scrub: Scrub): Outcome {
  switch (outcome.kind) {
    case 'reply': {
      const { status, headers, body } = outcome.reply;
      return { kind: 'reply', reply: { status, headers: cleanHeaders(headers, scrub), body: cleanBody(body, scrub) } };
    }
    case 'none': {
      const { head } = outcome;
      const clean = head && { head: { status: head.status, headers: cleanHeaders(head.headers, scrub) } };
      return { ...outcome, detail: scrub(outcome.detail), ...clean };
    }
  }
}

function cleanLabels(labels: Labels, scrub: Scrub): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, scrub(value)]));
}

function cleanHeaders(headers: HeaderList, scrub: Scrub): HeaderList {
  const isClean = headers.every(([name, value]) => scrub(name) === name && scrub(value) === value);
  return isClean ? headers : headers.map(([name, value]) => [scrub(name), scrub(value)] as const);
}

function cleanBody(body: Body, scrub: Scrub): Body {
  if (body.encoding === 'utf8') return { ...body, data: scrub(body.data) };
  // A mask inside base64 would change all bytes after it.
  const text = Buffer.from(body.data, 'base64').toString('latin1');
  const clean = scrub(text);
  return clean === text ? body : { ...body, data: Buffer.from(clean, 'latin1').toString('base64') };
}

/**
 * Returns an event without secrets. Only texts that come from outside can contain a secret: calls, replies, and sentences about
 * them. Ids and the journal's own words are kept, because croupier needs them to read the journal.
 */
export function cleanEvent(event: JournalEvent, scrub: Scrub): JournalEvent {
  switch (event.event) {
    case 'run-started':
      return {
        ...event,
        selection: event.selection.map(scrub),
        ...(event.flags && { flags: event.flags.map(scrub) }),
        ...(event.labels && { labels: cleanLabels(event.labels, scrub) }),
      };
    case 'notice':
      return { ...event, text: scrub(event.text) };
    case 'sending':
      return { ...event, request: cleanRequest(event.request, scrub) };
    case 'received':
      return {
        ...event,
        outcome: cleanOutcome(event.outcome, scrub),
        ...(event.aside !== undefined && { aside: scrub(event.aside) }),
      };
    case 'finding': {
      const { finding } = event;
      const { expected, actual, why } = finding;
      return {
        ...event,
        finding: {
          ...finding,
          expected: scrub(expected),
          actual: scrub(actual),
          ...(why !== undefined && { why: scrub(why) }),
        },
      };
    }
    case 'scenario-ended':
      return { ...event, reason: event.reason && scrub(event.reason) };
    case 'blamed':
      return { ...event, reason: scrub(event.reason) };
    case 'run-ended':
      return { ...event, detail: event.detail && scrub(event.detail) };
    case 'scenario-started':
    case 'race':
    case 'moved-alone':
    case 'intermittent':
    case 'wrong-sum':
    case 'owed':
    case 'balance-owed':
    case 'owed-known':
      return event;
  }
}
