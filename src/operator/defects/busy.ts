import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { ListenReply, ListenRequest } from '../../listen/message.ts';
import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { bodyOf, callOf, type Fields } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/** A reply with which an operator may decline a call for a moment, or because of a limit of its own. */
interface Excuse {
  readonly name: string;
  readonly words: string;
  readonly reply: ListenReply;
}

const EXCUSES: readonly Excuse[] = [
  { name: '503', words: '503', reply: failure({ status: 503, message: 'Please try again later.' }) },
  { name: '429', words: '429', reply: failure({ status: 429, message: 'Too many requests.' }) },
  ...['account_blocked', 'bet_limit', 'loss_limit', 'time_limit', 'session_expired'].map(
    (code): Excuse => ({
      name: code.replaceAll('_', '-'),
      words: `403 with the code ${code}`,
      reply: failure({ status: 403, code, message: 'This is not possible now.' }),
    }),
  ),
];

/** The facts that are known about a request when the request arrives. */
interface Arrived {
  readonly call: CallName;
  /** The fields of the body. Empty for GET /balance. */
  readonly body: Fields;
  /** True if a call with the same txID was answered 200 before. */
  readonly isRepeated: boolean;
  /** True if the request is a refund of a transaction that was never answered 200. */
  readonly isUnknown: boolean;
  /** True if another call of the same session has not been answered yet. */
  readonly isAtOnce: boolean;
}

/** A kind of call that a defect answers with an excuse. */
interface Kind {
  readonly name: string;
  readonly words: string;
  /**
   * The rules that the judge must report as broken. The wallet answers other calls to the same endpoint at the same time. So the
   * judge must not accept the excuse, and must not leave these rules untested.
   */
  readonly breaks: readonly RuleId[];
  /** The rules that the judge must report if the calls are carried out. */
  readonly breaksIfBooked?: readonly RuleId[];
  readonly mayBreak?: readonly RuleId[];
  readonly isMeant: (arrived: Arrived) => boolean;
  /**
   * True if an operator may decline such calls as long as it is busy, because the service then sends them again one after
   * another.
   */
  readonly isLawful?: true;
  /** The time that each call takes, in milliseconds. Absent: the call takes no extra time. */
  readonly takesMs?: number;
}

const KINDS: readonly Kind[] = [
  {
    name: 'everything',
    words: 'Every call',
    breaks: [],
    mayBreak: ['launch.session-known'],
    isMeant: () => true,
  },
  {
    name: 'reads',
    words: 'Every GET /balance',
    breaks: [],
    mayBreak: ['launch.session-known'],
    isMeant: ({ call }) => call === 'balance',
  },
  {
    name: 'bets',
    words: 'Every bet',
    breaks: [],
    breaksIfBooked: ['bet.declined-takes-nothing'],
    isMeant: ({ call }) => call === 'bet',
  },
  {
    name: 'wins',
    words: 'Every win',
    breaks: ['win.credit'],
    mayBreak: ['session.expired-settles', 'win.many-in-round', 'win.retried', 'robustness.missing-field'],
    isMeant: ({ call }) => call === 'win',
  },
  {
    name: 'refunds',
    words: 'Every refund',
    breaks: ['refund.restore', 'refund.unknown'],
    mayBreak: ['refund.broken-connection', 'refund.retried', 'session.expired-settles', 'robustness.missing-field'],
    isMeant: ({ call }) => call === 'refund',
  },
  {
    name: 'repeats',
    words: 'Every call that is sent again',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    isMeant: ({ isRepeated }) => isRepeated,
  },
  {
    name: 'unknown-refunds',
    words: 'Every refund of an unknown transaction',
    breaks: ['refund.unknown'],
    mayBreak: ['session.expired-settles'],
    isMeant: ({ isUnknown }) => isUnknown,
  },
  {
    name: 'zero-wins',
    words: 'Every win of 0',
    breaks: ['win.zero'],
    mayBreak: ['session.expired-settles'],
    isMeant: ({ call, body }) => call === 'win' && Number(body.amount) === 0,
  },
  { name: 'free-bets', words: 'Every free bet', breaks: [], isMeant: ({ body }) => body.type === 'free' },
  {
    name: 'calls-at-once',
    words: 'Every call during another call of its session',
    breaks: [],
    breaksIfBooked: ['concurrency.no-lost-update'],
    mayBreak: [
      'bet.declined-takes-nothing',
      'win.retried',
      'refund.retried',
      'refund.broken-connection',
      'refund.unknown',
    ],
    isLawful: true,
    isMeant: ({ isAtOnce }) => isAtOnce,
    takesMs: 20,
  },
];

/** Answers some calls with an excuse. With `isBooked`, the wallet still carries out these calls. */
function excusing(
  right: Behaviour,
  { reply }: Excuse,
  { isMeant, takesMs }: Kind,
  isBooked: boolean,
): Pick<Behaviour, 'receive'> {
  const done = new Set<unknown>();
  const open = new Map<unknown, number>();
  return {
    receive: async (request, answer) => {
      const arrived = arrivedOf(request, done, open);
      const { sessionID } = arrived.body;
      open.set(sessionID, (open.get(sessionID) ?? 0) + 1);
      try {
        const isExcused = isMeant(arrived);
        if (isExcused && !isBooked) return reply;
        const given = await right.receive(request, answer);
        if (takesMs !== undefined && arrived.call !== 'balance') await sleep(takesMs);
        if (given.status === 200) done.add(arrived.body.txID);
        return isExcused ? reply : given;
      } finally {
        open.set(sessionID, (open.get(sessionID) ?? 1) - 1);
      }
    },
  };
}

function arrivedOf(request: ListenRequest, done: ReadonlySet<unknown>, open: ReadonlyMap<unknown, number>): Arrived {
  const call = callOf(request);
  const body = bodyOf(request) ?? {};
  return {
    call,
    body,
    isRepeated: body.txID !== undefined && done.has(body.txID),
    isUnknown: call === 'refund' && !done.has(body.origTxID),
    isAtOnce: call !== 'balance' && (open.get(body.sessionID) ?? 0) > 0,
  };
}

/** Returns the defect that answers one kind of call with an excuse. */
function defectOf(kind: Kind, excuse: Excuse, isBooked: boolean): Defect {
  const { mayBreak, breaksIfBooked = [] } = kind;
  return {
    name: `${kind.name}-${excuse.name}${isBooked ? '-booked' : ''}`,
    breaks: [...kind.breaks, ...(isBooked ? breaksIfBooked : [])],
    ...(mayBreak && { mayBreak }),
    ...(!kind.isLawful && { leavesUntested: true as const }),
    description: isBooked
      ? `${kind.words} is carried out, and answered ${excuse.words}.`
      : `${kind.words} is answered ${excuse.words}.`,
    change: (right) => excusing(right, excuse, kind, isBooked),
  };
}

/**
 * Defects of operators that always answer certain calls with an excuse. So nobody can see whether such an operator handles these
 * calls correctly.
 */
export const BUSY_DEFECTS: readonly Defect[] = [
  ...KINDS.flatMap((kind) => EXCUSES.map((excuse) => defectOf(kind, excuse, false))),
  ...KINDS.filter(({ name }) => name !== 'reads' && name !== 'everything').flatMap((kind) =>
    EXCUSES.slice(0, 1).map((excuse) => defectOf(kind, excuse, true)),
  ),
  ...EXCUSES.map(
    (excuse): Defect => ({
      name: `wrong-signatures-${excuse.name}`,
      breaks: ['signature.mismatch'],
      leavesUntested: true,
      description: `A call with a wrong signature is answered ${excuse.words}, not 401.`,
      change: (right) => ({
        receive: async (request, answer) => {
          const given = await right.receive(request, answer);
          return given.status === 401 ? excuse.reply : given;
        },
      }),
    }),
  ),
];
