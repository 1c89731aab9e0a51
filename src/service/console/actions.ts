import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { type Handler, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import { readPageJson, securityHeaders } from '../../pages/page-http.ts';
import type { Fault } from '../adapter/faults.ts';
import { REPLY_FAULTS } from '../exchange-log.ts';
import type { Played, Players } from '../game-page/players.ts';
import type { ServiceParts } from '../service-parts.ts';
import { launchRequest, launchResult } from './launching.ts';
import type { OperatorControls } from './operator-controls.ts';

const roundSchema = z.object({
  gsID: z.string(),
  stake: z.string(),
  multiplier: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,4})?$/, 'expected a plain decimal below 1 000 000, such as 2.5')
    .optional(),
});

const faultSchema = z.object({
  call: z.enum(CALL_NAMES),
  kind: z.enum(['delay', 'drop', 'repeat', 'sign-wrongly', 'refund-first']),
  /** The delay in milliseconds. Only used by a fault of the kind `delay`. */
  ms: z.number().optional(),
  gsID: z.string().nullable(),
});

const replyFaultSchema = z.object({
  call: z.enum(CALL_NAMES),
  kind: z.enum(REPLY_FAULTS),
  gsID: z.string().nullable(),
});

const balanceSchema = z.object({
  extCID: z.string(),
  player: z.string(),
  currency: z.string(),
  change: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['add', 'take']), amount: z.string() }),
    z.object({ kind: z.literal('empty') }),
  ]),
});

const launchSchema = z.object({
  extCID: z.string(),
  sessionID: z.string(),
  player: z.string(),
  currency: z.string(),
  locale: z.string(),
  gameID: z.string(),
  demo: z.boolean(),
});

export interface ConsoleActionsOptions {
  readonly parts: ServiceParts;
  readonly players: Players;
  /** The controls of croupier's own operator. Left out if the user has connected another operator. */
  readonly operator?: OperatorControls;
  /** The path of the operation that launches a game. */
  readonly launchPath: string;
  /** Answers a request in the same way as the server of the service. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /** Is called after each action. */
  readonly onAction: () => void;
}

/**
 * Returns the handlers of the console's buttons, by the last part of their path. Each replies with a `message` for the
 * user.
 */
export function consoleActions(options: ConsoleActionsOptions): Readonly<Record<string, Handler>> {
  const { parts, players, operator, launchPath, handle, onAction } = options;
  const { sessions, adapter, calls, faults, onFault } = parts;
  type Act<T> = (body: T, request: ListenRequest) => ListenReply | Promise<ListenReply>;
  const action = <T>(schema: z.ZodType<T>, act: Act<T>): Handler => {
    return async (request) => {
      const body = readPageJson(request, schema);
      if (body.kind === 'wrong') return messageReply(body.status, body.message);
      const reply = await act(body.value, request);
      onAction();
      return reply;
    };
  };
  const withOperator = <T>(schema: z.ZodType<T>, act: (body: T, own: OperatorControls) => ListenReply): Handler =>
    action(schema, (body) => (operator ? act(body, operator) : messageReply(409, NOT_OWN)));
  return {
    rounds: action(roundSchema, async ({ gsID, stake, multiplier }) => {
      const session = sessions.byId(gsID);
      if (session === undefined) return messageReply(404, 'There is no such game session.');
      return roundReply(await players.play(session, { stake, ...(multiplier !== undefined && { multiplier }) }));
    }),
    faults: action(faultSchema, ({ call, kind, ms = 0, gsID }) => {
      const fault: Fault = kind === 'delay' ? { kind, ms } : { kind };
      try {
        faults.add(call, fault, gsID);
      } catch (error) {
        if (error instanceof RangeError) return messageReply(400, `The fault was not added: ${error.message}.`);
        throw error;
      }
      return messageReply(200, `The fault will disturb the next ${call}.`);
    }),
    replies: withOperator(replyFaultSchema, ({ call, kind, gsID }, own) => {
      const session = gsID === null ? undefined : sessions.byId(gsID);
      if (gsID !== null && session === undefined) return messageReply(404, 'There is no such game session.');
      own.addFault(call, kind, session?.sessionID ?? null);
      return messageReply(200, `The fault will affect the reply to the next ${call}.`);
    }),
    balances: withOperator(balanceSchema, ({ change, ...wallet }, own) => {
      try {
        const balance = own.changeBalance(wallet, change);
        parts.judge?.balanceChanged(wallet);
        return messageReply(200, `The balance of ${wallet.player} is ${balance} ${wallet.currency} now.`);
      } catch (error) {
        if (error instanceof RangeError) return messageReply(400, `The balance was not changed: ${error.message}.`);
        throw error;
      }
    }),
    defects: withOperator(z.object({ name: z.string(), on: z.boolean() }), ({ name, on }, own) =>
      own.setDefect(name, on)
        ? messageReply(200, `The defect ${name} is ${on ? 'on' : 'off'}.`)
        : messageReply(404, `There is no defect ${name}.`),
    ),
    launches: action(launchSchema, async (fields, request) => {
      const client = parts.clients.find(({ extCID }) => extCID === fields.extCID);
      if (client === undefined) return messageReply(404, `There is no client ${fields.extCID}.`);
      const reply = await handle(launchRequest(client, parts.version, fields, request, launchPath));
      const result = launchResult(reply);
      return jsonReply(result.gameURL === undefined ? 409 : 200, result, securityHeaders('forbidden'));
    }),
    'faults/remove': action(z.object({ id: z.number(), of: z.enum(['call', 'reply']) }), ({ id, of }) =>
      (of === 'reply' ? operator?.removeFault(id) : faults.remove(id))
        ? messageReply(200, 'The fault was removed.')
        : messageReply(409, 'The fault was already used, so it can no longer be removed.'),
    ),
    retries: action(z.object({ txID: z.string() }), ({ txID }) =>
      adapter.retryNow(txID)
        ? messageReply(200, 'The call is being sent.')
        : messageReply(409, 'The call is already settled, or it is being sent at the moment.'),
    ),
    again: action(z.object({ id: z.number() }), ({ id }) => {
      const again = calls.again(id);
      if (again === undefined)
        return messageReply(404, "The service no longer keeps this call, so it can't be sent again.");
      // The reply is not awaited here: the call and its outcome appear in the list of exchanges.
      again.catch(onFault);
      return messageReply(200, 'The call is being sent again.');
    }),
  };
}

const NOT_OWN =
  "This is your own operator, so croupier can't change it. Without your wallet, croupier serve all starts an operator that it can change.";

function messageReply(status: number, message: string): ListenReply {
  return jsonReply(status, { message }, securityHeaders('forbidden'));
}

function roundReply(result: Played): ListenReply {
  if (result.kind === 'refused') return messageReply(409, refusals[result.reason]);
  const { view, roundID } = result;
  const round = view.rounds.find((one) => one.roundID === roundID);
  const prize = `${round?.prize ?? ''} ${view.currency}`;
  switch (round?.state) {
    case undefined:
    case 'playing':
      return messageReply(200, 'The round is being played.');
    case 'settled':
      return messageReply(200, round.isWin ? `The round won ${prize}.` : 'The round won nothing.');
    case 'paying':
      return messageReply(200, `The round won ${prize}. The win is sent until the operator answers 200.`);
    case 'declined':
      return messageReply(
        200,
        round.message === null ? 'The bet was declined.' : `The bet was declined: ${round.message}`,
      );
    case 'returning':
      return messageReply(200, 'The bet was not confirmed. Its refund is sent until the operator answers 200.');
    case 'returned':
      return messageReply(200, 'The bet was not confirmed, and was refunded.');
  }
}

const refusals: Readonly<Record<Extract<Played, { kind: 'refused' }>['reason'], string>> = {
  expired: 'The session has expired.',
  busy: 'Another round of this session is still being played.',
  stake: 'The game does not offer this stake.',
  closing: 'The service is being stopped.',
  'round-over': 'The round is already over.',
  'no-accepted-bet': 'The round has no accepted bet.',
  'tx-id-used': 'The round could not be played.',
  'tx-id-unknown': 'The round could not be played.',
  'not-awaited': 'The round could not be played.',
  'other-game': 'These free rounds are for another game.',
  'used-up': 'The free rounds are used up.',
  'campaign-ended': 'The campaign of free rounds has ended.',
};
