import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readFault } from '../../../src/traffic/proxy/fault.ts';
import * as fc from '../../properties.ts';
import { type RawProxy, type RawServer, rawProxy, rawServer, talk, until } from './wires.ts';

const open: { close(graceMs?: number): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close(0);
});

async function between(
  onData: Parameters<typeof rawServer>[0],
  options?: Parameters<typeof rawProxy>[1],
): Promise<{ readonly server: RawServer; readonly proxy: RawProxy }> {
  const server = await rawServer(onData);
  open.push(server);
  const proxy = await rawProxy(`http://127.0.0.1:${server.port}/base/`, options);
  open.push(proxy);
  return { server, proxy };
}

const REPLY =
  'HTTP/1.1 200 Fine By Me\r\nx-Odd-CASE:  two  blanks \r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\nh\0\xfflo';

describe('traffic through the proxy', () => {
  it('is unchanged to the byte, except for the path and the Host header', async () => {
    const { server, proxy } = await between((socket) => socket.write(Buffer.from(REPLY, 'latin1')));
    const head = (target: string, host: string) =>
      `POST ${target} HTTP/1.1\r\nhOsT:${host}\r\nX-REQUEST-SIGN: abc\r\nx-dup: 1\r\nX-Dup:2\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\n\x00\xff{}`;
    const { back } = await talk(
      proxy.port,
      [Buffer.from(head('/bet?a=%7e&b', ' here'), 'latin1')],
      (bytes) => bytes.length >= REPLY.length,
    );
    expect(back.toString('latin1')).toBe(REPLY);
    const expected = head('/base/bet?a=%7e&b', ` 127.0.0.1:${server.port}`);
    expect(server.received().toString('latin1')).toBe(expected);
  });

  it('keeps chunks, their extensions and trailers unchanged', async () => {
    const chunks = '4;ext="x"\r\n{"a"\r\n3\r\n:1}\r\n0\r\nX-Trailer: yes\r\n\r\n';
    const reply = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
    const { server, proxy } = await between((socket, bytes) => {
      if (bytes.toString().endsWith('yes\r\n\r\n')) socket.write(reply);
    });
    const request = `POST /win HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
    const { back } = await talk(proxy.port, [request], (bytes) => bytes.toString().endsWith('yes\r\n\r\n'));
    expect(back.toString()).toBe(reply);
    expect(server.received().toString().endsWith(`\r\n\r\n${chunks}`)).toBe(true);
    await until(() => proxy.passed.length === 1);
    expect(proxy.passed[0]?.proxiedCall.requestBody.bytes().toString()).toBe('{"a":1}');
    expect(proxy.passed[0]?.proxiedCall.replyBody.bytes().toString()).toBe('{"a":1}');
  });

  it('is unchanged however it is split, and gives one record for each call of a connection', async () => {
    const body = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const message = fc.tuple(body, fc.boolean()).map(([bytes, isChunked]) => {
      const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`;
      const chunked = Buffer.concat([
        ...(bytes.length > 0 ? [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')] : []),
        Buffer.from('0\r\n\r\n'),
      ]);
      return { bytes, lines: `${framing}\r\n\r\n`, raw: isChunked ? chunked : bytes };
    });
    // All runs use one server and one proxy, each run with a connection of its own.
    const replying: { wanted: number; pieces: readonly Buffer[] } = { wanted: 0, pieces: [] };
    const { server, proxy } = await between((socket) => {
      if (server.received(server.sockets.length - 1).length === replying.wanted)
        for (const piece of replying.pieces) socket.write(piece);
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 400 }), { maxLength: 4 }),
        async (messages, cuts) => {
          const requests = Buffer.concat(
            messages.flatMap(({ lines, raw }) => [Buffer.from(`POST /bet HTTP/1.1\r\nA: b\r\n${lines}`), raw]),
          );
          const replies = Buffer.concat(
            messages.flatMap(({ lines, raw }) => [Buffer.from(`HTTP/1.1 200 OK\r\n${lines}`), raw]),
          );
          replying.wanted = requests.length + messages.length * '/base'.length;
          replying.pieces = split(replies, cuts);
          const before = proxy.passed.length;
          const { back } = await talk(proxy.port, split(requests, cuts), (all) => all.length >= replies.length);
          expect(back.equals(replies)).toBe(true);
          expect(
            server
              .received(server.sockets.length - 1)
              .toString('latin1')
              .replaceAll('/base/bet', '/bet'),
          ).toBe(requests.toString('latin1'));
          await until(() => proxy.passed.length === before + messages.length);
          expect(
            proxy.passed.slice(before).map(({ proxiedCall }) => proxiedCall.replyBody.bytes().toString('hex')),
          ).toEqual(messages.map(({ bytes }) => bytes.toString('hex')));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is passed on even if it is not HTTP', async () => {
    const { server, proxy } = await between((socket) => socket.write('220 hello\r\n'));
    const { back } = await talk(proxy.port, ['EHLO there\r\n\r\nmore'], (bytes) => bytes.length >= 11);
    expect(back.toString()).toBe('220 hello\r\n');
    expect(server.received().toString()).toBe('EHLO there\r\n\r\nmore');
  });

  it('is unchanged behind a head that is not valid, and the proxy says so', async () => {
    const { server, proxy } = await between((socket) => socket.write('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'));
    const odd = 'POST /bet HTTP/1.1\r\nHost: a\nX: b\r\nContent-Length: 2\r\n\r\n{}';
    const { back } = await talk(proxy.port, [odd], (bytes) => bytes.toString().endsWith('{}'));
    expect(back.toString()).toBe('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}');
    expect(server.received().toString()).toBe(odd);
    await until(() => proxy.unparsed.length > 0);
    expect(proxy.unparsed).toEqual(['service']);
  });

  it('still gets the path of the operator after a reply whose end cannot be found', async () => {
    const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}';
    const { server, proxy } = await between((socket) => socket.write(reply));
    const get = 'GET /balance HTTP/1.1\r\nA: b\r\n\r\n';
    const client = net.connect(proxy.port, '127.0.0.1');
    let back = '';
    client.on('data', (bytes: Buffer) => {
      back += bytes.toString();
    });
    client.write(get);
    // The second request must come after the first reply. A pause in its place would be too short on a busy machine.
    await until(() => back === reply);
    client.write(`\r\n${get}`);
    await until(() => back === reply + reply);
    client.destroy();
    const sent = get.replace('/balance', '/base/balance');
    expect(server.received().toString()).toBe(`${sent}\r\n${sent}`);
    await until(() => proxy.passed.length === 2);
    expect(proxy.passed.map(({ end }) => end.kind)).toEqual(['opaque', 'opaque']);
    expect([proxy.unparsed, proxy.exceeded]).toEqual([['operator'], []]);
  });

  it.each([
    ['no HTTP', 'more'],
    ['an empty line', '\r\n'],
    ['another reply', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
  ])('is reported if more bytes follow a reply: %s', async (_, more) => {
    const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
    const { proxy } = await between((socket) => socket.write(reply + more));
    const get = 'GET /balance HTTP/1.1\r\n\r\n';
    const wanted = reply.length + more.length;
    const { back } = await talk(proxy.port, [get], (bytes) => bytes.length >= wanted);
    expect(back.toString()).toBe(reply + more);
    await until(() => proxy.exceeded.length === 1);
    expect(proxy.exceeded).toEqual(['p1']);
    expect(proxy.passed.map(({ end }) => end.kind)).toEqual(['reply']);
  });

  it('is streamed: the first bytes of a reply arrive before its end', async () => {
    const { server, proxy } = await between((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst');
    });
    const { back } = await talk(proxy.port, ['GET /balance HTTP/1.1\r\nHost: x\r\n\r\n'], (bytes) =>
      bytes.toString().endsWith('first'),
    );
    expect(back.length).toBeGreaterThan(0);
    await until(() => server.closed.length > 0);
    await until(() => proxy.passed.length === 1);
    expect(proxy.passed[0]?.end).toMatchObject({ kind: 'none', reason: 'broken' });
  });
});

describe('a connection that is closed', () => {
  it('by the operator within its reply is closed for the service after the same byte', async () => {
    const { proxy } = await between((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!'));
    const { back, how } = await talk(proxy.port, ['GET /balance HTTP/1.1\r\nHost: x\r\n\r\n'], () => false);
    expect([back.toString().endsWith('five!'), how]).toEqual([true, 'ended']);
    await until(() => proxy.passed.length === 1);
    expect(proxy.passed[0]?.end).toMatchObject({ kind: 'none', reason: 'closed-early' });
  });

  it('by the operator with a reset is reset for the service', async () => {
    const { proxy } = await between((socket) => socket.resetAndDestroy());
    const { how } = await talk(proxy.port, ['GET /balance HTTP/1.1\r\nHost: x\r\n\r\n'], () => false);
    expect(how).toBe('reset');
  });

  it('by the service, which aborts its call, is closed for the operator too', async () => {
    const { server, proxy } = await between(() => {});
    const client = net.connect(proxy.port, '127.0.0.1');
    client.write('POST /bet HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    await until(() => server.received().toString().endsWith('{}'));
    expect(server.closed).toEqual([]);
    client.destroy();
    await until(() => server.closed.length > 0);
  });

  it('on the sending side only still gives the operator time to reply', async () => {
    const { proxy } = await between((socket, bytes) => {
      if (bytes.toString().endsWith('{}')) setTimeout(() => socket.end('HTTP/1.0 200 OK\r\n\r\nlate'), 30);
    });
    const client = net.connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    client.end('POST /bet HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    let back = '';
    for await (const piece of client) back += String(piece);
    expect(back).toBe('HTTP/1.0 200 OK\r\n\r\nlate');
  });
});

describe('an operator that cannot be reached', () => {
  it('makes the proxy reply with a 502 that names croupier as its sender', async () => {
    const server = await rawServer(() => {});
    await server.close();
    const proxy = await rawProxy(`http://127.0.0.1:${server.port}`);
    open.push(proxy);
    const { back } = await talk(proxy.port, ['GET /balance HTTP/1.1\r\nHost: x\r\n\r\n'], () => false);
    expect(back.toString()).toMatch(/^HTTP\/1\.1 502 .*\r\nX-Croupier-Proxy: unreachable\r\n/);
    expect(back.toString()).toContain('This reply is not from the operator');
    await until(() => proxy.passed.length === 1);
    expect(proxy.passed[0]?.end).toMatchObject({ kind: 'none', reason: 'refused' });
  });
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const BET = 'POST /bet HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

describe('an injected fault', () => {
  it('delays a reply that the operator gave in time', async () => {
    const { proxy } = await between((socket) => socket.write(OK), { faults: [readFault('delay=300ms,call=bet')] });
    const from = performance.now();
    await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length);
    const took = performance.now() - from;
    const [first] = proxy.passed;
    const ofOperator = (first?.proxiedCall.end ?? 0) - (first?.proxiedCall.sent ?? 0);
    expect(took - ofOperator).toBeGreaterThan(280);
  });

  it('delays a request, and measures the duration from when it was sent', async () => {
    let received = Number.POSITIVE_INFINITY;
    const { proxy } = await between(
      (socket) => {
        received = Math.min(received, performance.now());
        socket.write(OK);
      },
      { faults: [readFault('delay-request=300ms')] },
    );
    const from = performance.now();
    await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length);
    expect(received - from).toBeGreaterThan(280);
    const [first] = proxy.passed;
    expect((first?.proxiedCall.sent ?? 0) - (first?.proxiedCall.start ?? 0)).toBeGreaterThan(280);
  });

  it('drops every second request before the operator sees it', async () => {
    const { server, proxy } = await between((socket) => socket.write(OK), {
      faults: [readFault('drop=request,every=2')],
    });
    const hows = [];
    for (let call = 0; call < 4; call += 1) {
      hows.push((await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length)).how);
    }
    expect(hows).toEqual(['enough', 'ended', 'enough', 'ended']);
    expect(server.sockets.length).toBe(2);
  });

  it('drops a reply, once', async () => {
    const { proxy } = await between((socket) => socket.write(OK), { faults: [readFault('drop=reply,times=1')] });
    const first = await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length);
    expect([first.how, first.back.length]).toEqual(['ended', 0]);
    expect((await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length)).how).toBe('enough');
    expect(proxy.passed[0]?.end).toEqual({ kind: 'reply' });
  });

  it('repeats the same bytes, and does not pass on the replies to them', async () => {
    const { server, proxy } = await between((socket) => socket.write(OK), { faults: [readFault('repeat=2')] });
    const { back } = await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length);
    expect(back.toString()).toBe(OK);
    await until(() => proxy.passed.length === 3);
    expect([1, 2].map((at) => server.received(at).toString())).toEqual([
      server.received(0).toString(),
      server.received(0).toString(),
    ]);
    expect(proxy.passed.map(({ proxiedCall }) => proxiedCall.source)).toEqual(['service', 'proxy', 'proxy']);
  });
});

describe('a judge that throws an error', () => {
  it('is reported, and the traffic still passes', async () => {
    const fails = (): never => {
      throw new Error('a bug');
    };
    const { proxy } = await between((socket) => socket.write(OK), {
      judging: { requested: fails, ended: fails, missed: fails },
    });
    for (let call = 0; call < 3; call += 1)
      expect((await talk(proxy.port, [BET], (bytes) => bytes.length >= OK.length)).how).toBe('enough');
    await until(() => proxy.passed.length === 3);
    expect(proxy.observations.unjudged).toBe(3);
    expect(proxy.faults.length).toBeGreaterThan(0);
  });
});

function split(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const ends = [...at, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}
