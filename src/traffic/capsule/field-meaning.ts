/**
 * The meaning of a field, found from its name. A capsule replaces the values of fields with the meaning `session`, `player` or
 * `person` (other personal data) in every text. It removes the values of `secret`. It never treats the value of an `amount` as an
 * id.
 */
export type FieldMeaning = 'session' | 'player' | 'person' | 'secret' | 'amount';

/** Names that services, wallets and logs use for fields, in lower case, without hyphens and underscores. */
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
    'authorization proxyauthorization cookie setcookie jwt accesstoken refreshtoken idtoken authtoken bearer xrequestsign sig ' +
    'requestsign sign bearertoken forwarded xforwardedfor xrealip trueclientip cfconnectingip xclientip xclusterclientip',
  amount: 'amount balance price stake before after bets wins should booked difference',
};

const MEANINGS = new Map(
  Object.entries(NAMES).flatMap(([meaning, names]) =>
    names.split(' ').map((name) => [name, meaning as FieldMeaning] as const),
  ),
);
/** Matches longer names of secrets, such as `API_TOKEN`. */
const SECRET_NAME = /.(?:token|secret|password|passwd|apikey|secretkey|privatekey|accesskey|signingkey|cookie)$/;
/** Matches longer names of personal data, such as `player_email`. */
const PERSON_NAME = /.(?:email|mail|phonenumber|ipaddress)$/;
/** The names of fields that identify the player only if they are in an object about a player. */
const WITHIN_PLAYER = new Set(['id', 'name', 'ref', 'reference', 'code', 'number', 'uuid']);

/**
 * Returns the meaning of a field, or undefined if the meaning is not known.
 *
 * @param parent the name of the field that contains this object, followed by `[]` if the object is in a list
 */
export function fieldMeaning(name: string | undefined, parent: string | undefined): FieldMeaning | undefined {
  const known = name === undefined ? undefined : MEANINGS.get(normalized(name));
  if (known !== undefined) return known;
  if (name !== undefined && SECRET_NAME.test(normalized(name))) return 'secret';
  if (name !== undefined && PERSON_NAME.test(normalized(name))) return 'person';
  const around = parent === undefined ? undefined : MEANINGS.get(normalized(parent));
  if (around === 'session' && /s$/i.test(parent ?? '')) return 'session';
  return around === 'player' && name !== undefined && WITHIN_PLAYER.has(normalized(name)) ? 'player' : undefined;
}

function normalized(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/**
 * The names of fields for transactions, rounds and games. The values of these fields are kept, because nobody can understand an
 * incident without them.
 */
const KEPT_FIELD =
  /^(?:(?:orig(?:inal)?)?(?:tx|transaction)id|round(?:id)?|frid|gameid|extcid|currency|operatortxid|replytxid)$/;

/**
 * True if a capsule keeps the value of a field. A text that is equal to such a value is not removed as a secret in other places.
 */
export function isKeptField(name: string | undefined): boolean {
  return name !== undefined && KEPT_FIELD.test(normalized(name));
}

/** True if the fields of this object are headers. */
export function isHeaders(name: string | undefined): boolean {
  return name !== undefined && /headers?$/.test(normalized(name));
}

const FORWARDING = /^(?:forwarded|xforwardedfor|xrealip|trueclientip|cfconnectingip|xclientip|xclusterclientip)$/;

/** True for a header with the address of the client. */
export function isForwardingHeader(name: string): boolean {
  return FORWARDING.test(normalized(name));
}

/** Names of headers with private values: identity, network address and credentials. */
const PRIVATE_HEADER =
  /^(?:forwarded|x-forwarded-for|x-real-ip|true-client-ip|cf-connecting-ip|x-client-ip|x-cluster-client-ip)$|auth(?!ority)|token|secret|key|session|passw|credential|cookie|jwt|sign/i;

/**
 * True if the value of a header is private.
 *
 * @param further names of more private headers, in lower case
 */
export function isPrivateHeader(name: string, further: ReadonlySet<string>): boolean {
  return PRIVATE_HEADER.test(name) || further.has(name.toLowerCase());
}
