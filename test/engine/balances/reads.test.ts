import { describe, expect, it } from 'vitest';
import { type Behaviour, operatorServer, ran, scenarioOf } from '../operator-server.ts';

/** Plays one scenario about bets. The deadline is high, so that a busy machine does not break it. */
async function played(steps: string, behaviour: Behaviour, lingerMs = 50) {
  const { url } = await operatorServer(behaviour);
  const run = await ran(url, [scenarioOf('bet/one', `rules: [bet.debit]\nsteps: ${steps}`)], {
    deadlineMs: 4000,
    lingerMs,
  });
  const purposes = run.events.flatMap((event) =>
    event.event === 'sending' && event.call === 'balance' ? [event.purpose] : [],
  );
  return { run, purposes, ended: run.scenario('bet/one') };
}

const BET_AND_READ = '[{ bet: }, { balance: }]';

/** Shows the balance from before the bet in a number of reads. */
function staleFor(reads: number): Behaviour {
  let left = 0;
  let before: string | undefined;
  return ({ call }, tell, wallet) => {
    if (call === 'bet') {
      before = wallet.balance().format(2);
      left = reads;
    }
    if (call !== 'balance' || left === 0 || before === undefined) return tell();
    left -= 1;
    return { status: 200, body: { balance: before } };
  };
}

describe('a read of the balance', () => {
  it('a read is repeated while the operator is busy, and then judged', async () => {
    let reads = 0;
    const { ended, purposes } = await played(BET_AND_READ, ({ call }, tell) => {
      if (call === 'balance') reads += 1;
      return call === 'balance' && (reads === 2 || reads === 3) ? { status: 429, body: { message: 'Busy' } } : tell();
    });
    expect(ended).toMatchObject({ verdict: 'pass', attempt: 1 });
    expect(purposes.filter((purpose) => purpose === 'step')).toHaveLength(3);
  });

  it('a read that shows an old balance is repeated until it shows the bet, and the finding says that the balance was late', async () => {
    const { run, purposes } = await played(BET_AND_READ, staleFor(2), 400);
    expect(purposes).toContain('probe');
    const [late] = run.findings('bet.debit').filter(({ verdict }) => verdict === 'fail');
    expect(late?.actual).toBe('the balance was 100, and 99 when it was read again a little later');
  });

  it('a read with `eventually` is repeated while the balance is wrong, but not longer than the given time', async () => {
    const { purposes } = await played(
      '[{ bet: }, { balance: , eventually: 1500ms, expect: { moves: "-5.00" } }]',
      (_called, tell) => tell(),
    );
    expect(purposes.filter((purpose) => purpose === 'step').length).toBeGreaterThan(1);
  });

  it('a wallet whose balance changes with each read breaks the rule about reads', async () => {
    const { run } = await played(BET_AND_READ, ({ call }, tell, wallet) => {
      if (call === 'balance') wallet.move('1.00');
      return tell();
    });
    expect(run.verdict('balance.read-only')).toBe('fail');
    expect(run.verdict('bet.debit')).not.toBe('fail');
  });
});
