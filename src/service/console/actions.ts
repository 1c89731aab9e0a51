import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { type Handler, jsonReply, type ListenReply } from '../../listen/message.ts';
import type { Fault } from '../adapter/faults.ts';
import type { Played, Players } from '../game-page/players.ts';
import { guardHeaders } from '../page-files.ts';
import { readJson } from '../page-request.ts';
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
  /** For a delay. */
  ms: z.number().optional(),
  gsID: z.string().nullable(),
});

/**
 * The actions of the console's buttons, by the end of their paths. Each answers with a `message` for the user.
 *
 * @param acted called after each action
 */
export function consoleActions(
  parts: ServiceParts,
  players: Players,
  acted: () => void,
): Readonly<Record<string, Handler>> {
  const { sessions, adapter, calls, faults, onFault } = parts;
  const action = <T>(schema: z.ZodType<T>, act: (body: T) => ListenReply | Promise<ListenReply>): Handler => {
    return async (request) => {
      const body = readJson(request, schema);
      if (body.kind === 'wrong') return said(body.status, body.message);
      const reply = await act(body.value);
      acted();
      return reply;
    };
  };
  return {
    rounds: action(roundSchema, async ({ gsID, stake, multiplier }) => {
      const session = sessions.byId(gsID);
      if (session === undefined) return said(404, 'There is no such game session.');
      return played(await players.play(session, { stake, ...(multiplier !== undefined && { multiplier }) }));
    }),
    faults: action(faultSchema, ({ call, kind, ms = 0, gsID }) => {
      const fault: Fault = kind === 'delay' ? { kind, ms } : { kind };
      try {
        faults.add(call, fault, gsID);
      } catch (error) {
        if (error instanceof RangeError) return said(400, `That can't be done: ${error.message}.`);
        throw error;
      }
      return said(200, `The next ${call} will be disturbed.`);
    }),
    'faults/remove': action(z.object({ id: z.number() }), ({ id }) =>
      faults.remove(id) ? said(200, 'It will not happen.') : said(409, 'It has happened already.'),
    ),
    retries: action(z.object({ txID: z.string() }), ({ txID }) =>
      adapter.retryNow(txID)
        ? said(200, 'It is being sent.')
        : said(409, 'It is settled, or being sent at this moment.'),
    ),
    again: action(z.object({ id: z.number() }), ({ id }) => {
      const again = calls.again(id);
      if (again === undefined) return said(404, 'This call can no longer be sent again.');
      // The call appears among the exchanges.
      again.catch(onFault);
      return said(200, 'It is being sent again.');
    }),
  };
}

function said(status: number, message: string): ListenReply {
  return jsonReply(status, { message }, guardHeaders('by-nobody'));
}

function played(result: Played): ListenReply {
  if (result.kind === 'refused') return said(409, refusals[result.reason]);
  const { view, roundID } = result;
  const round = view.rounds.find((one) => one.roundID === roundID);
  const prize = `${round?.prize ?? ''} ${view.currency}`;
  switch (round?.state) {
    case undefined:
    case 'playing':
      return said(200, 'The round is being played.');
    case 'settled':
      return said(200, round.isWin ? `The round won ${prize}.` : 'The round won nothing.');
    case 'paying':
      return said(200, `The win of ${prize} is owed.`);
    case 'declined':
      return said(200, `The bet was declined: ${round.message ?? 'without a message'}`);
    case 'returning':
      return said(200, 'The bet was declined, and its refund is owed.');
    case 'returned':
      return said(200, 'The bet was declined and refunded.');
  }
}

const refusals: Readonly<Record<Extract<Played, { kind: 'refused' }>['reason'], string>> = {
  expired: 'The session has expired.',
  busy: 'A round of this session is being played already.',
  stake: 'This stake is not offered.',
  closing: 'The service is being stopped.',
  'round-over': 'The round is over.',
  'no-accepted-bet': 'The round has no accepted bet.',
  'tx-id-used': 'The round could not be played.',
  'tx-id-unknown': 'The round could not be played.',
  'not-awaited': 'The round could not be played.',
  'other-game': 'The player uses the free rounds in another game.',
  'used-up': 'The free rounds are used up.',
  'campaign-ended': 'The campaign is over.',
};
