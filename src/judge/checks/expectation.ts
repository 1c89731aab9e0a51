import type { JsonValue } from '../../contract/json.ts';
import { isWithin, replyMs } from '../../journal/exchange.ts';
import { describeOutcome, type ObservedCall, type StatedValues } from '../observed-call.ts';

export interface Unmet {
  /**
   * `answer` if the expectation is about the outcome of the call. Rules judge this outcome, too. `content` if the expectation is
   * about other properties of the reply.
   */
  readonly about: 'answer' | 'content';
  readonly expected: string;
  readonly actual: string;
}

/**
 * Returns the expectations of the scenario that a reply does not meet. The next balance read checks the expected movement of
 * the balance.
 */
export function unmetExpectations(observed: ObservedCall, stated: StatedValues): Unmet[] {
  const { expect } = observed.planned.step;
  const unmet: Unmet[] = [];
  const actual = describeOutcome(observed);
  if (expect.stated) {
    const wrong = outcomeProblem(observed);
    if (wrong !== undefined) unmet.push({ about: 'answer', expected: wrong, actual });
  }
  const { reading } = observed;
  if (
    expect.status &&
    reading &&
    !expect.status.some((one) =>
      typeof one === 'number' ? one === reading.status : Number(one[0]) === Math.floor(reading.status / 100),
    )
  ) {
    unmet.push({ about: 'answer', expected: `status ${expect.status.join(' or ')}`, actual });
  }
  if (expect.code !== undefined && reading?.code !== expect.code)
    unmet.push({ about: 'answer', expected: `code ${JSON.stringify(expect.code)}`, actual });
  if (expect.withinMs !== undefined) {
    const { stamps } = observed.exchange;
    const took = replyMs(stamps);
    if (isWithin(stamps, expect.withinMs) === false || (took === null && stamps.pausedMs === undefined)) {
      unmet.push({
        about: 'content',
        expected: `the reply comes within ${expect.withinMs} ms`,
        actual: took === null ? 'no reply came' : `the reply took ${Math.round(took)} ms`,
      });
    }
  }
  if (expect.reply === 'same' && reading && observed.earlier?.reply) {
    const first = observed.earlier.reply;
    const sameBalance =
      first.balance.money && reading.balance.money
        ? first.balance.money.equals(reading.balance.money)
        : first.balance.written === reading.balance.written;
    if (reading.txID !== first.txID || !sameBalance) {
      unmet.push({
        about: 'content',
        expected: `the reply repeats the first one: txID ${first.txID}, balance ${first.balance.written}`,
        actual: `the reply has txID ${reading.txID}, balance ${reading.balance.written}`,
      });
    }
  }
  for (const [path, value] of stated.body) {
    const found = reading?.object === undefined ? undefined : at(reading.object, path);
    if (JSON.stringify(found) !== JSON.stringify(value)) {
      unmet.push({
        about: 'content',
        expected: `\`${path}\` is ${JSON.stringify(value)}`,
        actual: found === undefined ? `the reply has no \`${path}\`` : `it is ${JSON.stringify(found)}`,
      });
    }
  }
  return unmet;
}

function outcomeProblem(observed: ObservedCall): string | undefined {
  const { answer } = observed;
  if (answer === 'lost' || answer === 'broken') return undefined;
  switch (observed.planned.step.expect.outcome) {
    case 'accepted':
      return answer === 'accepted' ? undefined : 'the call is accepted, with 200';
    case 'declined':
      return answer === 'declined' || answer === 'failed' || answer === 'refused'
        ? undefined
        : 'the call is declined, with an error';
    case 'refused':
      return answer === 'refused' ? undefined : 'the call is refused, with 401';
    case 'either':
      return undefined;
  }
}

function at(value: JsonValue, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const name of path.split('.')) {
    if (here === null || typeof here !== 'object') return undefined;
    here = Array.isArray(here)
      ? (here as readonly JsonValue[])[Number(name)]
      : (here as { readonly [key: string]: JsonValue })[name];
  }
  return here;
}
