import { describe, expect, it } from 'vitest';
import { type Behaviour, operatorServer, type Ran, ran, scenarioOf } from '../operator-server.ts';

const PAID = scenarioOf(
  'bet/paid',
  'rules: [win.credit]\nsteps: [{ bet: { amount: "7.00" } }, { win: { amount: "3.00" } }]',
);
const LATER = scenarioOf(
  'win/later',
  'rules: [bet.debit]\nsteps: [{ bet: { amount: "2.75" } }, { win: { amount: "1.00" } }]',
);

/** Plays both scenarios. `lie` decides how the operator answers. */
async function played(lie: Behaviour) {
  const { url, wallet } = await operatorServer(lie);
  const run = await ran(url, [PAID, LATER]);
  return { ...run, wallet };
}

/** The calls that the run sent to settle what it owed, without the wins of 0. */
function settling({ events }: Ran): readonly string[] {
  return events.flatMap((event) =>
    event.event === 'sending' && event.purpose === 'settle' && event.scenario === null ? [event.call] : [],
  );
}

const UNAVAILABLE = { status: 502, body: 'no wallet', type: 'text/plain' } as const;

describe('at the end of a run', () => {
  it('calls that the operator did not answer for a while are sent again, and the balance is restored', async () => {
    let isBack = false;
    const run = await played(({ call, fields }, tell) => {
      isBack ||= call === 'bet' && fields?.amount === '2.75';
      return isBack || call !== 'win' ? tell() : UNAVAILABLE;
    });
    expect(run.events.filter((event) => event.event === 'owed' && event.open).length).toBeGreaterThan(0);
    expect({ owed: run.fold.owed, balances: run.fold.owedBalances }).toEqual({ owed: [], balances: [] });
    expect(run.wallet.balance().toString()).toBe('100');
    expect(settling(run)).toContain('win');
    expect(run.fold.notices.join('\n')).toMatch(/At the end of the run, croupier sent \d+ owed calls? again/);
  });

  it('a call that the operator has declined for good is not sent again', async () => {
    const run = await played(({ call, fields }, tell) =>
      call === 'win' && fields?.amount === '3.00' ? { status: 422, body: { message: 'No.' } } : tell(),
    );
    expect(run.fold.owed.length).toBeGreaterThan(0);
    expect(settling(run)).toEqual([]);
  });

  it('a call that fails while the operator answers other calls is sent again only twice', async () => {
    const run = await played(({ call, fields }, tell) =>
      call === 'win' && fields?.amount === '3.00' ? UNAVAILABLE : tell(),
    );
    const { length } = run.fold.owed;
    expect(length).toBeGreaterThan(0);
    expect(settling(run)).toHaveLength(2 * length);
  });

  it('only one call is sent again if no call of its kind was ever answered 200', async () => {
    const run = await played(({ call }, tell) => (call === 'win' ? UNAVAILABLE : tell()));
    expect(run.fold.owed.length).toBeGreaterThan(1);
    expect(settling(run)).toEqual(['win']);
  });
});
