import type { JsonValue } from '../contract/json.ts';
import type { Money } from '../contract/money.ts';
import { replyMs } from '../journal/exchange.ts';
import { described, type Seen } from './check.ts';

/** What a scenario states of a step, with its values reckoned. */
export interface Stated {
  readonly moves: Money | undefined;
  readonly body: readonly (readonly [path: string, value: JsonValue])[];
}

export interface Unmet {
  /** `answer`: how the call was answered, which rules speak about too. `content`: what else the reply is to be like. */
  readonly about: 'answer' | 'content';
  readonly expected: string;
  readonly actual: string;
}

/** What a scenario's author stated of a reply beyond the rules, and did not get. How the balance moved is told by the next read. */
export function unmetExpectations(seen: Seen, stated: Stated): Unmet[] {
  const { expect } = seen.part.step;
  const unmet: Unmet[] = [];
  const actual = described(seen);
  if (expect.stated) {
    const wrong = outcomeProblem(seen);
    if (wrong !== undefined) unmet.push({ about: 'answer', expected: wrong, actual });
  }
  const { reading } = seen;
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
    const took = replyMs(seen.exchange.stamps);
    if (took === null || took > expect.withinMs) {
      unmet.push({
        about: 'content',
        expected: `the reply within ${expect.withinMs} ms`,
        actual: took === null ? 'no reply came' : `it took ${Math.round(took)} ms`,
      });
    }
  }
  if (expect.reply === 'same' && reading && seen.earlier?.reply) {
    const first = seen.earlier.reply;
    const sameBalance =
      first.balance.money && reading.balance.money
        ? first.balance.money.equals(reading.balance.money)
        : first.balance.written === reading.balance.written;
    if (reading.txID !== first.txID || !sameBalance) {
      unmet.push({
        about: 'content',
        expected: `the first reply again: txID ${first.txID}, balance ${first.balance.written}`,
        actual: `txID ${reading.txID}, balance ${reading.balance.written}`,
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

function outcomeProblem(seen: Seen): string | undefined {
  const { answer } = seen;
  if (answer === 'lost' || answer === 'broken') return undefined;
  switch (seen.part.step.expect.outcome) {
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
