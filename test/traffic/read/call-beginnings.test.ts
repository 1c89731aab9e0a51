import { describe, expect, it } from 'vitest';
import { gatherCalls } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { inPieces } from './entries-in.ts';

const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"b-1","type":"regular"}';
const REPLY = '{"balance":"95.00","txID":"op-1"}';
const TEXT = [
  '2026-11-23 14:00:00.100 INFO GET /eu/balance?sessionID=s-1 -> 200 {"balance":"100.00"}',
  `2026-11-23 14:00:02.340 INFO POST /eu/bet ${BET} -> 200 ${REPLY}`,
];
const CSV = [
  'time,method,url,status,response',
  '2026-11-23T14:00:00.100Z,GET,/eu/balance?sessionID=s-1,200,"{""balance"":""100.00""}"',
];

/** The reasons of the lines that may be calls. */
async function unread(content: string): Promise<readonly string[]> {
  const source = { file: 'a.log', side: 'operator', form: logForm(), open: () => inPieces(content, 97) } as const;
  const { unreadCalls } = await gatherCalls([source], {}, new Map(), new Map());
  return unreadCalls.first.map(({ why }) => why);
}

const WITHIN = 'the file ends within this line';

describe('the last line of a file without its end', () => {
  it.each([
    '2026-11-23 14:0',
    '2026-11-23 14:00:05.7',
    '2026-11-23 14:00:05.700 INFO PO',
    '2026-11-23 14:00:05.700 INFO GET /eu/ba',
  ])('may be a call if the lines with calls begin like it: %s', async (rest) => {
    expect(await unread([...TEXT, rest].join('\n'))).toEqual([WITHIN]);
  });

  it.each(['2026-11-23 14:00:05.700 INFO stopped', '2026-11-23 14:00:05.700 WARN', '$ exit', ' '])(
    'is no call if the lines with calls begin differently: %s',
    async (rest) => {
      expect(await unread([...TEXT, rest].join('\n'))).toEqual([]);
    },
  );

  it('is no call if it is whole', async () => {
    expect(await unread(`${[...TEXT, '2026-11-23 14:00:05.700 INFO'].join('\n')}\n`)).toEqual([]);
    expect(await unread(TEXT.join('\n'))).toEqual([]);
  });

  it('may be a call if it is a row of a CSV', async () => {
    expect(await unread([...CSV, '2026-11-23T14:00:05.100Z,POST,/eu/b'].join('\n'))).toEqual([
      'the row has another number of columns than the header',
    ]);
    expect(await unread([...CSV, '(1 row)'].join('\n'))).toEqual([]);
  });
});

it('a line with the method and the path of a call may be a call, also in the middle of a file', async () => {
  const cut = '2026-11-23 14:00:01.000 INFO {"method":"GET","url":"https://wallet.example/eu/balance?ses';
  expect(await unread(`${[TEXT[0], cut, TEXT[1]].join('\n')}\n`)).toHaveLength(1);
});
