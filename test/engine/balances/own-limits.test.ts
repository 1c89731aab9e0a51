import { describe, expect, it } from 'vitest';
import type { ToyReply } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const AGAIN = scenarioOf(
  'signature/again',
  'rules: [signature.no-effect]\nsteps: [{ bet: , as: bad, sign: garbage, expect: refused }, { balance: }, { resend: bad, sign: valid }, { balance: }]',
);
const FURTHER = scenarioOf(
  'bet/further',
  'rules: [bet.many-in-round]\nsteps: [{ bet: , as: a }, { bet: { round: a } }, { balance: }]',
);

const FREE = scenarioOf('free-rounds/one', 'rules: [free-rounds.bet]\nsteps: [{ bet: { type: free } }, { balance: }]');

/** Bets between two whole amounts: with two decimals, with an amount that is written short, and with an amount that is too high. */
const DECIMALS = [
  'rules: [bet.decimal-amount]\nsteps: [{ bet: }, { bet: { amount: "4.00" } }, { bet: { amount: "1.01" } }, { balance: }]',
  'rules: [bet.decimal-amount]\nsteps: [{ bet: }, { bet: { amount: "4.00" } }, { bet: { amount: "1.5" } }, { balance: }]',
  'rules: [bet.insufficient-funds]\nsteps: [{ bet: { amount: "${balance}" }, as: all }, { win: { round: all, amount: "${all.amount}" } }, { bet: }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
].map((yaml, number) => scenarioOf(`bet/decimals-${number}`, yaml));

const declined = (message: string): ToyReply => ({ status: 409, body: { code: 'OWN', message } });

/** An operator that declines every second bet that it receives with the right signature, as if it needed a pause. */
function withPauses(): Behaviour {
  let bets = 0;
  return ({ call, signedRight }, tell) => {
    if (call !== 'bet' || !signedRight) return tell();
    bets += 1;
    return bets % 2 === 0 ? declined(`Please wait ${bets} seconds.`) : tell();
  };
}

describe('a bet that is declined in the operator’s own words', () => {
  it('is no breach if plain bets are declined in the same words, apart from numbers', async () => {
    const { url, wallet } = await operatorServer(withPauses());
    const run = await ran(url, [FURTHER]);
    expect(new Set(run.findings().map(({ rule, verdict }) => `${verdict} ${rule}`))).toEqual(
      new Set(['skip bet.many-in-round']),
    );
    expect(run.findings('bet.many-in-round')[0]?.actual).toContain('own limit');
    expect(run.findings('bet.many-in-round')[0]?.actual).toContain('Please wait 2 seconds.');
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('is a breach if plain bets are accepted at the same time, and these are won back', async () => {
    const used = new Set<unknown>();
    const { url, wallet, calls } = await operatorServer(({ call, signedRight, fields }, tell) => {
      if (call === 'bet' && used.has(fields?.txID)) return declined('This transaction is known.');
      if (call === 'bet' && !signedRight) used.add(fields?.txID);
      return tell();
    });
    const run = await ran(url, [AGAIN]);
    expect(run.verdict('signature.no-effect')).toBe('fail');
    const bets = calls.filter(({ call }) => call === 'bet');
    // The scenario is played twice, because a bet that is declined only once may have met a limit. Each attempt has two plain bets.
    expect(bets).toHaveLength(8);
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('is no breach for a free bet if the operator accepts the next free bet, which is refunded', async () => {
    let bets = 0;
    const { url, wallet, calls } = await operatorServer(({ call, fields }, tell) => {
      const isFree = call === 'bet' && fields?.type === 'free';
      if (isFree) bets += 1;
      return isFree && bets === 1 ? declined('You have played for an hour.') : tell();
    });
    const run = await ran(url, [FREE], { campaign: 'spring' });
    expect(run.verdict('free-rounds.bet')).toBe('skip');
    expect(run.findings('free-rounds.bet')[0]?.actual).toContain('You have played for an hour.');
    const free = calls.findLast(({ call, fields }) => call === 'bet' && fields?.type === 'free');
    expect(free?.fields).toMatchObject({ frID: 'spring', amount: '1.00' });
    expect(calls.some(({ call, fields }) => call === 'refund' && fields?.origTxID === free?.fields?.txID)).toBe(true);
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('is a breach for a free bet if the operator declines free bets alone, and all of them', async () => {
    const { url } = await operatorServer(({ call, fields }, tell) =>
      call === 'bet' && fields?.type === 'free' ? declined('No free rounds.') : tell(),
    );
    const run = await ran(url, [FREE], { campaign: 'spring' });
    expect(run.verdict('free-rounds.bet')).toBe('fail');
  });

  it.each([
    ['multiples of 0.50', /^\d+(\.[05]0?)?$/, ['warn', 'pass', 'skip']],
    ['multiples of 0.20', /^\d+(\.[02468]0?)?$/, ['warn', 'warn', 'skip']],
    ['one decimal', /^\d+(\.\d0?)?$/, ['warn', 'pass', 'skip']],
    ['whole amounts', /^\d+(\.00)?$/, ['fail', 'fail', 'skip']],
    ['amounts that are written with two decimals', /^\d+\.\d\d$/, ['pass', 'fail', 'pass']],
  ])('is compared with bets of other amounts if the operator accepts only %s', async (_, accepted, verdicts) => {
    const { url, wallet } = await operatorServer(({ call, fields }, tell) =>
      call === 'bet' && !accepted.test(JSON.stringify(fields?.amount ?? null).replaceAll('"', ''))
        ? declined('Please bet a valid amount.')
        : tell(),
    );
    const found: unknown[] = [];
    for (const scenario of DECIMALS) {
      const run = await ran(url, [scenario], {}, [P1]);
      found.push(run.verdict(scenario.id.endsWith('2') ? 'bet.insufficient-funds' : 'bet.decimal-amount'));
    }
    expect(found).toEqual(verdicts);
    const together = await ran(url, DECIMALS.toReversed(), { workers: 1 }, [P1]);
    expect(together.verdict('bet.decimal-amount')).toBe(found.includes('fail') ? 'fail' : 'warn');
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('is not excused by a limit that the operator has only in another currency', async () => {
    const euro = { sessionID: 's3', player: 'p3', currency: 'EUR', gameID: 'catch' };
    const { url } = await operatorServer(
      ({ call, fields }, tell) =>
        call === 'bet' && !/^\d+(\.00)?$/.test(JSON.stringify(fields?.amount ?? null).replaceAll('"', ''))
          ? declined('Please bet a valid amount.')
          : tell(),
      { sessions: [P1, euro] },
    );
    const inEuro = scenarioOf(
      'bet/euro',
      'rules: [bet.debit]\nneeds: { currency: { code: EUR } }\nsteps: [{ bet: }, { balance: }]',
    );
    const inDollars = scenarioOf(
      'bet/dollars',
      'rules: [bet.decimal-amount]\nneeds: { currency: { code: USD } }\nsteps: [{ bet: }, { bet: { amount: "4.00" } }, { bet: { amount: "1.01" } }, { balance: }]',
    );
    const options = { workers: 1, stakes: { EUR: '0.50' } };
    const run = await ran(url, [inEuro, inDollars], options, [P1, euro]);
    expect([run.scenario('bet/euro').verdict, run.verdict('bet.decimal-amount')]).toEqual(['skip', 'fail']);
  });

  it('is compared with plain bets at most three times, and not at all once the reason is known', async () => {
    const further = Array.from({ length: 5 }, (_, number) =>
      scenarioOf(
        `bet/further-${number}`,
        'rules: [bet.many-in-round]\nsteps: [{ bet: , as: a }, { bet: { round: a } }, { balance: }]',
      ),
    );
    const probesOf = async (behaviour: Behaviour): Promise<number> => {
      const { url } = await operatorServer(behaviour);
      const { events } = await ran(url, further, {}, [P1]);
      return events.filter((event) => event.event === 'sending' && event.purpose === 'probe' && event.call === 'bet')
        .length;
    };
    const rounds = new Set<unknown>();
    const onePerRound: Behaviour = ({ call, fields }, tell) => {
      if (call === 'bet' && rounds.has(fields?.roundID)) return declined('One bet per round.');
      if (call === 'bet') rounds.add(fields?.roundID);
      return tell();
    };
    expect(await probesOf(onePerRound)).toBe(6);
    expect(await probesOf(withPauses())).toBe(2);
  });
});
