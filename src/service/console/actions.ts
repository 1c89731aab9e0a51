import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { type Handler, jsonReply, type ListenReply } from '../../listen/message.ts';
import type { Fault } from '../adapter/faults.ts';
import type { Played, Players } from '../game-page/players.ts';
import { readPageJson, securityHeaders } from '../page-http.ts';
import type { ServiceParts } from '../service-parts.ts';

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

/**
 * Returns the handlers of the console's buttons, by the last part of their path. Each replies with a `message` for the
 * user.
 *
 * @param onAction called after each action
 */
export function consoleActions(
  parts: ServiceParts,
  players: Players,
  onAction: () => void,
): Readonly<Record<string, Handler>> {
  const { sessions, adapter, calls, faults, onFault } = parts;
  const action = <T>(schema: z.ZodType<T>, act: (body: T) => ListenReply | Promise<ListenReply>): Handler => {
    return async (request) => {
      const body = readPageJson(request, schema);
      if (body.kind === 'wrong') return messageReply(body.status, body.message);
      const reply = await act(body.value);
      onAction();
      return reply;
    };
  };
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
    'faults/remove': action(z.object({ id: z.number() }), ({ id }) =>
      faults.remove(id)
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
      return messageReply(200, 'The bet was declined. Its refund is sent until the operator answers 200.');
    case 'returned':
      return messageReply(200, 'The bet was declined and refunded.');
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
  'other-game': 'The player can use the free rounds in another game only.',
  'used-up': 'The free rounds are used up.',
  'campaign-ended': 'The campaign of free rounds has ended.',
};
