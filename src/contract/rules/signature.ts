import type { RuleEntry } from '../rule.ts';

export const signatureRules = {
  'signature.accepted': {
    level: 'MUST',
    clause: 'Authentication 1',
    sentence: 'a correctly signed call is accepted on each of the four endpoints',
    means: 'Genuine calls of the service are refused, so that players cannot play.',
    hint: 'First check that both sides have the same key (`croupier explain` says which one was used). Then compute HMAC-SHA256 with the Integration API key over the raw body (POST) or over the canonical JSON of the query (GET), and compare lower-case hexadecimal.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.mismatch': {
    level: 'MUST',
    money: true,
    clause: 'Authentication 4',
    sentence: 'a call with a wrong signature is answered 401 on each of the four endpoints',
    means: "Anybody who finds the operator's address can forge calls, and so read or move players' money.",
    hint: 'Verify before anything else is done, on every route. Otherwise everybody who finds the address can move money.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.missing': {
    level: 'MUST',
    money: true,
    clause: 'Authentication 1',
    sentence: 'a call whose `X-REQUEST-SIGN` header is missing or empty is answered 401',
    means: "Anybody can read or move players' money with calls that have no signature at all.",
    hint: 'Look for verification that only runs when the header is present.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.message': {
    level: 'MUST',
    clause: 'Authentication 4',
    sentence: 'a reply with status 401 has a JSON body whose `message` is a string',
    means:
      'The refusal of a call does not say why: players see only a failure, and support staff cannot find the reason.',
    hint: 'Look for middleware or a gateway that itself answers 401, with an empty or plain-text body.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.no-effect': {
    level: 'MUST',
    money: true,
    clause: 'Authentication 4',
    sentence: 'a call that is answered 401 moves no money and leaves its `txID` unused',
    means: "A forged call is refused but still moves a player's money, or blocks the genuine call that follows.",
    hint: 'Verify the signature before the transaction is recorded or booked.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'signature.tampered-body': {
    level: 'MUST',
    money: true,
    clause: 'Authentication 2',
    sentence: 'a call whose body was changed after it was signed is answered 401',
    means:
      'Somebody who intercepts a genuine bet, win or refund can change its amount or its player, and the operator does not notice.',
    hint: 'The signature must cover the whole raw body, not a few fields of it.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'signature.tampered-query': {
    level: 'MUST',
    clause: 'Authentication 3',
    sentence: 'a call whose query was changed after it was signed is answered 401',
    means: "Somebody who intercepts a balance call can change the player in it, and read another player's balance.",
    hint: 'The signature of a GET covers all query parameters, not just `sessionID` and not an empty body.',
  },
  'signature.raw-body': {
    level: 'MUST',
    clause: 'Authentication 2',
    sentence:
      'a canonical body is verified in the form in which it arrived, so that text which JSON libraries write in different ways (`/`, `é`, emoji) is accepted too',
    means: 'Bets, wins or refunds that contain accents, emoji or a slash are refused as forged.',
    hint: 'Keep the bytes of the body as they arrive, before the framework parses them, and compute the signature over these bytes. If the body is parsed and written again, characters such as `/` and `é` may be written in another way.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'signature.raw-body-escapes': {
    level: 'SHOULD',
    clause: 'Authentication 2',
    sentence:
      'a correctly signed body with `<`, `>`, `&` or U+2028 is accepted, although the published SDKs of two languages write these characters differently',
    means: 'Bets, wins or refunds that contain characters such as < or & can be refused as forged.',
    hint: 'Keep the bytes of the body as they arrive, before the framework parses them, and compute the signature over these bytes. Or switch off the escaping of these characters in your JSON library.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'signature.non-canonical': {
    level: 'NOTE',
    clause: 'Authentication 2',
    sentence: 'whether a correctly signed body that is not canonical JSON is accepted (the service never sends one)',
    hint: 'Nothing needs fixing. An operator that verifies the raw bytes accepts it.',
  },
  'signature.query-canonical': {
    level: 'MUST',
    clause: 'Authentication 3',
    sentence:
      'a correctly signed query is accepted in every order of its parameters, with every percent-encoding (`%20`, `%2B`, `%25`, `:`, `@`, `=`, an encoded letter), and with further parameters, whose names and values are text (no value, digits, dots, brackets)',
    means:
      'Players cannot see their balance when the balance call has further parameters, or writes them in another order or way.',
    hint: 'Decode the query once, sort the names, and write one JSON object of strings without white space. Take every parameter from the query text itself: frameworks drop empty values, read numbers, and change dots and brackets in names.',
  },
  'signature.query-unicode': {
    level: 'SHOULD',
    clause: 'Authentication 3',
    sentence:
      'a query that is signed in the form of RFC 8785 is accepted, even if JSON libraries escape its characters in different ways (`/`, `é`, emoji, `<`, `>`, `&`, U+2028)',
    means: 'Players cannot see their balance when the balance call contains accents, emoji or characters such as <.',
    hint: 'In the JSON library that writes the signed object, switch off the escaping of slashes, markup characters and non-ASCII text.',
  },
  'signature.header-case': {
    level: 'MUST',
    clause: 'RFC 9110, 5.1',
    sentence: 'the signature header is found whatever the letter case of its name',
    means:
      'All players can suddenly be locked out when a server between service and operator changes the letter case of headers.',
    hint: 'Header names are case-insensitive in HTTP. Let the framework find the header, instead of comparing the exact name.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.client-key': {
    level: 'MUST',
    money: true,
    clause: 'What the service does 3',
    sentence: 'a call that is signed with the key of another ExtCID is answered 401 (if the two keys differ)',
    means: "Somebody with the key of another brand can read or move the money of this brand's players.",
    hint: 'Verify only with the key of the ExtCID to which the session or the address belongs. Do not try all keys.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'signature.upper-case': {
    level: 'NOTE',
    clause: 'Authentication 1',
    sentence: 'whether a signature in upper-case hexadecimal is accepted',
    hint: 'Nothing needs fixing: the service only sends lower case.',
  },
} as const satisfies Readonly<Record<`signature.${string}`, RuleEntry>>;
