import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RecordedCall, recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { entriesIn } from '../entries-in.ts';

const TX = '0c9e1d20-77aa-4b6e-8f2d-00000000000';
/** The calls in each of the logs, by hand: the amount, the status, and the balance or the code of the reply. */
const TRUTH = new Map([
  [`${TX}1`, ['5.00', 200, '95.00']],
  [`${TX}2`, ['8.00', 200, '103.00']],
  [`${TX}3`, ['2.00', 402, 'insufficient_funds']],
]);
const FORMATS = [
  'apache-httpclient-wire.log',
  'api-gateway-execution.log',
  'dotnet-httpclient.log',
  'faraday.log',
  'node-inspect-text.log',
  'node-inspect.log',
  'phoenix.log',
  'python-http-client.txt',
  'resttemplate.log',
  'spring-interceptor.log',
];

async function callsIn(text: string): Promise<readonly RecordedCall[]> {
  const all = await entriesIn(text);
  return all.flatMap((entry) => (entry.kind === 'exchange' ? (recordedCall(entry.exchange) ?? []) : []));
}

/** Returns the claims that are not true. A part of a call that the log does not show may be missing. */
function falseClaims(calls: readonly RecordedCall[], truth: typeof TRUTH): readonly string[] {
  return calls.flatMap(({ call, txID, amount, exchange: { answer, request } }) => {
    // The log has lost the id of this call, so it says nothing about one of the calls.
    if (call !== 'balance' && txID === null) return [];
    const [paid, status, said] = truth.get(txID ?? '') ?? [null, 200, '100.00'];
    const body = answer.kind === 'reply' ? (answer.body?.data ?? '') : '';
    const shown = /"(?:balance|code)":"([^"]*)"/.exec(body)?.[1];
    const isCut = typeof request.body === 'object' && request.body?.truncated === true;
    return [
      // A cut body may have lost its id, and a missing line may be the one with the amount.
      ...(amount === paid || amount === null || isCut ? [] : [`${txID} moved ${amount}`]),
      ...(answer.kind === 'reply' && answer.status !== status ? [`${txID} was answered ${answer.status}`] : []),
      ...(shown === undefined || shown === said ? [] : [`${txID} was answered ${shown}`]),
    ];
  });
}

/** The same log of another player, whose balances are other ones. */
function ofOther(text: string): string {
  return text
    .replaceAll('s-7731', 's-8842')
    .replaceAll(TX, TX.replace('77aa', '77ab'))
    .replaceAll('95.00', '45.00')
    .replaceAll('103.00', '53.00')
    .replaceAll('GHx0', 'GHx9')
    .replaceAll('exec-3]', 'exec-4]')
    .replaceAll('outgoing-0', 'outgoing-1')
    .replaceAll('c6af9ac6', 'c6af9ac7');
}

const OTHERS = new Map([
  [`${TX.replace('77aa', '77ab')}1`, ['5.00', 200, '45.00']],
  [`${TX.replace('77aa', '77ab')}2`, ['8.00', 200, '53.00']],
  [`${TX.replace('77aa', '77ab')}3`, ['2.00', 402, 'insufficient_funds']],
]);

/**
 * Splits a log into the parts between which other lines may be. A program writes the lines of one entry together. Faraday writes the
 * entries of one message directly after each other, and they do not name their thread.
 */
function entriesOf(text: string): readonly string[] {
  const isFaraday = text.includes('Faraday');
  return text.trimEnd().split(isFaraday ? /\n(?=.* (?:request: (?:GET|POST)|response: Status))/ : /\n(?! )/);
}

describe.each(FORMATS)('a damaged log: %s', (file) => {
  const text = readFileSync(`fixtures/logs/${file}`, 'utf8');
  const lines = text.trimEnd().split('\n');
  const entries = entriesOf(text);

  it('shows nothing wrong if it is cut off anywhere', async () => {
    for (let end = 1; end < text.length; end += 37)
      expect(falseClaims(await callsIn(text.slice(0, end)), TRUTH), `cut at ${end}`).toEqual([]);
  });

  it('shows nothing wrong if one line is missing', async () => {
    for (const at of lines.keys())
      expect(falseClaims(await callsIn(lines.toSpliced(at, 1).join('\n')), TRUTH), `without line ${at + 1}`).toEqual(
        [],
      );
  });

  it('shows nothing wrong if each line is doubled', async () => {
    expect(falseClaims(await callsIn(lines.flatMap((line) => [line, line]).join('\n')), TRUTH)).toEqual([]);
  });

  it('shows nothing wrong if the lines of another player are between the lines', async () => {
    const others = entriesOf(ofOther(text));
    for (let turn = 1; turn <= 40; turn += 1) {
      const mixed: string[] = [];
      let [own, other, seed] = [0, 0, turn * 7919];
      while (own < entries.length || other < others.length) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        const isOwn = other >= others.length || (own < entries.length && (seed >> 16) % (1 + (turn % 6)) === 0);
        mixed.push((isOwn ? entries[own++] : others[other++]) ?? '');
      }
      const found = falseClaims(await callsIn(mixed.join('\n')), new Map([...TRUTH, ...OTHERS]));
      expect(found, `order ${turn}`).toEqual([]);
    }
  });
});
