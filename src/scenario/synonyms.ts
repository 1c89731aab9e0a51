import { nearest } from './near.ts';

/** Words from other tools and from everyday language, with the words of the scenario language that may be meant. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  // actions
  parallel: ['together'],
  concurrent: ['together'],
  concurrently: ['together'],
  simultaneously: ['together'],
  race: ['together'],
  sleep: ['wait'],
  pause: ['wait', 'gap'],
  delay: ['wait', 'after', 'at'],
  debit: ['bet'],
  stake: ['bet'],
  wager: ['bet'],
  credit: ['win'],
  payout: ['win'],
  rollback: ['refund'],
  cancel: ['refund'],
  reverse: ['refund'],
  void: ['refund'],
  retry: ['resend', 'eventually'],
  replay: ['resend'],
  repeat: ['resend', 'times'],
  again: ['resend'],
  read: ['balance'],
  include: ['use'],
  import: ['use'],
  // options of a step
  id: ['as', 'txID'],
  name: ['as', 'title'],
  alias: ['as'],
  assert: ['expect'],
  check: ['expect', 'balance'],
  should: ['expect'],
  signature: ['sign'],
  count: ['times'],
  disconnect: ['break'],
  drop: ['break'],
  until: ['eventually'],
  params: ['with', 'parameters'],
  args: ['with'],
  // expectations
  balance: ['moves'],
  change: ['moves'],
  delta: ['moves'],
  timeout: ['within'],
  deadline: ['within'],
  statuscode: ['status'],
  http: ['status'],
  error: ['code', 'declined'],
  errorcode: ['code'],
  json: ['body'],
  response: ['body', 'reply'],
  result: ['outcome'],
  ok: ['accepted'],
  success: ['accepted'],
  rejected: ['declined'],
  fail: ['declined'],
  failed: ['declined'],
  unauthorized: ['refused'],
  any: ['either'],
  // fields of a call
  value: ['amount'],
  sum: ['amount'],
  roundid: ['round'],
  sessionid: ['session'],
  player: ['session'],
  transaction: ['txID', 'of'],
  transactionid: ['txID'],
  original: ['of'],
  type: ['kind'],
  // keys of a file
  description: ['title'],
  tests: ['rules'],
  rule: ['rules'],
  requires: ['needs'],
  given: ['needs'],
  matrix: ['cases'],
  examples: ['cases'],
  variables: ['cases'],
  cleanup: ['always'],
  teardown: ['always'],
  finally: ['always'],
};

/**
 * Returns the word of the scenario language that the author most likely meant: a similar word, or a word with the same meaning.
 *
 * @param known the words that are possible in this place
 */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll(/[-_ ]/g, '');
  const meant = Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : undefined;
  return meant?.find((one) => known.includes(one)) ?? nearest(word, known);
}
