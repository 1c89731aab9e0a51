import { describe, expect, it } from 'vitest';
import { isCutOff, wasPrompt } from '../../../src/engine/calls/dispatch.ts';
import type { Exchange } from '../../../src/journal/exchange.ts';
import { operatorServer, ran, scenarioOf } from '../operator-server.ts';

const UNSIGNED = scenarioOf(
  'signature/unsigned',
  'rules: [signature.missing]\nsteps: [{ bet: }, { balance: }, { bet: , sign: missing, expect: refused }, { balance: }]',
);
/** A high deadline, so that a busy machine does not break it. */
const PATIENT = { deadlineMs: 4000 };

const isSigned = ({ request }: { readonly request: { readonly headers: object } }): boolean =>
  'x-request-sign' in request.headers;

describe('the settle time after a bet', () => {
  const plannedCalls = scenarioOf(
    'bet/late',
    'rules: [bet.declined-takes-nothing]\nsteps: [{ bet: , expect: either }, { balance: , after: linger }]',
  );
  const msUntilRead = async (status: number, lingerMs = 400): Promise<number> => {
    const { url } = await operatorServer(({ call }, tell) =>
      call === 'bet' ? { status, body: { message: 'Not now' } } : tell(),
    );
    const { events } = await ran(url, [plannedCalls], { ...PATIENT, lingerMs });
    const bet = events.find((event) => event.event === 'sending' && event.call === 'bet');
    const received = events.find(
      (event) => event.event === 'received' && bet?.event === 'sending' && event.id === bet.id,
    );
    const sent = events.find((event) => event.event === 'sending' && event.call === 'balance' && event.step === '2');
    const read = events.find(
      (event) => event.event === 'received' && sent?.event === 'sending' && event.id === sent.id,
    );
    if (received?.event !== 'received' || read?.event !== 'received') throw new Error('the story was not played');
    return read.stamps.start - received.stamps.end;
  };

  it.each([500, 502, 503, 504])(
    'croupier waits for the settle time after a %i, because the debit may still come',
    async (status) => {
      expect(await msUntilRead(status)).toBeGreaterThan(350);
    },
  );

  it('croupier does not wait after a 402, because it is a decline', async () => {
    // The settle time is so long that even a slow machine does not need it for a call.
    expect(await msUntilRead(402, 5000)).toBeLessThan(4000);
  });
});

describe('a connection that is closed on a call that must be refused', () => {
  it('counts as the operator’s answer if the operator closes the connection each time, and on no other call', async () => {
    const { url, wallet } = await operatorServer((called, tell) => {
      if (isSigned(called)) return tell();
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(run.verdict('signature.missing')).toBe('fail');
    expect(run.scenario('signature/unsigned')).toMatchObject({ attempt: 1, restored: true });
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('counts as an accident if the same call is answered later', async () => {
    let closed = 0;
    const { url } = await operatorServer((called, tell) => {
      if (isSigned(called) || closed > 0) return tell();
      closed += 1;
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(closed).toBe(1);
    expect(run.verdict('signature.missing')).toBe('pass');
  });

  it('is not blamed on the operator if other calls are not answered either', async () => {
    let isDown = false;
    const { url } = await operatorServer((called, tell) => {
      isDown ||= !isSigned(called);
      if (!isDown) return tell();
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(run.verdict('signature.missing')).toBe('inconclusive');
  });
});

const exchange = (sent: number | null, more: object = {}): Exchange =>
  ({
    connection: { id: 1, reused: false },
    stamps: { start: 100, resolved: null, connected: null, secured: null, sent, firstByte: null, end: 900 },
    outcome: { kind: 'none', reason: 'reset', detail: 'closed' },
    ...more,
  }) as unknown as Exchange;

it('an exchange counts as cut off if the whole request was sent and no byte of a reply came back', () => {
  expect(isCutOff(exchange(101))).toBe(true);
  expect(isCutOff(exchange(null))).toBe(false);
  expect(isCutOff(exchange(101, { outcome: { kind: 'reply' } }))).toBe(false);
});

it('a cut-off exchange counts only if its request was sent about as fast as the request for comparison', () => {
  expect(wasPrompt(exchange(103), exchange(102))).toBe(true);
  expect(wasPrompt(exchange(350), exchange(230))).toBe(true);
  expect(wasPrompt(exchange(230), exchange(120))).toBe(false);
  expect(wasPrompt(exchange(null), exchange(120))).toBe(false);
});
