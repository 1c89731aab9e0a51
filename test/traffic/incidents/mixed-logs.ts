import { harEntry } from './har-entry.ts';
import type { MixedEntry, MixedIncident } from './mixed-simulation.ts';
import type { Random } from './simulation.ts';

/** The form of a log file. */
export const FORMS = ['json', 'text', 'har'] as const;

type Form = (typeof FORMS)[number];

export const LOG_DAMAGES = [
  'none',
  'missing lines',
  'pause',
  'cut end',
  'doubled lines',
  'other order',
  'masked players',
  'masked sessions',
  'masked values',
  'clocks of servers',
  'whole seconds',
  'times of ends',
  'upper-case ids',
  'some upper-case ids',
  'no durations',
  'unreadable lines',
] as const;

export type LogDamage = (typeof LOG_DAMAGES)[number];

/** Lines are missing in these logs without a trace. */
export const SHORTENING: ReadonlySet<LogDamage> = new Set(['missing lines', 'pause']);

/** The form of one log and the damage to it. */
export interface LogWriting {
  readonly side: 'service' | 'operator';
  readonly form: Form;
  readonly damages: readonly LogDamage[];
}

export interface WrittenLog {
  readonly side: 'service' | 'operator';
  readonly text: string;
}

interface Line {
  readonly entry: MixedEntry;
  readonly isEdge: boolean;
  readonly text: string;
}

/** Writes the log of one side. */
export function writeMixedLog(
  { entries }: MixedIncident,
  { side, form, damages }: LogWriting,
  random: Random,
): WrittenLog {
  const mine = entries.filter((entry) => entry.side === side);
  const clocks = Array.from({ length: 3 }, () => random.whole(-3000, 3000));
  let lines = mine.map((entry): Line => {
    const shown = shownEntry(entry, damages, clocks, random);
    const { wallet } = entry;
    const ofWallet = mine.filter((other) => other.wallet === wallet);
    // The first and the last line of each wallet stay whole, so that the first and the last balance are in the log.
    const isEdge = entry === ofWallet[0] || entry === ofWallet.at(-1);
    return {
      entry,
      isEdge,
      text: form === 'text' ? textLine(shown) : JSON.stringify(form === 'har' ? harEntry(shown) : shown),
    };
  });
  for (const damage of damages) lines = damaged(lines, damage, random);
  const texts = lines.map(({ text }) => text);
  const whole =
    form === 'har'
      ? `{"log":{"version":"1.2","creator":{"name":"test"},"entries":[\n${texts.join(',\n')}\n]}}\n`
      : texts.map((text) => `${text}\n`).join('');
  return { side, text: damages.includes('cut end') ? whole.slice(0, -random.whole(2, 90)) : whole };
}

function damaged(lines: readonly Line[], damage: LogDamage, random: Random): Line[] {
  switch (damage) {
    case 'missing lines': {
      const share = random.pick([0.03, 0.1, 0.3]);
      return lines.filter(({ isEdge }) => isEdge || !random.chance(share));
    }
    case 'pause': {
      const from = random.whole(0, lines.length - 1);
      const to = from + random.whole(1, 6);
      return lines.filter(({ isEdge }, index) => isEdge || index < from || index > to);
    }
    case 'doubled lines':
      return lines.flatMap((line) => (random.chance(0.3) ? [line, line] : [line]));
    case 'other order':
      return lines
        .map((line, index) => ({ line, at: index + random.whole(0, 6) }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ line }) => line);
    case 'unreadable lines':
      return lines.map((line) =>
        line.isEdge || !random.chance(0.1)
          ? line
          : { ...line, text: line.text.slice(0, random.whole(40, line.text.length - 3)) },
      );
    case 'none':
    case 'cut end':
    case 'masked players':
    case 'masked sessions':
    case 'masked values':
    case 'clocks of servers':
    case 'whole seconds':
    case 'times of ends':
    case 'upper-case ids':
    case 'some upper-case ids':
    case 'no durations':
      return [...lines];
  }
}

/** A log entry as it is written. */
interface Shown {
  readonly ts: string;
  readonly pod?: string;
  readonly player: string;
  readonly currency: string;
  readonly method: string;
  readonly url: string;
  readonly requestBody?: string;
  readonly status?: number;
  readonly responseBody?: string;
  readonly error?: string;
  readonly durationMs?: number;
}

function shownEntry(
  entry: MixedEntry,
  damages: readonly LogDamage[],
  clocks: readonly number[],
  random: Random,
): Shown {
  const { call, side, tookMs, status, error, wallet } = entry;
  const has = (damage: LogDamage): boolean => damages.includes(damage);
  const isMasked = has('masked players');
  const pod = has('clocks of servers') ? random.whole(0, clocks.length - 1) : null;
  const aheadMs = (pod === null ? 0 : (clocks[pod] ?? 0)) + (side === 'operator' ? 700 : 0);
  const iso = new Date(entry.atMs + aheadMs + (has('times of ends') ? tookMs : 0)).toISOString();
  const session = isMasked || has('masked sessions') ? '***' : entry.session;
  const isUpper = has('upper-case ids') || (has('some upper-case ids') && random.chance(0.4));
  const idOf = (id: string | null): string | null => (isUpper ? (id?.toUpperCase() ?? null) : id);
  const hidden = has('masked values') && random.chance(0.12) ? random.pick(HIDDEN) : null;
  const fields = {
    amount: money(entry.cents ?? 0, wallet.decimals),
    roundID: entry.roundID,
    sessionID: session,
    txID: idOf(entry.txID),
    ...(call !== 'refund' && { type: entry.isFree === true ? 'free' : 'regular' }),
    ...(entry.isFree === true && { frID: 'f-1' }),
    ...(entry.origTxID !== null && { origTxID: idOf(entry.origTxID) }),
    ...(hidden !== null && hidden !== 'balance' && { [hidden]: '***' }),
  };
  return {
    ts: has('whole seconds') ? `${iso.slice(0, 19)}Z` : iso,
    ...(pod !== null && { pod: `svc-${pod}` }),
    player: isMasked ? '***' : `p${wallet.player}`,
    currency: wallet.currency,
    method: call === 'balance' ? 'GET' : 'POST',
    url: `https://wallet.example/eu/${call}${call === 'balance' ? `?sessionID=${session}` : ''}`,
    ...(call !== 'balance' && { requestBody: JSON.stringify(fields) }),
    ...(status !== null && { status, responseBody: replyBody(entry, hidden === 'balance') }),
    ...(error !== null && { error }),
    ...(!has('no durations') && { durationMs: tookMs }),
  };
}

/** The values that a logger may mask. */
const HIDDEN = ['amount', 'txID', 'balance', 'sessionID', 'origTxID', 'roundID'] as const;

function replyBody({ status, balance, replyTxID, wallet }: MixedEntry, isHidden: boolean): string {
  if (status !== 200)
    return JSON.stringify({ code: status === 402 ? 'insufficient_funds' : 'general_error', message: 'no' });
  const said = isHidden ? '***' : money(balance ?? 0, wallet.decimals);
  return JSON.stringify({ balance: said, ...(replyTxID !== null && { txID: replyTxID }) });
}

/** Writes an amount in the smallest units of its currency as a decimal. */
function money(units: number, decimals: number): string {
  if (decimals === 0) return String(units);
  const text = String(units).padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

function textLine({
  ts,
  pod,
  player,
  currency,
  method,
  url,
  requestBody,
  status,
  responseBody,
  error,
  durationMs,
}: Shown): string {
  const parts = [
    ts,
    'INFO',
    ...(pod === undefined ? [] : [`pod=${pod}`]),
    `player=${player}`,
    `currency=${currency}`,
    `${method} ${url}`,
    ...(requestBody === undefined ? [] : [`request=${requestBody}`]),
    ...(status === undefined ? [] : [`status=${status}`, `response=${responseBody}`]),
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(durationMs === undefined ? [] : [`duration_ms=${durationMs}`]),
  ];
  return parts.join(' ');
}
