import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatherCalls } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { walletSentence } from '../../../src/traffic/timeline/sentence.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { timelineByWallet } from '../../../src/traffic/timeline/timeline-by-wallet.ts';

const START = Date.parse('2026-11-23T14:00:00Z');
let clock = 0;

/** A line of a log. `owner` is the session, and the player if the line names it. */
function line(
  call: 'bet' | 'win',
  owner: string,
  tx: string,
  { round = `r-${tx.slice(1)}`, status = 200, balance = '' } = {},
) {
  const [session, player] = owner.split(' ');
  clock += 1;
  return JSON.stringify({
    time: new Date(START + clock * 1000).toISOString(),
    method: 'POST',
    path: `/${call}`,
    status,
    ...(player !== undefined && { player }),
    requestBody: {
      amount: '1.00',
      roundID: round,
      ...(session !== '' && { sessionID: session }),
      txID: tx,
      type: 'regular',
    },
    responseBody: status === 200 ? { balance, txID: `o-${tx}` } : { message: 'no' },
  });
}

/** Three players: one of them with two sessions, and one who is owed a win. */
const LOG = [
  line('bet', 's-1 anna', 'b1', { balance: '99.00' }),
  line('bet', 's-2', 'b2', { balance: '49.00' }),
  line('bet', 's-3', 'b3', { balance: '9.00' }),
  line('win', 's-2', 'w2', { status: 500 }),
  line('win', 's-1', 'w1', { balance: '100.00' }),
  line('bet', 's-2', 'b4', { balance: '48.00' }),
  line('win', 's-2', 'w4', { balance: '49.00' }),
  // The call names nobody, and its round belongs to the third session.
  line('win', '', 'w3', { balance: '10.00' }),
  line('bet', 's-4 anna', 'b5', { balance: '99.00' }),
  line('win', 's-4', 'w5', { balance: '100.00' }),
];

const sourcesOf = (lines: readonly string[]) => [
  {
    file: 'wallet.log',
    side: null,
    form: logForm(),
    async *open(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(`${lines.join('\n')}\n`));
    },
  },
];

async function byWallet(lines: readonly string[], maxCalls: number): Promise<IncidentTimeline> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wallets-'));
  try {
    const limits = { maxCalls, fewest: 0 };
    const found = await timelineByWallet(sourcesOf(lines), new Map(), undefined, {
      paths: new Map(),
      folder,
      ...limits,
    });
    if (found === null) throw new Error('the log has no calls');
    return found.timeline;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function atOnce(lines: readonly string[]): Promise<IncidentTimeline> {
  const { calls } = await gatherCalls(sourcesOf(lines), {}, new Map(), new Map());
  return buildTimeline(calls, {}, new Map());
}

const sentences = ({ wallets }: IncidentTimeline): readonly string[] => wallets.map(walletSentence).toSorted();

interface Logged {
  readonly time: string;
  readonly path: string;
  readonly status: number;
  readonly requestBody: object;
  readonly responseBody: object;
}

/** The ways in which programs write the request and the reply of a call on separate lines. */
const SPLITS: readonly [string, (call: string, at: number) => readonly string[]][] = [
  [
    'JSON with an id',
    (text, at) => {
      const { time, path: url, status, requestBody, responseBody } = JSON.parse(text) as Logged;
      return [
        JSON.stringify({ time, reqId: `req-${at}`, method: 'POST', url, body: requestBody }),
        JSON.stringify({ time, reqId: `req-${at}`, statusCode: status, body: responseBody }),
      ];
    },
  ],
  [
    'text with an id',
    (text, at) => {
      const { time, path: url, status, requestBody, responseBody } = JSON.parse(text) as Logged;
      const head = `${time} INFO [traceId=4bf92f3577b3${at}] c.e.w.Filter - `;
      return [
        `${head}Request: POST ${url} body=${JSON.stringify(requestBody)}`,
        `${head}Response: ${status} body=${JSON.stringify(responseBody)}`,
      ];
    },
  ],
  [
    'text without an id',
    (text) => {
      const { time, path: url, status, requestBody, responseBody } = JSON.parse(text) as Logged;
      return [
        `${time} INFO Request: POST ${url} body=${JSON.stringify(requestBody)}`,
        `${time} INFO Response: ${status} body=${JSON.stringify(responseBody)}`,
      ];
    },
  ],
];

/** Puts the second request before the reply to the first one. */
function interleaved(calls: readonly (readonly string[])[]): readonly string[] {
  const [first = [], second = [], ...rest] = calls;
  return [first[0] ?? '', second[0] ?? '', first[1] ?? '', second[1] ?? '', ...rest.flat()];
}

describe('a log that is read wallet by wallet', () => {
  it.each([1, 4, 100])('has the same result as a log that is read at once: %i calls at a time', async (maxCalls) => {
    const [parts, whole] = [await byWallet(LOG, maxCalls), await atOnce(LOG)];
    expect(whole.wallets).toHaveLength(3);
    expect(sentences(parts)).toEqual(sentences(whole));
    expect(parts.status).toBe(1);
    expect(parts.wallets.map(({ wallet }) => wallet)[0]).toBe('session s-2');
  });

  it('lists the calls of wallets with a problem, each with a number of its own', async () => {
    const { calls } = await byWallet(LOG, 4);
    expect(calls.map(({ seen }) => seen.txID)).toEqual(['b2', 'w2', 'b4', 'w4']);
    expect(new Set(calls.map(({ number }) => number)).size).toBe(4);
  });

  it.each(SPLITS)('has the same result if requests and replies are on separate lines: %s', async (_what, split) => {
    const lines = interleaved(LOG.filter((each) => each.includes('sessionID')).map((each, at) => split(each, at)));
    const [parts, whole] = [await byWallet(lines, 4), await atOnce(lines)];
    expect(sentences(parts)).toEqual(sentences(whole));
    expect(parts.status).toBe(whole.status);
  });

  it('accuses nobody if a call of another provider explains a wrong balance', async () => {
    const other = JSON.stringify({
      time: new Date(START + 100_000).toISOString(),
      method: 'POST',
      path: '/bet',
      status: 200,
      requestBody: { userId: '1', amount: '1.00' },
      responseBody: { ok: true },
    });
    const round = { round: 'r-9' };
    const first = line('bet', 's-9', 'b6', { balance: '50.00', ...round });
    const next = line('bet', 's-9', 'b7', { balance: '48.00', ...round });
    const win = line('win', 's-9', 'w7', { balance: '48.00', ...round }).replace('"1.00"', '"0.00"');
    const parts = await byWallet([first, other, next, win], 1);
    expect(parts.status).toBe(3);
    expect(sentences(parts)).toEqual([expect.stringContaining('the bet of another provider (wallet.log:2)')]);
    expect((await byWallet([first, next, win], 1)).status).toBe(1);
  });

  it('knows nothing for certain if a call about money belongs to nobody', async () => {
    const { status, wallets } = await byWallet([...LOG.slice(0, 3), line('win', '', 'w9', { balance: '10.00' })], 1);
    expect(status).toBe(3);
    expect(wallets.every(({ unknowns }) => unknowns.length > 0)).toBe(true);
  });
});

describe('a large log with few calls', () => {
  it('is read to its end only if the number of its calls must be certain', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => Buffer.from(`${line('bet', 's-1', `t${index}`)}\n`));
    const read = async (mayGuess: boolean): Promise<readonly unknown[]> => {
      const folder = mkdtempSync(path.join(tmpdir(), 'wallets-'));
      let chunks = 0;
      const [source] = sourcesOf([]);
      async function* open(): AsyncGenerator<Uint8Array> {
        for (const each of lines) {
          chunks += 1;
          yield await Promise.resolve(each);
        }
      }
      const bytes = lines.reduce((sum, { length }) => sum + length, 0);
      const limits = { fewest: 5000, mayGuess };
      try {
        const sources = source ? [{ ...source, bytes, open }] : [];
        const found = await timelineByWallet(sources, new Map(), undefined, { paths: new Map(), folder, ...limits });
        return [found, chunks < 1000];
      } finally {
        rmSync(folder, { recursive: true });
      }
    };
    expect(await read(true)).toEqual([null, true]);
    expect(await read(false)).toEqual([null, false]);
  });
});
