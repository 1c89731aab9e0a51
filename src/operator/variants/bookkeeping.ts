import { canonicalJson } from '../../contract/canonical.ts';
import { signBody, verifySignature } from '../../contract/signature.ts';
import type { SignedBody } from '../../sdk/reverse-call.ts';
import { type Behaviour, decisionOf } from '../behaviour.ts';
import { answeringLateBets } from '../defects/changed-steps.ts';
import { bodyOf, type Fields, textOf } from '../rewriting.ts';
import type { Claim, Store, Transaction } from '../store.ts';
import type { Variant } from '../variation.ts';

/**
 * Identifies transactions by their txID and a second key. Two transactions with the same txID and different second keys are
 * different transactions.
 */
function knowingBy(right: Behaviour, keyOf: (claim: Claim) => string | null): Partial<Behaviour> {
  const second = (claim: Claim): string => `${claim.txID} ${keyOf(claim)}`;
  return {
    find: (store, claim) => {
      const known = right.find(store, claim);
      return !known || keyOf(known) === keyOf(claim) ? known : right.find(store, { ...claim, txID: second(claim) });
    },
    record: (store, entry) => {
      const isTaken = store.transaction(entry.extCID, entry.txID) !== undefined;
      return right.record(store, isTaken ? { ...entry, txID: second(entry) } : entry);
    },
  };
}

/** Returns the accepted bet that a refund names; undefined if the refund names no accepted bet. */
function betOf(store: Store, { call, extCID, origTxID }: Claim): Transaction | undefined {
  const named = call === 'refund' && origTxID !== null ? store.transaction(extCID, origTxID) : undefined;
  return named?.call === 'bet' && named.outcome === 'done' ? named : undefined;
}

function vouching(right: Behaviour, isSigned: (signed: SignedBody) => boolean): Partial<Behaviour> {
  const { verify } = right;
  const vouch = (signed: SignedBody): SignedBody => ({
    ...signed,
    signature: isSigned(signed) ? signBody(signed.body, signed.key) : undefined,
  });
  return {
    verify: {
      ...verify,
      bet: (signed) => verify.bet(vouch(signed)),
      win: (signed) => verify.win(vouch(signed)),
      refund: (signed) => verify.refund(vouch(signed)),
    },
  };
}

/** Correct variants that store transactions differently, or check signatures differently. */
export const BOOKS_VARIANTS: readonly Variant[] = [
  {
    name: 'signature-over-canonical-form',
    description: 'The signature is checked against the body after it was parsed and written again as canonical JSON.',
    change: (right) =>
      vouching(right, ({ body, key, signature }) => {
        try {
          return verifySignature(canonicalJson(JSON.parse(Buffer.from(body).toString())), key, signature);
        } catch {
          return false;
        }
      }),
  },
  {
    name: 'signature-in-any-case',
    description: 'The wallet also accepts signatures in upper-case hexadecimal.',
    change: (right) => ({ signatureOf: (headers) => right.signatureOf(headers)?.toLowerCase() }),
  },
  {
    name: 'current-balance-on-replay',
    mayWarn: ['idempotency.same-reply'],
    description: 'The reply to a repeated call has the txID of the first reply, but the current balance.',
    change: (right) => ({
      recall: (earlier, again, store) => {
        const decision = right.recall(earlier, again, store);
        if (decision?.kind !== 'done' || again.walletID === null) return decision;
        const wallet = store.wallet(again.walletID);
        return { ...decision, balance: right.show(wallet, wallet.balance) };
      },
    }),
  },
  {
    name: 'replay-marked',
    description:
      'The reply to a repeated call is marked as a duplicate, and has the first balance without its trailing zeros.',
    change: (right) => {
      const done = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const txID = bodyOf(request)?.txID;
          const isReplay = done.has(txID);
          const reply = await right.receive(request, answer);
          if (reply.status !== 200 || txID === undefined) return reply;
          done.add(txID);
          if (!isReplay) return reply;
          const fields = JSON.parse(textOf(reply)) as Fields;
          const balance = String(fields.balance).replace(/\.0+$/, '');
          return { ...reply, body: JSON.stringify({ duplicate: true, ...fields, balance }) };
        },
      };
    },
  },
  {
    name: 'first-reply-whatever-the-body',
    description: 'A call with a processed txID gets the first reply, even if its other fields differ.',
    change: () => ({ recall: (earlier) => decisionOf(earlier) }),
  },
  {
    name: 'tx-id-with-round',
    description: 'A transaction is identified by its txID and its roundID together.',
    change: (right) => knowingBy(right, ({ roundID }) => roundID),
  },
  {
    name: 'tx-id-with-call',
    description: 'Bets, wins and refunds are stored separately: a win with the txID of a bet is another transaction.',
    change: (right) => knowingBy(right, ({ call }) => call),
  },
  {
    name: 'declined-bets-forgotten',
    description:
      'The wallet does not store a declined bet. If the same bet is sent again and there is enough money, the wallet accepts it.',
    change: (right) => ({
      record: (store, entry) =>
        entry.outcome === 'done' ? right.record(store, entry) : { ...entry, id: 0, reversedBy: null },
    }),
  },
  {
    name: 'late-bet-200',
    description: 'A bet that arrives after its own refund is answered 200, and takes nothing.',
    change: answeringLateBets,
  },
  {
    name: 'refunded-bet-409',
    description: 'A refunded bet that is sent again is answered 409, and takes nothing.',
    change: (right) => ({
      recall: (earlier, again, store) =>
        earlier.call === 'bet' && earlier.outcome === 'done' && earlier.reversedBy !== null
          ? { kind: 'declined', reason: 'bet-reversed' }
          : right.recall(earlier, again, store),
    }),
  },
  {
    name: 'win-after-refund-paid',
    description: 'The wallet credits a win although the only bet of its round was refunded.',
    change: () => ({ isCancelled: () => false }),
  },
  {
    name: 'free-bets-cost',
    description:
      'A free bet takes its amount from the wallet. Free wins are paid by the win at the end of the campaign.',
    change: (right) => ({ debitOf: (bet) => (bet.type === 'free' ? (bet.amount ?? 0n) : right.debitOf(bet)) }),
  },
  {
    name: 'free-wins-paid-at-once',
    description: 'Free wins are credited at once, and the win at the end of the campaign moves nothing more.',
    change: (right) => ({
      creditOf: (win) => (win.type === 'free' ? (win.amount ?? 0n) : win.frID === null ? right.creditOf(win) : 0n),
    }),
  },
  {
    name: 'withdrawal-ignored',
    description:
      'The win at the end of a campaign is answered 200, but not credited. The operator pays the bonus in another way.',
    change: (right) => ({ creditOf: (win) => (win.frID !== null ? 0n : right.creditOf(win)) }),
  },
  {
    name: 'withdrawal-on-top',
    description: 'Free wins are credited at once, and the win at the end of the campaign is credited as well.',
    change: () => ({ creditOf: (win) => win.amount ?? 0n }),
  },
  {
    name: 'refund-names-bet',
    description: 'The reply to a refund has the txID of the reply to the bet.',
    change: (right) => {
      const names = new Map<string, string>();
      return {
        record: (store, entry) => {
          const recorded = right.record(store, entry);
          const bet = betOf(store, entry);
          if (bet) names.set(`op-${recorded.id}`, `op-${bet.id}`);
          return recorded;
        },
        reply: (decision) =>
          right.reply(
            decision.kind === 'done' ? { ...decision, txID: names.get(decision.txID) ?? decision.txID } : decision,
          ),
      };
    },
  },
  {
    name: 'foreign-refund-pays-owner',
    mayWarn: ['refund.foreign-session'],
    description: 'If a refund names the bet of another player, that other player gets the money back.',
    change: (right) => ({
      record: (store, entry) => {
        const recorded = right.record(store, entry);
        const bet = betOf(store, entry);
        if (bet && bet.walletID !== null && bet.walletID !== entry.walletID && bet.reversedBy === null) {
          store.setBalance(bet.walletID, store.wallet(bet.walletID).balance - bet.moved);
          store.markReversed(bet.id, recorded.id);
        }
        return recorded;
      },
    }),
  },
];
