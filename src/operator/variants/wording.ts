import { createHash } from 'node:crypto';
import type { JsonValue } from '../../contract/json.ts';
import { scaleOf, writeAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Fields, writing } from '../rewriting.ts';
import type { Variant } from '../variation.ts';

/** Changes the text of the operator's own txIDs. Equal txIDs stay equal. */
function namingTransactions(right: Behaviour, name: (txID: string) => string): Partial<Behaviour> {
  return {
    reply: (decision) => right.reply(decision.kind === 'done' ? { ...decision, txID: name(decision.txID) } : decision),
  };
}

function withMessages(right: Behaviour, change: (error: Fields, message: string) => Fields): Partial<Behaviour> {
  return writing(right, (fields, status) =>
    JSON.stringify(status === 200 || typeof fields.message !== 'string' ? fields : change(fields, fields.message)),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Escapes slashes and all characters beyond ASCII, as some JSON libraries do. */
function escaped(text: string): string {
  return text
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const FURTHER: Fields = {
  currency: 'EUR',
  amount: '0.00',
  status: 'OK',
  Balance: 'see balance',
  bonusBalance: 12.5,
  player: { name: 'Zoë Ñandú 🎰', tags: ['vip', null, 3.5e2], limits: { daily: null, weekly: [[], {}] } },
  note: 'a/b "c" \\ <d> & \u2028',
  history: Array.from({ length: 200 }, (_, index) => ({ index, what: 'an entry without meaning', amount: '1.00' })),
};

/** Correct variants in the form of replies. */
export const WORDING_VARIANTS: readonly Variant[] = [
  {
    name: 'other-key-order',
    description: 'The fields of replies come in the opposite order.',
    change: (right) => writing(right, (fields) => JSON.stringify(Object.fromEntries(Object.entries(fields).reverse()))),
  },
  {
    name: 'pretty-printed',
    description: 'The JSON of replies is indented, and has line breaks before and after it.',
    change: (right) =>
      writing(right, (fields) => `\r\n${JSON.stringify(fields, null, '\t').replaceAll('\n', '\r\n')} \n\n`),
  },
  {
    name: 'further-fields',
    description: 'Replies have many further fields: nested, large, and with characters of many scripts.',
    change: (right) => writing(right, (fields) => JSON.stringify({ ...FURTHER, ...fields })),
  },
  {
    name: 'success-says-so',
    description: 'Successful replies also have a code, a message and an error field, which report success.',
    change: (right) =>
      writing(right, (fields, status) =>
        JSON.stringify(
          status === 200 ? { code: 0, message: 'Success', error: null, success: true, ...fields } : fields,
        ),
      ),
  },
  {
    name: 'declines-say-all',
    description: 'Errors also have the fields of a success: a balance of 0.00 and an empty txID.',
    change: (right) =>
      withMessages(right, (error) => ({ success: false, txID: '', balance: '0.00', status: 'DECLINED', ...error })),
  },
  {
    name: 'escaped-text',
    description: 'All characters beyond ASCII and all slashes are escaped in replies.',
    change: (right) =>
      writing(right, (fields, status) =>
        escaped(JSON.stringify(status === 200 ? { ...fields, player: 'Zoë / Ñandú 🎰' } : fields)),
      ),
  },
  {
    name: 'balance-trimmed',
    description: 'Balances are written without trailing zeros: 1000 and 998.5.',
    change: () => ({
      show: (wallet, balance) => writeAmount(balance, { ...scaleOf(wallet.currency), padded: false }),
    }),
  },
  {
    name: 'balance-padded',
    description:
      'Balances are written with all decimals of the wallet, also in crypto currencies: 1.500000000000000000.',
    change: () => ({ show: (wallet, balance) => writeAmount(balance, { ...scaleOf(wallet.currency), padded: true }) }),
  },
  {
    name: 'yen-with-zeros',
    mayWarn: ['money.precision'],
    description: 'Balances in currencies without decimals end with .00.',
    change: (right) => ({
      show: (wallet, balance) =>
        `${right.show(wallet, balance)}${scaleOf(wallet.currency).decimals === 0 ? '.00' : ''}`,
    }),
  },
  {
    name: 'tx-id-digits',
    description: 'The txIDs of the operator are strings of digits.',
    change: (right) => namingTransactions(right, (txID) => String(BigInt(`0x${digest(txID)}`))),
  },
  {
    name: 'tx-id-uuid',
    description: 'The txIDs of the operator are UUIDs.',
    change: (right) =>
      namingTransactions(right, (txID) => {
        const hash = digest(txID);
        return [
          hash.slice(0, 8),
          hash.slice(8, 12),
          `4${hash.slice(13, 16)}`,
          `a${hash.slice(17, 20)}`,
          hash.slice(20, 32),
        ].join('-');
      }),
  },
  {
    name: 'tx-id-long',
    description: 'The txIDs of the operator have thousands of characters, also beyond ASCII.',
    change: (right) => namingTransactions(right, (txID) => `Überweisung/№ ${txID}: ${'transaction '.repeat(300)}`),
  },
  {
    name: 'unknown-refund-empty-tx-id',
    mayWarn: ['reply.tx-id'],
    description: 'A refund of an unknown transaction is answered 200 with an empty txID and a balance of 0.',
    change: (right) => unknownRefunds(right, () => ({ balance: '0', txID: '' })),
  },
  {
    name: 'unknown-refund-balance-zero',
    description: 'Every refund of an unknown transaction is answered 200 with a balance of 0 and the same txID.',
    change: (right) => unknownRefunds(right, () => ({ balance: '0', txID: 'none' })),
  },
  {
    name: 'debug-details',
    description: 'Errors have a stack trace and SQL in fields for developers, and a message for the player.',
    change: (right) =>
      withMessages(right, (error) => ({
        ...error,
        details: {
          trace: 'Error: declined\n    at BetService.place (/srv/app/dist/bet.service.js:118:13)',
          sql: 'UPDATE wallets SET balance = balance - 1 WHERE id = 7',
        },
        action: 'refresh',
        actionData: { reason: '<b>stale</b>' },
      })),
  },
  {
    name: 'codes-of-our-own',
    description: 'Errors have codes that are not published (except insufficient_funds), and a numeric code.',
    change: (right) =>
      withMessages(right, (error) => ({
        ...error,
        code: error.code === 'insufficient_funds' ? error.code : 'E_WALLET_4711',
        errorCode: 4711,
      })),
  },
  {
    name: 'messages-in-other-words',
    description: 'Messages for players have other scripts, comparison signs, and words that SQL has too.',
    change: (right) =>
      withMessages(right, (error) => ({
        ...error,
        message:
          'Désolé ! Solde < mise. 残高が不足しています 🎰 Please select a lower stake from the table where it says "update", at 12:30 (line 2).',
      })),
  },
  {
    name: 'messages-like-code',
    description:
      'Messages for players have links, addresses, capital letters, and words that errors of programs have too.',
    change: (right) =>
      withMessages(right, (error) => ({
        ...error,
        message:
          "PLEASE SELECT ANOTHER STAKE FROM THE LIST <min. 0.50>. Don't panic: nothing was taken.\nAsk us\n  at 12:30:45 (CET 11:30)\n  at <help@casino.example> or https://casino.example/help.php?select=a&from=b:443. Active bonus: None.",
      })),
  },
  {
    name: 'message-null',
    mayWarn: ['reply.error-message', 'session.unknown'],
    description: 'Errors except a 401 have a message that is null.',
    change: (right) => withMessageOf(right, null),
  },
  {
    name: 'message-by-language',
    mayWarn: ['reply.error-message', 'session.unknown'],
    description: 'Errors except a 401 have a message that is an object with a text for each language.',
    change: (right) => withMessageOf(right, { en: 'Not possible.', es: 'No es posible.' }),
  },
  {
    name: 'declines-without-message',
    mayWarn: ['reply.error-message', 'session.unknown'],
    description: 'Errors except a 401 have a code and no message.',
    change: (right) =>
      writing(right, ({ message, ...others }, status) =>
        JSON.stringify(status === 200 || status === 401 ? { ...others, message } : { code: 'declined', ...others }),
      ),
  },
];

/** Replaces the message of every error except a 401, whose message must be a text. */
function withMessageOf(right: Behaviour, message: JsonValue): Partial<Behaviour> {
  return writing(right, (body, status) =>
    JSON.stringify(status === 200 || status === 401 ? body : { ...body, message }),
  );
}

/** Changes the reply to refunds of unknown transactions. */
function unknownRefunds(right: Behaviour, change: () => { readonly balance: string; readonly txID: string }) {
  const unknown = new Set<string>();
  return {
    record: (store, entry) => {
      const recorded = right.record(store, entry);
      if (entry.call === 'refund' && (entry.origTxID === null || !store.transaction(entry.extCID, entry.origTxID))) {
        unknown.add(`op-${recorded.id}`);
      }
      return recorded;
    },
    reply: (decision) =>
      right.reply(decision.kind === 'done' && unknown.has(decision.txID) ? { ...decision, ...change() } : decision),
  } satisfies Partial<Behaviour>;
}
