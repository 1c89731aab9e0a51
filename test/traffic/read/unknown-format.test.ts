import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { mayBeCall } from '../../../src/traffic/read/may-be-call.ts';
import { entriesIn } from './entries-in.ts';

const BET = '{"amount":"5.00","sessionID":"s-1","txID":"t-1"}';

const whyOf = async (content: string | Uint8Array): Promise<readonly string[]> =>
  (await entriesIn(content)).map((entry) => (entry.kind === 'unreadable' ? entry.why : entry.kind));

function database(): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'unknown-format-'));
  try {
    const file = path.join(folder, 'wallet.db');
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE calls (body TEXT); INSERT INTO calls VALUES ('bet')");
    db.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A capture of one packet, with the header that libpcap writes. */
function capture(): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  return Buffer.concat([header, Buffer.from(`\0\0\0\0POST /eu/bet HTTP/1.1\r\n\r\n${BET}`)]);
}

const workbook = zipSync({
  '[Content_Types].xml': Buffer.from('<Types/>'),
  'xl/sharedStrings.xml': Buffer.from(`<sst><si><t>${BET}</t></si></sst>`),
});
/** Field 1 is the call, field 2 the amount, field 3 an inner message. */
const protobuf = Buffer.concat([
  Buffer.from([0x0a, 3]),
  Buffer.from('bet'),
  Buffer.from([0x10, 0xf4, 0x03, 0x1a, 0x06, 0x0a, 0x01, 0x01, 0x12, 0x01, 0x02]),
]);

/** A tar with one small file. The format of Unix version 7 has no word that names it. */
function tar(isOld: boolean): Buffer {
  const head = Buffer.alloc(512);
  head.write('wallet.log');
  for (const [at, text] of [
    [100, '0000644'],
    [108, '0000000'],
    [116, '0000000'],
    [124, '00000000050'],
    [136, '14716451353'],
    [148, '        0'],
  ] as const)
    head.write(text, at);
  if (!isOld) head.write('ustar', 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  const content = Buffer.alloc(512);
  content.write(BET);
  return Buffer.concat([head, content, Buffer.alloc(1024)]);
}

describe('a file that is no text', () => {
  it.each([
    ['a packet capture', capture(), 'it looks like a packet capture (pcap): save each HTTP stream as text'],
    ['a PDF', '%PDF-1.7\n1 0 obj\nPOST /eu/bet\n', 'it looks like a PDF: export the log as text or CSV'],
    ['a PDF in a gzip file', gzipSync('%PDF-1.7\n1 0 obj\n'), 'it looks like a PDF'],
    ['a workbook', workbook, 'it looks like a document of Excel or Word: save the log as CSV or text'],
    ['a tar', tar(false), 'it looks like a tar archive: unpack it, or pack the logs as zip'],
    ['an old tar', tar(true), 'it looks like a tar archive: unpack it, or pack the logs as zip'],
    ['a tar in a gzip file', gzipSync(tar(true)), 'it looks like a tar archive'],
    ['a database', database(), 'it looks like an SQLite database: export the table as CSV with a header'],
    ['a Windows event log', `ElfFile\0${'\0'.repeat(40)}`, 'it looks like a Windows event log (evtx)'],
    [
      'protobuf',
      Buffer.concat([protobuf, protobuf]),
      'it looks like binary data, for example protobuf: export the calls as',
    ],
  ])('is named once, with what to export instead: %s', async (_, content, why) => {
    const all = await entriesIn(content);
    expect(all).toEqual([{ kind: 'unreadable', line: 1, why: expect.stringContaining(why) as unknown }]);
    // Nothing of the file was read, so it may have calls.
    expect(all.map((entry) => entry.kind === 'unreadable' && mayBeCall(entry.text ?? null))).toEqual([true]);
  });

  it.each([
    ['UTF-16', Buffer.from(`\uFEFFPOST /eu/bet ${BET} -> 200 {"balance":"95.00"}\n`, 'utf16le')],
    ['colours', `\u001B[32mINFO\u001B[39m \u001B[1mPOST /eu/bet\u001B[22m ${BET} -> 200 {"balance":"95.00"}\n`],
    ['zeros at its beginning', `${'\0'.repeat(500)}POST /eu/bet ${BET} -> 200 {"balance":"95.00"}\n`],
    ['another script', `ставка 押注 POST /eu/bet ${BET} -> 200 {"balance":"95.00"}\n`],
  ])('is not a log with %s', async (_, content) => {
    expect(await whyOf(content)).toEqual(['exchange']);
  });
});

describe('a line that has no call', () => {
  it.each([
    ["<Events><Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>", 'a Windows event log'],
    ['Level,Date and Time,Source,Event ID,Task Category', 'a Windows event log'],
    [
      '2026-11-23 13:03:07 10.0.0.1 POST /eu/bet - 443 - 10.0.3.7 Go-http-client/1.1 - 200 0 0 42',
      'an IIS log without its header',
    ],
    ['[pod/wallet-6c9f7/app] ', 'the prefix of kubectl logs without the line of the program'],
    ['2026-11-23T13:03:07.123456789Z stdout F', 'the prefix of kubectl logs without the line of the program'],
    ['java.net.SocketTimeoutException: Read timed out', 'a line of a stack trace'],
    ['\tat com.example.wallet.BetController.bet(BetController.java:40) ~[app.jar:1.2]', 'a line of a stack trace'],
    ['Caused by: java.lang.IllegalStateException: no wallet', 'a line of a stack trace'],
    ['Traceback (most recent call last):', 'a line of a stack trace'],
    ['    at Wallet.bet (/app/src/wallet.js:12:3)', 'a line of a stack trace'],
    ['-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)', 'an SQL dump'],
    ["INSERT INTO `calls` VALUES (1,'bet','5.00');", 'an SQL dump'],
    ['<134>1 2026-11-23T13:03:07.123Z host wallet 7 - - connection pool ready', 'syslog (RFC 5424)'],
    ['<!DOCTYPE html><html><body>bet', 'a web page'],
    ['<?xml version="1.0"?><log>', 'XML'],
  ])('is named: %s', async (line, name) => {
    expect(await whyOf(`starting\n${line}\n`)).toEqual([
      'its format is unknown',
      expect.stringMatching(`it looks like ${name.replaceAll(/[()]/g, '\\$&')}`),
    ]);
  });

  it('is read if a known format has it after all', async () => {
    const message = `POST /eu/bet ${BET} -> 200 {"balance":"95.00"}`;
    expect(await whyOf(`<134>1 2026-11-23T13:03:07.123Z host wallet 7 - - ${message}\n`)).toEqual(['exchange']);
    expect(await whyOf(`[pod/wallet-6c9f7/app] ${message}\n`)).toEqual(['exchange']);
  });
});

describe('a tar archive', () => {
  const tar = Buffer.alloc(1024);
  tar.write('wallet.log', 0);
  tar.write('ustar', 257);
  tar.write(BET, 512);

  it.each([
    ['as it is', tar],
    ['compressed', gzipSync(tar)],
  ])('is named: %s', async (_how, content) => {
    expect(await whyOf(content)).toEqual([expect.stringMatching(/a tar archive: unpack it/)]);
  });
});
