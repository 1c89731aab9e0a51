// A small operator for one client, on node:http and the SDK. Run it with `node examples/operator.ts`.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as sdk from 'croupier-conformance/sdk';

const key = process.env.INTEGRATION_API_KEY ?? 'play-money-key';
/** The wallet of each player. `units` counts the smallest unit of the currency, never as floating point. */
const wallets = new Map([['eva', { units: 100_000n, decimals: 2 }]]);
const sessions = new Map([['session-of-eva', 'eva']]);
/** The body and the reply of each call that was answered 200, by its txID. */
const answered = new Map<string, { body: string; reply: sdk.Reply }>();
const bets = new Map<string, { player: string; units: bigint }>();
const refunded = new Set<string>();

type Wallet = { units: bigint; decimals: number };
const decimal = ({ units, decimals }: Wallet): string => {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};
/** Reads an amount in the smallest unit. Undefined if it has more decimals than the currency. */
const unitsOf = (amount: string, decimals: number): bigint | undefined => {
  const [whole = '', fraction = ''] = amount.split('.');
  if (/[^0]/.test(fraction.slice(decimals))) return undefined;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
};
const done = (wallet: Wallet): sdk.Reply => sdk.success({ balance: decimal(wallet), txID: randomUUID() });

function bet(call: sdk.BetRequest, player: string, wallet: Wallet): sdk.Reply {
  const units = unitsOf(call.amount, wallet.decimals);
  if (units === undefined) return sdk.badRequest({ message: 'The amount has too many decimals.' });
  if (refunded.has(call.txID)) return sdk.conflict({ message: 'This bet was refunded before it arrived.' });
  // The contract lets an operator debit free bets or not. This operator does not debit them.
  const cost = call.type === 'free' ? 0n : units;
  if (cost > wallet.units) return sdk.insufficientFunds();
  wallet.units -= cost;
  bets.set(call.txID, { player, units: cost });
  return done(wallet);
}

function win(call: sdk.WinRequest, wallet: Wallet): sdk.Reply {
  const units = unitsOf(call.amount, wallet.decimals);
  if (units === undefined) return sdk.badRequest({ message: 'The amount has too many decimals.' });
  // This operator pays free wins at the end of the campaign, with the regular win that has its frID.
  wallet.units += call.type === 'free' ? 0n : units;
  return done(wallet);
}

/** Gives a bet back once, and marks an unknown bet, so that it is not debited when it arrives late. */
function refund(call: sdk.RefundRequest, wallet: Wallet): sdk.Reply {
  const original = bets.get(call.origTxID);
  const owner = original && wallets.get(original.player);
  if (original && owner && !refunded.has(call.origTxID)) owner.units += original.units;
  refunded.add(call.origTxID);
  return done(wallet);
}

function carryOut<Call extends { sessionID: string }>(
  verified: sdk.Verified<Call>,
  work: (call: Call, player: string, wallet: Wallet) => sdk.Reply,
): sdk.Reply {
  if (verified.kind === 'refused') return verified.reason === 'bad-signature' ? sdk.unauthorized() : sdk.badRequest();
  const player = sessions.get(verified.call.sessionID);
  const wallet = player === undefined ? undefined : wallets.get(player);
  if (player === undefined || wallet === undefined) return sdk.declined('session_not_found');
  if (!('txID' in verified.call)) return work(verified.call, player, wallet);
  const txID = String(verified.call.txID);
  const body = JSON.stringify(verified.call);
  const known = answered.get(txID);
  if (known) return known.body === body ? known.reply : sdk.conflict();
  const reply = work(verified.call, player, wallet);
  if (reply.status === 200) answered.set(txID, { body, reply });
  return reply;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const [path, query = ''] = (request.url ?? '').split('?');
  const signature = String(request.headers['x-request-sign'] ?? '');
  let reply = sdk.failure({ status: 404, message: 'There is nothing here.' });
  if (path === '/balance')
    reply = carryOut(sdk.verifyBalance({ query, signature, key }), (_call, _player, wallet) =>
      sdk.success({ balance: decimal(wallet) }),
    );
  if (path === '/bet') reply = carryOut(sdk.verifyBet({ body, signature, key }), bet);
  if (path === '/win')
    reply = carryOut(sdk.verifyWin({ body, signature, key }), (call, _player, wallet) => win(call, wallet));
  if (path === '/refund')
    reply = carryOut(sdk.verifyRefund({ body, signature, key }), (call, _player, wallet) => refund(call, wallet));
  response.writeHead(reply.status, reply.headers.flat()).end(reply.body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(`operator ${JSON.stringify(server.address())}`),
);
