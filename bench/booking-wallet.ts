import net from 'node:net';

/**
 * A wallet that does nothing but book, so that a benchmark of `croupier load` measures croupier and not the wallet. It checks no
 * signature. Every session is a wallet of its own with 1,000,000.00.
 *
 * It prints its address, and runs until its standard input ends.
 */
const OPENING = 100_000_000;
const balances = new Map<string, number>();
/** The replies to the latest transactions, and to those before them. Together they are at most twice this number. */
const MAX_KNOWN = 100_000;
let latest = new Map<string, string>();
let before = new Map<string, string>();
let transactions = 0;
/** Number of first transactions of each session that the wallet never forgets, because a load test sends one of them again at its end. */
const FIRST = 20;
/** The replies to the first transactions of all sessions. */
const first = new Map<string, string>();
/** Number of first transactions that are kept, by session. */
const kept = new Map<string, number>();

function replyTo(txID: string): string | undefined {
  return latest.get(txID) ?? before.get(txID) ?? first.get(txID);
}

function remember(txID: string, reply: string, sessionID: string): void {
  const count = kept.get(sessionID) ?? 0;
  if (count < FIRST) {
    first.set(txID, reply);
    kept.set(sessionID, count + 1);
    return;
  }
  latest.set(txID, reply);
  if (latest.size < MAX_KNOWN) return;
  // To delete the oldest entry of a large map one by one would take longer than to book.
  before = latest;
  latest = new Map();
}

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
  const earlier = replyTo(txID);
  if (earlier !== undefined && earlier !== '') return earlier;
  const old = balances.get(sessionID) ?? OPENING;
  const moved =
    call === 'win' ? unitsOf(amount) : call === 'bet' ? -unitsOf(amount) : restored(origTxID ?? '', amount, sessionID);
  const balance = earlier === '' ? old : old + moved;
  if (balance < 0) return DECLINED;
  balances.set(sessionID, balance);
  transactions += 1;
  const reply = `{"balance":"${written(balance)}","txID":"w-${transactions}"}`;
  remember(txID, reply, sessionID);
  return reply;
}

/** A refund of an unknown bet pays nothing. The bet is then known with an empty reply, and takes nothing when it arrives. */
function restored(bet: string, amount: string, sessionID: string): number {
  const isTaken = (replyTo(bet) ?? '') !== '';
  remember(bet, '', sessionID);
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
