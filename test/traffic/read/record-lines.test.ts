import { describe, expect, it } from 'vitest';
import { withRecordLines } from '../../../src/traffic/read/record-lines.ts';

async function linesOf(text: string, size = text.length): Promise<readonly string[]> {
  async function* parts() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const pieces: Buffer[] = [];
  for await (const piece of withRecordLines(text.slice(0, 200), parts())) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString().split('\n');
}

const event = (data: string): string =>
  `<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System><TimeCreated SystemTime="2026-11-21T13:03:00.000Z"/></System><EventData>${data}</EventData></Event>`;

describe('withRecordLines', () => {
  it.each([1000, 7])('writes each event of Windows on a line, read in parts of %i bytes', async (size) => {
    const text = `<?xml version="1.0"?><Events>${event('<Data>{&quot;a&quot;: &quot;é&#x21;&amp;&quot;}</Data>')}\n${event('<Data Name="url">/bet</Data>\n<Data Name="status">200</Data>')}</Events>`;
    expect(await linesOf(text, size)).toEqual([
      '<14>1 2026-11-21T13:03:00.000Z - - - - - {"a": "é!&"}',
      '{"time":"2026-11-21T13:03:00.000Z","url":"/bet","status":"200"}',
      '',
      '',
    ]);
  });

  it('keeps an event that is cut off', async () => {
    expect((await linesOf(`<Events>${event('<Data>a</Data>')}<Event xmlns="x"><System>`))[1]).toBe(
      '<Event xmlns="x"><System>',
    );
  });

  it('writes structured data of syslog as JSON', async () => {
    const head = '<134>1 2026-11-21T13:03:00.000Z w1 wallet 412 http';
    const both = `${head} [a@1 url="/bet"][b@1 status="200" body="{\\"x\\":\\"\\]\\\\\\"}"]`;
    const twice = `${head} [a@1 url="/bet"][b@1 url="/win"]`;
    const withText = `${head} [a@1 url="/bet"] bet accepted`;
    expect(await linesOf([both, twice, withText].join('\n'))).toEqual([
      String.raw`{"time":"2026-11-21T13:03:00.000Z","url":"/bet","status":"200","body":"{\"x\":\"]\\\"}"}`,
      twice,
      withText,
    ]);
  });
});
