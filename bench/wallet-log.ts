import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** The size of a log: the number of calls, and the number of players who made them in turn. */
interface LogSize {
  readonly calls: number;
  readonly players: number;
}

/** The number of calls between two bets of a player that are declined. */
const DECLINED = 40;
/** Each player with a multiple of this number is owed a win. */
const OWED = 50;

/**
 * Writes the log of a wallet as JSON lines. Each player plays rounds of a bet and a win, and some bets are declined. A few players are
 * owed a win, because the wallet answered it with 500 and it was not sent again.
 */
export async function writeWalletLog(file: string, { calls, players }: LogSize): Promise<void> {
  const output = createWriteStream(file);
  const balances = Array.from({ length: players }, () => 100_000_00);
  for (let call = 0; call < calls; call += 1) {
    const player = call % players;
    const turn = Math.floor(call / players);
    const line = lineOf(player, turn, balances);
    if (!output.write(`${JSON.stringify({ time: 1_795_266_187_000 + call * 5, ...line, durationMs: 20 })}\n`))
      await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

function lineOf(player: number, turn: number, balances: number[]) {
  const isBet = turn % 2 === 0;
  // Two bets in a row are declined, so no round stays open.
  const isDeclined = turn % DECLINED >= DECLINED - 2;
  const isOwed = !isBet && player % OWED === 0 && turn === 1;
  const amount = isBet ? 500 : 600;
  const name = isBet || isDeclined ? 'bet' : 'win';
  const isAccepted = !isDeclined && !isOwed;
  const before = balances[player] ?? 0;
  const balance = !isAccepted ? before : name === 'bet' ? before - amount : before + amount;
  balances[player] = balance;
  const round = name === 'win' ? turn - 1 : turn;
  const requestBody = JSON.stringify({
    amount: money(amount),
    roundID: idOf('r', player, round),
    sessionID: idOf('s', player, 0),
    txID: idOf('t', player, turn),
    type: 'regular',
  });
  const error = isDeclined
    ? { status: 402, responseBody: '{"code":"insufficient_funds","message":"Your balance is too low."}' }
    : { status: 500, responseBody: '{"message":"Please try again later."}' };
  const reply = { balance: money(balance), txID: idOf('w', player, turn) };
  return {
    method: 'POST',
    url: `/eu/${name}`,
    requestBody,
    ...(isAccepted ? { status: 200, responseBody: JSON.stringify(reply) } : error),
  };
}

/** Returns the id of the session in which a player has all rounds. */
export function sessionOf(player: number): string {
  return idOf('s', player, 0);
}

/** Returns an id with the length of a UUID. */
function idOf(kind: string, player: number, number: number): string {
  const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
  return `${hex(kind.codePointAt(0) ?? 0, 8)}-${hex(player % 65_536, 4)}-4${hex(number % 4096, 3)}-8000-${hex(player * 65_536 + number, 12)}`;
}

function money(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
