import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { textOf } from '../rewriting.ts';
import type { Defect } from '../variation.ts';
import { withError } from './reply.ts';

function withMessage(right: Behaviour, message: string): Partial<Behaviour> {
  return withError(right, (reply) => ({
    ...reply,
    body: JSON.stringify({ ...(JSON.parse(textOf(reply)) as object), message }),
  }));
}

/** Texts of exceptions and databases that an operator passes on to players, with a description of the defect. */
const LEAKS: readonly (readonly [name: string, description: string, message: string])[] = [
  [
    'message-stack-trace',
    'Players are shown a stack trace when a call fails.',
    'Error: declined\n    at BetService.place (/srv/app/dist/bet.service.js:118:13)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ],
  [
    'message-sql',
    'Players are shown SQL when a call fails.',
    "SQLSTATE[23000]: Integrity constraint violation: UPDATE wallets SET balance = balance - 1 WHERE id = 'p1'",
  ],
  [
    'message-markup',
    'Players are shown HTML tags when a call fails.',
    '<div class="alert"><b>Declined</b><br/>Please try again</div>',
  ],
  ['message-empty', 'Players see an empty window when a call fails: the message is empty.', ''],
  [
    'message-undefined',
    'Players see the word undefined when a call fails: the text of the error is missing.',
    'undefined',
  ],
  [
    'message-object',
    'Players see [object Object] when a call fails: the error is written as a text.',
    'Error: [object Object]',
  ],
  [
    'message-java',
    'Players are shown the text of a Java exception when a call fails.',
    'Cannot invoke "com.casino.wallet.Account.getBalance()" because "account" is null',
  ],
  [
    'message-python',
    'Players are shown the text of a Python exception when a call fails.',
    "unsupported operand type(s) for -=: 'NoneType' and 'decimal.Decimal'",
  ],
  [
    'message-php',
    'Players are shown a PHP error when a call fails.',
    'PHP Fatal error:  Uncaught Error: Call to a member function debit() on null in /var/www/wallet/Bet.php:52',
  ],
  [
    'message-go',
    'Players are shown a Go error when a call fails.',
    'runtime error: invalid memory address or nil pointer dereference',
  ],
  [
    'message-dotnet',
    'Players are shown the text of a .NET exception when a call fails.',
    'System.NullReferenceException: Object reference not set to an instance of an object.',
  ],
  [
    'message-node',
    'Players are shown the text of a JavaScript error when a call fails.',
    "Cannot read properties of undefined (reading 'balance')",
  ],
  [
    'message-ruby',
    'Players are shown the text of a Ruby exception when a call fails.',
    "undefined method `balance' for nil:NilClass",
  ],
  [
    'message-oracle',
    'Players are shown an error of the Oracle database when a call fails.',
    'ORA-01403: no data found',
  ],
  [
    'message-mysql',
    'Players are shown an error of the MySQL database when a call fails.',
    "Duplicate entry '8f14e45f' for key 'transactions.PRIMARY'",
  ],
  [
    'message-postgres',
    'Players are shown an error of the PostgreSQL database when a call fails.',
    'duplicate key value violates unique constraint "transactions_pkey"',
  ],
  [
    'message-sql-server',
    'Players are shown an error of the SQL Server database when a call fails.',
    'Transaction (Process ID 61) was deadlocked on lock resources with another process.',
  ],
  [
    'message-mongo',
    'Players are shown an error of the MongoDB database when a call fails.',
    'E11000 duplicate key error collection: casino.transactions index: _id_ dup key: { _id: "8f14e45f" }',
  ],
];

const DATABASE_LOCKED = failure({ status: 500, message: 'SQLITE_BUSY: database is locked' });

/** Defects in the messages of errors, which players can see. */
export const ERROR_MESSAGE_DEFECTS: readonly Defect[] = [
  ...LEAKS.map(
    ([name, description, message]): Defect => ({
      name,
      description,
      breaks: ['reply.error-message'],
      change: (right) => withMessage(right, message),
    }),
  ),
  {
    name: 'message-now-and-then',
    breaks: ['reply.error-message'],
    description:
      'Every 60th call fails, and players are shown an error of the database. When the call is sent again, it is carried out.',
    change: (right) => {
      let calls = 0;
      return {
        receive: (request, answer) => {
          calls += 1;
          return calls % 60 === 0 ? Promise.resolve(DATABASE_LOCKED) : right.receive(request, answer);
        },
      };
    },
  },
];
