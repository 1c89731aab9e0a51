import { describe, expect, it } from 'vitest';
import { isUnrelated } from '../../../../src/traffic/read/logs/unrelated.ts';
import { entriesIn } from '../entries-in.ts';

const AT = '2026-11-23 13:03:05.100 DEBUG [http-nio-8080-exec-7] c.e.w.App :';

describe('a line of text', () => {
  it.each([
    `${AT} Creating new transaction with name [com.example.Service.book]: PROPAGATION_REQUIRED`,
    `${AT} select w1_0.id, w1_0.version from wallet w1_0 where w1_0.id=? for update`,
    `${AT} binding parameter (1:BIGINT) <- [47]`,
  ])('is not tried as a call if it certainly is none: %s', async (line) => {
    expect(isUnrelated(line)).toBe(true);
    expect(await entriesIn(`${line}\n`)).toMatchObject([{ kind: 'unreadable', why: 'its format is unknown' }]);
  });

  it.each([
    `${AT} POST api/wallet/bet`,
    `${AT} call=BET amount=5.00`,
    `${AT} Response: 200`,
    `${AT} <-- 504 Gateway Timeout`,
    `${AT} 502 <html><body>Bad Gateway`,
    `${AT} Completed 200 OK in 8ms`,
    `${AT} event=started level=info port=80`,
  ])('is tried as a call if it may be a part of one: %s', (line) => {
    expect(isUnrelated(line)).toBe(false);
  });
});
