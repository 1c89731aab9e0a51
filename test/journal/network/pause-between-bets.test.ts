import { expect, it } from 'vitest';
import { conclude } from '../../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { ended, exchange, planned, runEnded, runStarted, started } from '../events.ts';

const STORY = planned('bet/debit', ['bet.debit']);
const SESSION = { sessionID: 's-1', player: 'anna', currency: 'USD', gameID: null, state: 'active' } as const;
const REFUSED = '{"code":"TOO_FAST","message":"Please wait a moment."}';

/** A bet, the time in ms at which it was sent, and its reply. Each reply takes 5 ms. */
interface Sent {
  readonly at: number;
  readonly status?: number;
  readonly text?: string;
  readonly sessionID?: string;
  /** True if a win completed the round at once. Default: true. */
  readonly isWon?: boolean;
}

function text(data: string): { encoding: 'utf8'; data: string; length: number; truncated: false } {
  return { encoding: 'utf8', data, length: data.length, truncated: false };
}

function call(call: 'bet' | 'win', index: number, sent: Sent): JournalEvent[] {
  const { at, status = 200, sessionID = 's-1' } = sent;
  const [sending, received] = exchange(`${call}-${index}`, STORY.id);
  const body = text(JSON.stringify({ roundID: `round-${index}`, sessionID, txID: `${call}-${index}` }));
  const reply = { status, headers: [], body: text(sent.text ?? '{}') };
  return [
    { ...sending, call, request: { method: 'POST', url: `http://127.0.0.1:4000/${call}`, headers: [], body } },
    { ...received, outcome: { kind: 'reply', reply }, stamps: { ...received.stamps, start: at, end: at + 5 } },
  ];
}

/** The first line of the report of a run that is undecided, in which croupier placed these bets. */
async function firstLine(bets: readonly Sent[]): Promise<string> {
  const run = runStarted([STORY]);
  const sessions = [SESSION, { ...SESSION, sessionID: 's-2' }];
  const events = bets.flatMap((sent, index) => [
    ...call('bet', index, sent),
    ...(sent.isWon === false || sent.status !== undefined ? [] : call('win', index, { ...sent, at: sent.at + 6 })),
  ]);
  const fold = await foldJournal([
    { ...run, settings: { ...run.settings, sessions } },
    started(STORY.id),
    ...events,
    ended(STORY.id, { verdict: 'inconclusive', reason: 'the bet was not accepted' }),
    runEnded(),
  ]);
  return conclude(fold).firstLine;
}

const declined = (at: number, more: Partial<Sent> = {}): Sent => ({ at, status: 403, text: REFUSED, ...more });

it('names a rate if all declined bets came sooner after the last bet than the accepted ones', async () => {
  expect(await firstLine([{ at: 0 }, declined(50), declined(90), declined(205), { at: 405 }])).toMatch(
    / 3 declined bets came at most 0\.20 s after the last bet, and all accepted ones at least 0\.40 s after it: if a bet needs this pause, set `rate: 2\.5`\.$/,
  );
});

it('also names a rate if the pause is between two bets of one session, and not of one player', async () => {
  const other = { sessionID: 's-2' };
  const bets = [{ at: 0 }, { at: 20, ...other }, declined(50), declined(90), declined(205), { at: 405 }];
  expect(await firstLine(bets)).toContain('set `rate: 2.5`');
});

it('counts a bet that was declined for another reason, because the pause may begin with it', async () => {
  const lacks = (at: number): Sent => ({ at, status: 402, text: '{"code":"insufficient_funds"}' });
  const bets = [{ at: 0 }, { at: 405 }, lacks(5000), declined(5050), declined(5090), declined(5100)];
  expect(await firstLine(bets)).toContain('set `rate: 2.5`');
});

it.each<[string, readonly Sent[]]>([
  ['an accepted bet came as soon', [{ at: 0 }, { at: 100 }, declined(150), declined(190), declined(305), { at: 505 }]],
  ['bets are declined until the end', [{ at: 0 }, { at: 400 }, declined(450), declined(490), declined(900)]],
  ['no bet was accepted after another', [{ at: 0 }, declined(50), declined(90), declined(205)]],
  ['too few bets were declined', [{ at: 0 }, declined(50), declined(90), { at: 405 }]],
  [
    'a round was open, which may be the reason',
    [{ at: 0, isWon: false }, declined(50), declined(90), declined(205), { at: 405 }],
  ],
  [
    'the declines have nothing in common',
    [{ at: 0 }, ...[50, 90, 205].map((at) => declined(at, { text: `{"message":"No ${at}"}` })), { at: 405 }],
  ],
])('names no rate if %s', async (_why, bets) => {
  expect(await firstLine(bets)).not.toContain('rate');
});
