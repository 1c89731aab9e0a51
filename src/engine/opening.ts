import type { Money } from '../contract/money.ts';
import { readReply } from '../judge/reading.ts';
import type { Wallet } from '../judge/wallet.ts';
import { evaluateMoney } from '../scenario/evaluate.ts';
import type { Plan } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import type { Cashier } from './cashier.ts';
import type { Halt } from './halt.ts';
import type { Performance } from './performance.ts';
import type { Casting } from './pool.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Sender } from './sender.ts';
import { accountOf, type Stage, sessionOf } from './stage.ts';
import { addressOf } from './target.ts';

interface Opening {
  readonly casting: Casting;
  readonly run: RunOptions;
  readonly sender: Sender;
  readonly plan: Plan;
}

/** How the operator writes a balance tells the decimals of a currency that isn't configured. */
export async function openingBalance({ casting, run, sender, plan }: Opening): Promise<string> {
  const main = sessionOf(casting, 'main');
  if (main.currency !== undefined) return '';
  const request = buildRequest({
    call: 'balance',
    ...addressOf(run.client),
    fields: { sessionID: main.sessionID },
  });
  const { outcome } = await sender.send({
    call: 'balance',
    request,
    scenario: plan.id,
    step: null,
    purpose: 'prepare',
  });
  return outcome.kind === 'reply' ? (readReply(outcome.reply).balance.written ?? '') : '';
}

/**
 * Notes what is in every wallet of the story before it begins, by a read where an earlier telling hasn't left it known, and
 * sees to it that there is enough.
 *
 * @param openings what was in each wallet before the first telling; completed here
 */
export async function openStory(
  stage: Stage,
  performance: Performance,
  cashier: Cashier,
  openings: Map<Wallet, Money>,
): Promise<Halt | null> {
  for (const { alias, wallet } of stage.wallets) {
    const left = wallet.moves.length === 0 ? wallet.certain() : undefined;
    if (left) stage.judge.reads.open(wallet, left);
    else {
      const { halt } = await performance.read(alias);
      if (halt) return halt;
    }
    const found = stage.judge.reads.lastRead(wallet);
    if (found && !openings.has(wallet)) openings.set(wallet, found);
  }
  const wanted = stage.plan.needs.balance;
  const wallet = stage.names.walletOf('main');
  const has = wallet?.certain();
  if (!wanted || !wallet || !has) return null;
  const needed = evaluateMoney(wanted, scopeOf(stage.names, undefined));
  if (has.compare(needed) >= 0) return null;
  // A story may end with nothing left, and nothing can be won back without a bet: so there is a stake more.
  const account = accountOf(stage, 'main');
  const raised = await cashier.bring(account, has, needed.plus(account.denomination.stake), 'prepare');
  if (raised) stage.judge.reads.open(wallet, raised);
  else stage.judge.reads.lose(wallet);
  return raised && raised.compare(needed) >= 0
    ? null
    : {
        verdict: 'skip',
        reason: `needs a balance of ${needed}; the session has ${has}, and could not be given more`,
        connection: false,
        causes: [],
        needed,
      };
}
