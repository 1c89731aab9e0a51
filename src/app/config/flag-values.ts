import { CURRENCY_CODE } from '../../contract/currencies.ts';
import type { SessionUnderTest } from '../../engine/run-options.ts';
import { nearest } from '../../scenario/near.ts';
import { UsageError } from '../exit-status.ts';

const FIELDS = ['player', 'currency', 'game', 'state'] as const;
/** The field `game` also has the name that it has in croupier.yaml. */
const GAME_ID = 'gameID';

/**
 * Reads the value of `--session`, such as `ID` or `ID,player=p1,currency=USD,game=catch,state=expired`. `gameID=` means the
 * same as `game=`.
 *
 * @throws UsageError that says what is wrong with the value
 */
export function readSession(text: string, flag = '--session'): SessionUnderTest {
  const reading = sessionFrom(text);
  if (typeof reading !== 'string') return reading;
  throw new UsageError(
    `${flag} ${text}: ${reading}\nWrite ${flag} ID, or ${flag} ID,player=p1,currency=USD,game=catch,state=expired`,
  );
}

/** Says what is wrong with the value of a session, as a clause that names no flag. Undefined if it is right. */
export function whyNoSession(text: string): string | undefined {
  const reading = sessionFrom(text);
  return typeof reading === 'string' ? reading : undefined;
}

/** Reads the value of a session. Returns a clause that says what is wrong if it can't be read. */
function sessionFrom(text: string): SessionUnderTest | string {
  const [sessionID = '', ...pairs] = text.split(',');
  if (sessionID === '') return 'the value must begin with the sessionID';
  const fields: Partial<Record<(typeof FIELDS)[number], string>> = {};
  for (const pair of pairs) {
    const [name, value] = split(pair);
    const field = name === GAME_ID ? 'game' : FIELDS.find((known) => known === name);
    if (!field) {
      const near = nearest(name, [...FIELDS, GAME_ID]);
      return near === undefined
        ? `${name} is unknown; the fields are player, currency, game (or ${GAME_ID}), state`
        : `${name}: did you mean ${near}?`;
    }
    if (!value) return `${name} needs a value`;
    fields[field] = value;
  }
  const { player, currency, game, state } = fields;
  if (state !== undefined && state !== 'active' && state !== 'expired') return 'state must be active or expired';
  if (currency !== undefined && !CURRENCY_CODE.test(currency)) return `${currency} is not the code of a currency`;
  return {
    sessionID,
    ...(player !== undefined && { player }),
    ...(currency !== undefined && { currency }),
    ...(game !== undefined && { gameID: game }),
    ...(state !== undefined && { state }),
  };
}

function split(pair: string): [name: string, value?: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair] : [pair.slice(0, at), pair.slice(at + 1)];
}

/**
 * Reads the URL at which others reach a server of croupier. Returns it without a slash at the end.
 *
 * @throws UsageError unless it is an http or https URL
 */
export function readPublicUrl(text: string, flag: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${flag} ${text}: it must be an http or https URL.`);
  return text.replace(/(?<!\/)\/+$/, '');
}

const MAX_PORT = 65_535;

/**
 * Reads the value of a port flag. Returns 0 without a value, and the system then chooses a free port.
 *
 * @throws UsageError unless the text is a number from 0 to 65535
 */
export function readPort(text: string | undefined, flag = '--port'): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : MAX_PORT + 1;
  if (port > MAX_PORT) throw new UsageError(`${flag} ${text}: a port must be a number from 0 to ${MAX_PORT}.`);
  return port;
}
