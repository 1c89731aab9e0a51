import net from 'node:net';
import { KnownTransactions } from './known-transactions.ts';

/**
 * A wallet that does nothing but book, so that a benchmark of `croupier load` measures croupier and not the wallet. It checks no
 * signature. Every session is a wallet of its own with 1,000,000.00.
 *
 * It prints its address, and runs until its standard input ends.
 */
const OPENING = 100_000_000;
const balances = new Map<string, number>();
const known = new KnownTransactions();
/** The balance of a bet that was refunded: it takes nothing when it arrives, or arrives again. */
const REFUNDED = -1;

function unitsOf(amount: string): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

function written(units: number): string {
  return `${Math.trunc(units / 100)}.${String(units % 100).padStart(2, '0')}`;
}

const DECLINED = '{"code":"insufficient_funds","message":"Not enough money."}';

interface Fields {
  readonly amount: string;
  readonly sessionID: string;
  readonly txID: string;
  readonly origTxID?: string;
}

function book(call: string, { amount, sessionID, txID, origTxID }: Fields): string {
  const earlier = known.balanceAfter(txID);
  if (earlier !== undefined && earlier !== REFUNDED) return replyWith(earlier, txID);
  const old = balances.get(sessionID) ?? OPENING;
  const moved = call === 'win' ? unitsOf(amount) : call === 'bet' ? -unitsOf(amount) : restored(origTxID ?? '', amount);
  const balance = earlier === REFUNDED ? old : old + moved;
  if (balance < 0) return DECLINED;
  balances.set(sessionID, balance);
  known.set(txID, balance);
  return replyWith(balance, txID);
}

function replyWith(balance: number, txID: string): string {
  return `{"balance":"${written(balance)}","txID":"w-${txID}"}`;
}

/** A refund of an unknown bet pays nothing. The bet is then known as refunded. */
function restored(bet: string, amount: string): number {
  const isTaken = (known.balanceAfter(bet) ?? REFUNDED) !== REFUNDED;
  known.set(bet, REFUNDED);
  return isTaken ? unitsOf(amount) : 0;
}

function answer(head: string, body: string): string {
  if (!head.startsWith('GET')) return book(head.slice(6, head.indexOf(' ', 6)), JSON.parse(body) as Fields);
  const sessionID = decodeURIComponent(/sessionID=([^ &]*)/.exec(head)?.[1] ?? '');
  return `{"balance":"${written(balances.get(sessionID) ?? OPENING)}"}`;
}

const server = net.createServer((socket) => {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = pending.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      const body = pending.slice(end + 4, end + 4 + length);
      pending = pending.slice(end + 4 + length);
      const reply = answer(head, body);
      socket.write(
        `HTTP/1.1 ${reply === DECLINED ? '402 Payment Required' : '200 OK'}\r\nContent-Type: application/json\r\nContent-Length: ${reply.length}\r\n\r\n${reply}`,
      );
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
