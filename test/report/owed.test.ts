import { expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import { ended, planned, runEnded, runStarted, started } from '../journal/events.ts';
import { reportOfEvents } from './journals.ts';

const story = planned('bet/debit', ['bet.debit']);
const start = runStarted([story]);
const sessions = [
  { sessionID: 's-1', player: 'anna', currency: 'USD', gameID: null, state: 'active' },
  { sessionID: 's-2', player: 'ben', currency: 'JPY', gameID: null, state: 'active' },
  { sessionID: 's-3', player: null, currency: null, gameID: null, state: 'active' },
] as const;
const refund = {
  event: 'owed',
  scenario: story.id,
  call: 'refund',
  sessionID: 's-1',
  txID: 'r-1',
  open: true,
  fields: { txID: 'r-1', origTxID: 'b-1', amount: '7.00' },
} as const;
/** A bet whose outcome is unknown, and the refund above, are one owed call. */
const bet = { ...refund, txID: 'b-1', fields: { txID: 'b-1', amount: '7.00' } } as const;
const balance = { event: 'balance-owed', open: true, wanted: '1000' } as const;
const balances: readonly JournalEvent[] = [
  { ...balance, sessionID: 's-1', missing: '94' },
  { ...balance, sessionID: 's-2', missing: '-800' },
  { ...balance, sessionID: 's-3', missing: null },
];
const run: readonly JournalEvent[] = [
  { ...start, settings: { ...start.settings, sessions } },
  started(story.id),
  ended(story.id),
  bet,
  refund,
  ...balances,
  runEnded(),
];

const SENTENCES = [
  'the refund r-1 of 7.00 USD for the bet b-1 in session s-1',
  'the balance of session s-1 (anna) will still be 94.00 USD too low after the owed calls are answered. It was 1000.00 USD before the run',
  'the balance of session s-2 (ben) is 800 JPY too high. It was 1000 JPY before the run',
  'the balance of session s-3 may be wrong by a sum that only a new read shows. It was 1000 before the run',
];

it.each(['terminal', 'markdown', 'html', 'junit', 'ctrf'])(
  'the %s report of a complete run names each owed call and balance with its sum',
  async (kind) => {
    const text = (await reportOfEvents(run, kind)).replaceAll(/\n +(?!!)/g, ' ').replaceAll('\\.', '.');
    for (const sentence of SENTENCES) expect(text.toLowerCase()).toContain(sentence.toLowerCase());
  },
);

it('the reports for programs and chats count the same calls and balances', async () => {
  const json = JSON.parse(await reportOfEvents(run, 'json')) as object;
  expect(json).toMatchObject({
    owed: [{ call: 'refund', txID: 'r-1' }],
    owedBalances: [
      { sessionID: 's-1', player: 'anna', currency: 'USD', wanted: '1000', missing: '94' },
      { sessionID: 's-2', player: 'ben', currency: 'JPY', missing: '-800' },
      { sessionID: 's-3', player: null, currency: null, missing: null },
    ],
    owedUnknown: null,
    settle: 'croupier settle .croupier/run.ndjson',
  });
  const metrics = await reportOfEvents(run, 'openmetrics');
  expect(metrics).toContain('croupier_calls_owed{client="acme"} 1\n');
  expect(metrics).toContain('croupier_balances_owed{client="acme"} 3\n');
  expect(await reportOfEvents(run, 'summary')).toContain(
    'Owed: 1 call and 3 balances (anna 94.00 USD too low, ben 800 JPY too high, s-3 by an unknown sum): croupier settle',
  );
});

const conforming = run.map((event) =>
  event.event === 'scenario-ended' ? ended(story.id, { passes: { 'bet.debit': { '*': 1 } } }) : event,
);

it.each(['terminal', 'markdown', 'html', 'summary', 'json', 'ctrf'])(
  'the verdict in the %s report of a conforming run says what the run still owes',
  async (kind) => {
    const text = (await reportOfEvents(conforming, kind)).replaceAll(/\\(?=[.()])/g, '');
    expect(text).toContain(
      'CONFORMING, BUT MONEY IS OWED: acme breaks none of 1 rule judged. Still owed: 1 call and 3 balances (94.00 USD too low, 800 JPY too high, 1 by an unknown sum).',
    );
  },
);

it('the last line of a conforming run that owes something names the command that settles it', async () => {
  const last = (text: string): string | undefined => text.trimEnd().split('\n').at(-1);
  expect(last(await reportOfEvents(conforming, 'terminal'))).toBe(
    'Exit status 0: conforming. Send what is still owed: croupier settle .croupier/run.ndjson',
  );
  const settled = [bet, refund, ...balances].map((event) => ({ ...event, open: false }) as JournalEvent);
  const text = await reportOfEvents([...conforming, ...settled], 'terminal');
  expect(text).not.toContain('Still owed');
  expect(last(text)).toBe('Exit status 0: conforming.');
});

it.each([
  ['was interrupted', [runEnded('interrupted', 'SIGINT')], 'Still owed: 1 call and 3 balances'],
  ['was cut off', [], 'by an unknown sum), and more that is not known.'],
])('the first line of a run that %s says what it owes, and the last line names the command', async (how, end, owed) => {
  const cut = [...run.filter(({ event }) => event !== 'run-ended'), ...end];
  const lines = (await reportOfEvents(cut, 'terminal')).trimEnd().split('\n');
  expect(lines[0]).toContain(`UNDECIDED: the run against acme ${how}. Still owed: `);
  expect(lines[0]).toContain(owed);
  expect(lines.at(-1)).toMatch(
    /^Exit status \d+: \w+\. Send what is still owed: croupier settle \.croupier\/run\.ndjson$/,
  );
});

it('no report names a call or a balance that was settled, or a debt of the embedded operator', async () => {
  const settled = [bet, refund, ...balances].map((event) => ({ ...event, open: false }) as JournalEvent);
  const embedded = run.map((event) => (event.event === 'run-started' ? { ...event, flags: ['--reference'] } : event));
  for (const events of [[...run, ...settled], embedded]) {
    expect(await reportOfEvents(events, 'terminal')).not.toContain('Owed');
    expect(JSON.parse(await reportOfEvents(events, 'json'))).toMatchObject({
      owed: [],
      owedBalances: [],
      settle: null,
    });
    expect(await reportOfEvents(events, 'junit')).not.toContain('nothing is owed');
  }
});

it('a run that was cut off is not called complete before croupier settle has worked on it', async () => {
  const cutOff = run.filter(({ event }) => event !== 'run-ended');
  expect(await reportOfEvents(cutOff, 'summary')).toContain('and more that is not known');
  expect(await reportOfEvents([...cutOff, { event: 'owed-known' }], 'summary')).not.toContain('more that is not known');
});
