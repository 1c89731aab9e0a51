import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { entriesIn } from '../entries-in.ts';

/** Returns the calls of a log with their txIDs and statuses, and the reason for each line that can't be read. */
async function shown(lines: readonly string[]): Promise<readonly string[]> {
  const entries = await entriesIn(lines.join('\n'));
  return entries.flatMap((entry) => {
    if (entry.kind === 'unreadable') return [`${entry.line}: ${entry.why}`];
    const call = entry.kind === 'exchange' ? recordedCall(entry.exchange) : undefined;
    if (!call) return [];
    const { answer } = call.exchange;
    return [`${call.call} ${call.txID ?? '?'} ${answer.kind === 'reply' ? answer.status : answer.kind}`];
  });
}

const LOST = 'the log does not show to which request this body belongs';

describe('the log of Rails', () => {
  const prefix = (tag: string): string => `I, [2026-11-23T13:03:07.123456 #12]  INFO -- : ${tag}`;
  const started = (tag: string): string =>
    `${prefix(tag)}Started POST "/wallet/bet" for 10.0.0.1 at 2026-11-23 13:03:07 +0000`;
  const parameters = (tag: string, tx: string): string =>
    `${prefix(tag)}  Parameters: {"amount"=>"5.00", "sessionID"=>"s-1", "txID"=>"${tx}", "wallet"=>{"txID"=>"${tx}"}}`;
  const completed = (tag: string, status: string): string => `${prefix(tag)}Completed ${status} in 42ms (Views: 0.2ms)`;

  it('shows which lines belong to one request if they have a tag', async () => {
    const [a, b] = ['[7b0e9a1c-22d4-4c6b-9f35-6a1d0c5e8f01] ', '[7b0e9a1c-22d4-4c6b-9f35-6a1d0c5e8f02] '];
    const lines = [
      started(a),
      started(b),
      parameters(b, 'b-2'),
      parameters(a, 'b-1'),
      completed(b, '402 Payment Required'),
      completed(a, '200 OK'),
    ];
    expect(await shown(lines)).toEqual(['bet b-2 402', 'bet b-1 200']);
  });

  it('leaves open whose the bodies are if requests without a tag are in progress at once', async () => {
    const lines = [
      started(''),
      started(''),
      parameters('', 'b-2'),
      parameters('', 'b-1'),
      completed('', '402 Payment Required'),
      completed('', '200 OK'),
    ];
    expect(await shown(lines)).toEqual(['bet b-2 unknown', `4: ${LOST}`]);
  });

  it('counts a body without its request as unread', async () => {
    expect(await shown(['first line', parameters('', 'b-1')])).toContain(`2: ${LOST}`);
  });
});

describe('the HTTP logging of ASP.NET Core', () => {
  const head = (event: number): string =>
    `2026-11-23T13:03:07.100Z info: Microsoft.AspNetCore.HttpLogging.HttpLoggingMiddleware[${event}]`;
  const sent = (tx: string): string =>
    `      RequestBody: {"amount":"5.00","roundID":"r","sessionID":"s-1","txID":"${tx}"}`;
  const asked = [head(1), '      Request:', '      Method: POST', '      PathBase: /eu', '      Path: /bet'];
  const replied = [
    head(2),
    '      Response:',
    '      StatusCode: 200',
    head(4),
    '      ResponseBody: {"balance":"1.00"}',
  ];

  it('is read if each part is an entry of its own', async () => {
    expect(await shown([...asked, head(3), sent('b-1'), ...replied])).toEqual(['bet b-1 200']);
  });

  it('is read if an entry has all parts', async () => {
    const lines = [head(9), ...asked.slice(1), '      StatusCode: 402', sent('b-1'), '      Duration: 4.2'];
    expect(await shown(lines)).toEqual(['bet b-1 402']);
  });

  it('leaves open whose the bodies are if several requests are in progress at once', async () => {
    const lines = [...asked, ...asked, head(3), sent('b-2'), head(3), sent('b-1'), ...replied, ...replied];
    expect(await shown(lines)).toEqual(['bet b-2 unknown', expect.stringContaining(LOST)]);
  });
});
