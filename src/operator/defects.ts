import { BALANCE_DEFECTS } from './defects/balance.ts';
import { BET_DEFECTS } from './defects/bet.ts';
import { BODY_DEFECTS } from './defects/body.ts';
import { BUSY_DEFECTS } from './defects/busy.ts';
import { CONCURRENCY_DEFECTS } from './defects/concurrency.ts';
import { ERROR_MESSAGE_DEFECTS } from './defects/error-message.ts';
import { IDEMPOTENCY_DEFECTS } from './defects/idempotency.ts';
import { LAUNCH_DEFECTS } from './defects/launch.ts';
import { MONEY_DEFECTS } from './defects/money.ts';
import { OVERTAKEN_BET_DEFECTS } from './defects/overtaken-bet.ts';
import { REFUND_DEFECTS } from './defects/refund.ts';
import { REFUSAL_DEFECTS } from './defects/refusal.ts';
import { REPEAT_DEFECTS } from './defects/repeat.ts';
import { ERROR_REPLY_DEFECTS, REPLY_DEFECTS, TX_ID_DEFECTS } from './defects/reply.ts';
import { SESSION_DEFECTS } from './defects/session.ts';
import { SHOWN_BALANCE_DEFECTS } from './defects/shown-balance.ts';
import { SIGNATURE_DEFECTS, SIGNED_PAYLOAD_DEFECTS } from './defects/signature.ts';
import { UNKNOWN_REFUND_DEFECTS } from './defects/unknown-refund.ts';
import { WIN_DEFECTS } from './defects/win.ts';
import type { Defect } from './variation.ts';

/** All defects of the reference operator. The defects that cost money come first. */
export const DEFECTS: readonly Defect[] = [
  ...IDEMPOTENCY_DEFECTS,
  ...REPEAT_DEFECTS,
  ...REFUND_DEFECTS,
  ...UNKNOWN_REFUND_DEFECTS,
  ...OVERTAKEN_BET_DEFECTS,
  ...CONCURRENCY_DEFECTS,
  ...MONEY_DEFECTS,
  ...SHOWN_BALANCE_DEFECTS,
  ...BALANCE_DEFECTS,
  ...BET_DEFECTS,
  ...WIN_DEFECTS,
  ...SESSION_DEFECTS,
  ...SIGNATURE_DEFECTS,
  ...SIGNED_PAYLOAD_DEFECTS,
  ...REFUSAL_DEFECTS,
  ...REPLY_DEFECTS,
  ...TX_ID_DEFECTS,
  ...ERROR_REPLY_DEFECTS,
  ...ERROR_MESSAGE_DEFECTS,
  ...BODY_DEFECTS,
  ...LAUNCH_DEFECTS,
  ...BUSY_DEFECTS,
];

const BY_NAME = new Map(DEFECTS.map((defect) => [defect.name, defect]));

export function defectByName(name: string): Defect | undefined {
  return BY_NAME.get(name);
}
