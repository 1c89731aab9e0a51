import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { Attribution } from '../../../src/judge/attribution/attribution.ts';
import { StaleReadHistory } from '../../../src/judge/reads/stale-reads.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault, ToyRequest } from '../toy-wallet.ts';

/** Each round is a bet of 1, a read, a win of 3 and a read. */
const ROUNDS = `steps:${'\n  - bet: { amount: "1.00" }\n  - balance:\n  - win: { amount: "3.00" }\n  - balance:'.repeat(3)}`;

/** A wallet whose reads show the balance before the last call. */
function withOldReads(call: Fault): Fault {
  let before: Money | undefined;
  return (request, honest, wallet) => {
    if (request.call === 'balance') return { ...honest(), body: { balance: (before ?? wallet.balance()).format(2) } };
    before = wallet.balance();
    return call(request, honest, wallet);
  };
}

const shown = (call: Fault): readonly string[] =>
  judgeScenario(ROUNDS, { fault: withOldReads(call) })
    .findings.filter(({ shownByReplies }) => shownByReplies)
    .map(({ rule, wrongSum }) => `${rule} ${wrongSum?.amount}`);

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

  it('is not explained by the old reads', () => {
    const explained = (shownByReplies: boolean): number => {
      const staleReads = new StaleReadHistory();
      for (const _ of [1, 2]) staleReads.record(['bet', 'win'], false, 'em EUR');
      const attribution = new Attribution(staleReads);
      const at = {
        verdict: 'fail',
        endpoint: null,
        step: '1',
        place: null,
        exchange: 'x',
        expected: '',
        actual: '',
      } as const;
      attribution.add('old', [{ ...at, rule: 'balance.read', causes: [] }]);
      const finding = { ...at, rule: 'win.credit', causes: ['session.isolated'] } as const;
      attribution.add('s', [{ ...finding, ...(shownByReplies && { shownByReplies }) }], [], { unaware: true });
      return attribution.conclude().length;
    };
    expect([explained(false), explained(true)]).toEqual([1, 0]);
  });
});
