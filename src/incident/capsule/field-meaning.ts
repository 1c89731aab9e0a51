/**
 * What a value is that stands under a name. `session` and `player` are looked for everywhere once they were met; what else belongs to
 * a person (`person`) is replaced where it stands; an `amount` is never taken for an id.
 */
export type FieldMeaning = 'session' | 'player' | 'person' | 'secret' | 'amount';

/** Names without their hyphens, underscores and capitals, as services, wallets and logs write them. */
const NAMES: Readonly<Record<FieldMeaning, string>> = {
  session: 'session sessions sessionid sid sessiontoken token gamesession gamesessionid',
  player:
    'player players playerid playername playeruid playertoken extplayerid user userid username useruid extuserid login ' +
    'loginname nick nickname screenname account accountid accountnumber accountname customer customerid customernumber ' +
    'member memberid wallet walletid',
  person:
    'email mail phone phonenumber mobile msisdn firstname lastname surname fullname realname displayname birthdate birthday ' +
    'dateofbirth dob address street iban ip ipaddress clientip userip playerip remoteip remoteaddr remoteaddress useragent',
  secret:
    'apikey integrationapikey key secret secretkey clientsecret privatekey password passwd pwd passphrase pin credentials ' +
    'authorization proxyauthorization cookie setcookie jwt accesstoken refreshtoken idtoken authtoken bearer xrequestsign ' +
    'requestsign sign',
  amount: 'amount balance price stake before after bets wins should booked difference',
};

const MEANINGS = new Map(
  Object.entries(NAMES).flatMap(([meaning, names]) =>
    names.split(' ').map((name) => [name, meaning as FieldMeaning] as const),
  ),
);
/** Of an object that is about a player: what names them there. */
const WITHIN_PLAYER = new Set(['id', 'name', 'ref', 'reference', 'code', 'number', 'uuid']);

/** @param parent the name under which the object stands that has this field; with brackets after it where that is one of a list */
export function fieldMeaning(name: string | undefined, parent: string | undefined): FieldMeaning | undefined {
  const known = name === undefined ? undefined : MEANINGS.get(bare(name));
  if (known !== undefined) return known;
  const around = parent === undefined ? undefined : MEANINGS.get(bare(parent));
  if (around === 'session' && /s$/i.test(parent ?? '')) return 'session';
  return around === 'player' && name !== undefined && WITHIN_PLAYER.has(bare(name)) ? 'player' : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Headers whose values are nobody's business: who somebody is, where they are, and what lets them in. */
const PRIVATE_HEADER =
  /^(?:forwarded|x-forwarded-for|x-real-ip|true-client-ip|cf-connecting-ip|x-client-ip|x-cluster-client-ip)$|auth|token|secret|key|session|passw|credential|cookie|jwt|sign/i;

/** @param further names of headers that hold what is private too, in lower case */
export function isPrivateHeader(name: string, further: ReadonlySet<string>): boolean {
  return PRIVATE_HEADER.test(name) || further.has(name.toLowerCase());
}
