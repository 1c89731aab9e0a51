import { nearest } from '../../../scenario/near.ts';
import type { CallSelection } from '../../../traffic/call-selection.ts';
import type { NamedIDs } from '../../../traffic/read/named-ids.ts';

/** The flags that select calls by an id. */
const ID_FLAGS = ['player', 'session', 'round', 'tx'] as const;

type IDFlag = (typeof ID_FLAGS)[number];

/** Maximum number of ids that a message lists. */
const MAX_LISTED = 5;

/** Says why a selection matches no call, and which selection would match some calls. */
export function whyNoneSelected(selection: CallSelection, ids: NamedIDs): string {
  const given = ID_FLAGS.flatMap((flag) => {
    const id = selection[flag];
    return id === undefined ? [] : [{ flag, id }];
  });
  const unknown = given.filter(({ flag, id }) => !has(flag, id, ids));
  if (unknown.length > 0) return unknown.map(({ flag, id }) => whyUnknown(flag, id, ids)).join(' ');
  const { player, session } = selection;
  const owner = session === undefined ? undefined : ids.sessions.get(session);
  if (player !== undefined && session !== undefined && owner !== player)
    return owner == null
      ? `No call shows that session ${session} belongs to player ${player}.`
      : `Session ${session} belongs to player ${owner}, not to player ${player}.`;
  if (given.length > 1)
    return `No call matches all of these flags: ${given.map(({ flag }) => `--${flag}`).join(', ')}.`;
  const { firstMs, lastMs } = ids;
  if (firstMs === null || lastMs === null) return 'The calls have no time, so --from and --to select none of them.';
  return `The calls in the files are from ${utc(firstMs)} to ${utc(lastMs)}.`;
}

function has(flag: IDFlag, id: string, ids: NamedIDs): boolean {
  return idsOf(flag, ids).has(id);
}

function idsOf(
  flag: IDFlag,
  { players, sessions, rounds, transactions }: NamedIDs,
): { has(id: string): boolean; keys(): Iterable<string> } {
  return { player: players, session: sessions, round: rounds, tx: transactions }[flag];
}

const NOUNS = { player: 'player', session: 'session', round: 'round', tx: 'transaction' } as const;

function whyUnknown(flag: IDFlag, id: string, ids: NamedIDs): string {
  const other = ID_FLAGS.find((each) => each !== flag && has(each, id, ids));
  if (other === 'session') {
    const owner = ids.sessions.get(id);
    return `${id} is a session${owner == null ? '' : ` of player ${owner}`}: use --session ${id}.`;
  }
  if (other !== undefined) return `${id} is a ${NOUNS[other]}: use --${other} ${id}.`;
  const all = [...idsOf(flag, ids).keys()];
  const none = `The files have no ${NOUNS[flag]} ${id}.`;
  if (all.length === 0) return flag === 'player' ? NO_PLAYERS : none;
  const meant = nearest(id, all);
  if (meant !== undefined) return `${none} Did you mean --${flag} ${meant}?`;
  if (flag === 'round' || flag === 'tx') return none;
  const rest = all.length - MAX_LISTED;
  return `${none} They have ${all.length === 1 ? 'only ' : ''}${all.slice(0, MAX_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

const NO_PLAYERS = 'The files name no player: use --session, or give the players of your sessions in croupier.yaml.';

function utc(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}
