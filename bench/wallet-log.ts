import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { FORMATS, type FormatName, type LoggedCall } from './log-formats.ts';

/** The size of a log: the number of calls, and the number of players who made them in turn. */
interface LogSize {
  readonly calls: number;
  readonly players: number;
}

/** The number of calls between two bets of a player that are declined. */
const DECLINED = 40;
/** Each player with a multiple of this number is owed a win. */
const OWED = 50;
/** The time in ms from one call to the next. */
const PAUSE_MS = 25;

/**
 * Writes the log of a wallet. Each player asks twice for the balance, and then plays rounds of a bet and a win. Some bets are declined. A
 * few players are owed a win, because the wallet answered it with 500 and it was not sent again.
 */
export async function writeWalletLog(
  file: string,
  { calls, players }: LogSize,
  format: FormatName = 'json',
): Promise<void> {
  const output = createWriteStream(file);
  const balances = Array.from({ length: players }, () => 100_000_00);
  const linesOf = FORMATS[format];
  for (let call = 0; call < calls; call += 1) {
    const player = call % players;
    const turn = Math.floor(call / players) - 2;
    const made = { ...callOf(player, turn, balances), number: call, atMs: 1_795_266_187_000 + call * PAUSE_MS };
    if (!output.write(`${linesOf(made).join('\n')}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

/** Makes the next call of a player. A player has asked for the balance before turn 0. */
function callOf(player: number, turn: number, balances: number[]): Omit<LoggedCall, 'number' | 'atMs'> {
  const before = balances[player] ?? 0;
  const session = sessionOf(player);
  if (turn < 0)
    return { name: 'balance', session, request: null, status: 200, reply: JSON.stringify({ balance: money(before) }) };
  const isBet = turn % 2 === 0;
  // Two bets in a row are declined, so no round stays open.
  const isDeclined = turn % DECLINED >= DECLINED - 2;
  const isOwed = !isBet && player % OWED === 0 && turn === 1;
  const amount = isBet ? 500 : 600;
  const name = isBet || isDeclined ? 'bet' : 'win';
  const isAccepted = !isDeclined && !isOwed;
  const balance = !isAccepted ? before : name === 'bet' ? before - amount : before + amount;
  balances[player] = balance;
  const round = name === 'win' ? turn - 1 : turn;
  const request = JSON.stringify({
    amount: money(amount),
    roundID: idOf('r', player, round),
    sessionID: session,
    txID: idOf('t', player, turn),
    type: 'regular',
  });
  if (isDeclined)
    return { name, session, request, status: 402, reply: '{"code":"insufficient_funds","message":"Too low."}' };
  if (isOwed) return { name, session, request, status: 500, reply: '{"message":"Please try again later."}' };
  const reply = JSON.stringify({ balance: money(balance), txID: idOf('w', player, turn) });
  return { name, session, request, status: 200, reply };
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
