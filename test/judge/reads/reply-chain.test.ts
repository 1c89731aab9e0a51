import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { Attribution } from '../../../src/judge/attribution/attribution.ts';
import { ReplyChain, type ReplyLink } from '../../../src/judge/reads/reply-chain.ts';
import { StaleReadHistory } from '../../../src/judge/reads/stale-reads.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault, ToyRequest, ToyWallet } from '../toy-wallet.ts';
import { withOldReads } from './old-reads.ts';

/** Each round is a bet of 1, a read, a win of 3 and a read. */
const rounds = (count: number): string =>
  `steps:${'\n  - bet: { amount: "1.00" }\n  - balance:\n  - win: { amount: "3.00" }\n  - balance:'.repeat(count)}`;

const shown = (call: Fault, steps = rounds(3)): readonly string[] =>
  judgeScenario(steps, { fault: withOldReads(call) })
    .findings.filter(({ shownByReplies }) => shownByReplies)
    .map(({ rule, wrongSum }) => `${rule} ${wrongSum?.amount}`);

/** Pays no win. */
const losesWins: Fault = (request, honest, wallet) => {
  const reply = honest();
  if (request.call !== 'win') return reply;
  wallet.move('-3.00');
  return wallet.ok();
};

/** Takes 2.00 for each bet that is sent again. */
function takesAgain(): Fault {
  const seen = new Set<unknown>();
  return ({ call, fields }, honest, wallet) => {
    const isAgain = call === 'bet' && seen.has(fields?.txID);
    seen.add(fields?.txID);
    const reply = honest();
    if (isAgain) wallet.move('-2.00');
    return isAgain ? wallet.ok() : reply;
  };
}

describe('a wrong sum of a player whose reads are old', () => {
  it('is shown by the replies if the next reply continues from it', () => {
    const twice: Fault = (request, honest, wallet) => {
      const reply = honest();
      if (request.call !== 'win') return reply;
      wallet.move('3.00');
      return wallet.ok();
    };
    expect(new Set(shown(twice))).toEqual(new Set(['win.credit 3']));
  });

  it('is shown although the old read repeats the wrong balance, if the replies have proven that the reads are old', () => {
    expect(new Set(shown(losesWins, rounds(5)))).toEqual(new Set(['win.credit -3']));
  });

  it('is not reported by the old reads themselves, after the replies have proven that they are old', () => {
    const { findings } = judgeScenario(rounds(5), { fault: withOldReads(losesWins) });
    const fails = findings.filter(({ verdict, staleRead }) => verdict === 'fail' && !staleRead);
    const later = fails.slice(fails.findIndex(({ shownByReplies }) => shownByReplies));
    expect(later.map(({ shownByReplies }) => shownByReplies)).toEqual([true]);
  });

  it('is not shown by replies that are right', () => expect(shown((_request, honest) => honest())).toEqual([]));

  it.each([
    ['each bet', ({ call }) => call === 'bet'],
    ['each win', ({ call }) => call === 'win'],
    ['the first bet', ({ key }) => key === '1'],
  ] satisfies [string, (request: ToyRequest) => boolean][])('is not shown by wrong replies to %s', (_name, isWrong) => {
    const tooHigh: Fault = (request, honest, wallet) => {
      const reply = honest();
      return isWrong(request) ? wallet.ok('p1', wallet.balance().plus(Money.of('0.01'))) : reply;
    };
    expect(shown(tooHigh)).toEqual([]);
  });

  it('of a repeated bet is shown if the next reply continues from it', () => {
    const steps = `steps:
  - bet: { amount: "1.00" }
  - win: { amount: "3.00" }
  - bet: { amount: "2.00" }
    as: first
  - balance:
  - resend: first
  - balance:
  - win: { amount: "4.00" }
  - balance:`;
    const again = (isStored: boolean): readonly string[] => {
      const seen = new Map<unknown, ReturnType<ToyWallet['ok']>>();
      const fault: Fault = ({ call, fields }, honest, wallet) => {
        const first = seen.get(fields?.txID);
        const reply = honest();
        if (first && !isStored) wallet.move('-2.00');
        if (!first && call !== 'balance') seen.set(fields?.txID, wallet.ok());
        return first ? (isStored ? first : wallet.ok()) : reply;
      };
      return judgeScenario(steps, { fault: withOldReads(fault) })
        .findings.filter(({ shownByReplies }) => shownByReplies)
        .map(({ rule, wrongSum }) => `${rule} ${wrongSum?.amount}`);
    };
    expect([again(false), again(true)]).toEqual([['idempotency.bet -2'], []]);
  });

  it('of several repeated calls in a row is shown if the next new call continues from it', () => {
    const steps = `${rounds(5)}
  - bet: { amount: "2.00" }
    as: first
  - balance:
  - resend: first
  - balance:
  - resend: first
  - balance:
  - win: { amount: "4.00" }
  - balance:`;
    expect(shown(takesAgain(), steps)).toEqual(['idempotency.bet -2']);
  });

  it('of a repeated win is shown although the reply to a repeated bet before it is the stored one', () => {
    const steps = `${rounds(5)}
  - bet: { amount: "2.00" }
    as: first
  - win: { round: first, amount: "5.00" }
    as: won
  - balance:
  - resend: first
  - balance:
  - resend: won
  - balance:
  - bet: { amount: "4.00" }
  - balance:`;
    const pays = (sum: string): Fault => {
      const seen = new Set<unknown>();
      return ({ call, fields }, honest, wallet) => {
        const isAgain = call === 'win' && seen.has(fields?.txID);
        seen.add(fields?.txID);
        const reply = honest();
        if (isAgain) wallet.move(sum);
        return isAgain ? wallet.ok() : reply;
      };
    };
    // The repeated bet may have taken 2.00 too.
    expect([shown(pays('5.00'), steps), shown(pays('3.00'), steps)]).toEqual([['idempotency.win 5'], []]);
  });

  it('of a bet with a used txID in another session is shown if the next reply continues from it', () => {
    const steps = `needs: { second: { player: same } }
steps:
  - bet: { amount: "1.00" }
  - win: { amount: "3.00" }
  - bet: { amount: "2.00" }
    as: first
  - balance:
  - call: bet
    with: { round: first, amount: "2.00", txID: "\${first.txID}", session: second }
    expect: either
  - balance:
  - win: { round: first, amount: "4.00" }
  - balance:`;
    expect([shown(takesAgain(), steps), shown((_request, honest) => honest(), steps)]).toEqual([
      ['idempotency.conflicting-body -2'],
      [],
    ]);
  });

  it('is reported in the next scenario, if the first call there continues from it', () => {
    const chain = new ReplyChain();
    const link = (step: string, call: 'bet' | 'refund', said: string, delta: string) =>
      ({
        rule: call === 'bet' ? 'bet.debit' : 'refund.restore',
        step: { key: step, call },
        exchange: step,
        said: Money.of(said),
        delta: call === 'bet' ? Money.of(delta).negated() : Money.of(delta),
        alsoAbout: [],
      }) as unknown as ReplyLink;
    chain.add(link('1', 'bet', '9', '1'), true);
    chain.add(link('2', 'bet', '7', '2'), true);
    chain.add(link('3', 'refund', '8', '2'), true);
    chain.begin();
    expect(chain.add(link('4', 'bet', '5', '3'), true)).toMatchObject({ exchange: '3', isOfEarlier: true });
  });

  it('is shown by the reads again if an old balance becomes right', () => {
    const history = new StaleReadHistory();
    for (const _ of [1, 2]) history.repliesOf('em EUR').noteOldRead();
    const before = history.areReadsOld('em EUR');
    history.record(['win'], true, 'em EUR');
    expect([before, history.areReadsOld('em EUR')]).toEqual([true, false]);
  });

  const at = {
    verdict: 'fail',
    endpoint: null,
    step: '1',
    place: null,
    exchange: 'x',
    expected: '',
    actual: '',
  } as const;
  const finding = { ...at, rule: 'win.credit', causes: ['session.isolated'] } as const;

  it('leaves breaches of the same rule that only the old reads show to the rule about reads', () => {
    const staleReads = new StaleReadHistory();
    for (const _ of [1, 2]) {
      staleReads.record(['bet', 'win'], false, 'em EUR');
      staleReads.repliesOf('em EUR').noteOldRead();
    }
    const attribution = new Attribution(staleReads);
    attribution.add('old', [{ ...at, rule: 'balance.read', causes: [] }]);
    const facts = { unaware: true, walletIDs: ['em EUR'] };
    attribution.add('by reads', [finding], [], facts);
    attribution.add('by replies', [{ ...finding, shownByReplies: true }], [], facts);
    expect(attribution.conclude()).toMatchObject([{ scenario: 'by reads', because: 'balance.read' }]);
  });

  it('is not explained by the old reads', () => {
    const explained = (shownByReplies: boolean): number => {
      const staleReads = new StaleReadHistory();
      for (const _ of [1, 2]) staleReads.record(['bet', 'win'], false, 'em EUR');
      const attribution = new Attribution(staleReads);
      attribution.add('old', [{ ...at, rule: 'balance.read', causes: [] }]);
      attribution.add('s', [{ ...finding, ...(shownByReplies && { shownByReplies }) }], [], { unaware: true });
      return attribution.conclude().length;
    };
    expect([explained(false), explained(true)]).toEqual([1, 0]);
  });
});
