import { describe, expect, it } from 'vitest';
import { type SignatureState, signBody, signQuery } from '../../../src/contract/signature.ts';
import { signatureOf } from '../../../src/traffic/calls/signature.ts';
import { type LoggedExchange, textBody } from '../../../src/traffic/logged-exchange.ts';
import { recordedCall } from '../../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../../src/traffic/timeline/timeline.ts';

const KEY = 'a key that is none';
const BODY = '{"amount":"1.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const RIGHT = signBody(Buffer.from(BODY), KEY);
const OTHER = 'the key of another client';
const WRONG = signBody(Buffer.from(BODY), 'another');

interface Sent {
  readonly signature?: string;
  readonly logged?: string;
  readonly body?: string | null;
  readonly status?: number;
  readonly reply?: string;
  readonly tx?: string;
}

function exchange({ signature, logged, body = BODY, status = 200, reply, tx = 't-1' }: Sent): LoggedExchange {
  const text = body?.replace('t-1', tx);
  const sign = signature === 'right' ? signBody(Buffer.from(text ?? ''), KEY) : signature;
  return {
    place: { file: 'f', line: 1 },
    side: 'service',
    time: null,
    tookMs: null,
    request: {
      method: 'POST',
      url: '/bet',
      headers:
        logged === undefined
          ? [['Accept', '*/*'], ...(sign === undefined ? [] : [['x-request-sign', sign] as const])]
          : null,
      body: text === undefined ? 'unknown' : textBody(text),
    },
    answer: { kind: 'reply', status, headers: null, body: textBody(reply ?? '{"balance":"9.00","txID":"o-1"}') },
    logged: logged === undefined ? {} : { signature: logged },
  };
}

it('of a call that was accepted is not wrong if the log has only the fields of its body', () => {
  const one = { ...exchange({ logged: WRONG }), isBodyRewritten: true } as const;
  expect(state(one)).toBe('unknown');
  expect(state({ ...one, answer: { kind: 'reply', status: 401, headers: null, body: null } })).toBe('wrong');
});

const state = (one: LoggedExchange, keys: readonly string[] = [KEY]): SignatureState =>
  signatureOf(one, () => ({ own: keys, others: [] }));

describe('a signature', () => {
  it.each([
    ['right', { signature: RIGHT }],
    ['wrong', { signature: WRONG }],
    ['unknown', { signature: RIGHT.toUpperCase() }],
    ['wrong', { signature: 'garbage' }],
    ['missing', {}],
    ['missing', { signature: '' }],
    ['unknown', { signature: RIGHT, body: null }],
    ['unknown', { signature: '****' }],
    ['unknown', { signature: '[REDACTED]' }],
    ['right', { logged: RIGHT }],
    // A log writes a body again.
    ['right', { logged: RIGHT, body: JSON.stringify(JSON.parse(BODY), null, 2) }],
    // The body is exact, so that an operator which writes it again accepts the signature, and another refuses it.
    ['unknown', { signature: RIGHT, body: JSON.stringify(JSON.parse(BODY), null, 2) }],
  ] as const)('is %s: %o', (expected, sent) => {
    expect(state(exchange(sent))).toBe(expected);
  });

  it('is right by any of the keys, and unknown without one', () => {
    expect(state(exchange({ signature: RIGHT }), ['another', KEY])).toBe('right');
    expect(state(exchange({ signature: RIGHT }), [])).toBe('unknown');
  });

  it('of a GET is that of its query', () => {
    const query = [['sessionID', 's 1']] as const;
    const get = (signature: string): LoggedExchange => ({
      ...exchange({ signature }),
      request: { method: 'GET', url: '/balance?sessionID=s%201', headers: [['X-REQUEST-SIGN', signature]], body: null },
    });
    expect(state(get(signQuery(query, KEY)))).toBe('right');
    expect(state(get(signQuery([['sessionID', 's%201']], KEY)))).toBe('wrong');
  });
});

describe('how an operator answers it', () => {
  const broken = (...sent: readonly Sent[]): readonly string[] =>
    buildTimeline(
      sent.flatMap((one) => recordedCall(exchange(one)) ?? []),
      {},
      new Map(),
      () => ({ own: [KEY], others: [OTHER] }),
    ).breaches.map(({ rule, verdict }) => `${rule} ${verdict}`);
  const REFUSED = { status: 401, reply: '{"message":"Wrong signature"}' };

  it('breaks a rule when a right one is refused', () => {
    expect(broken({ signature: 'right', ...REFUSED })).toEqual(['signature.accepted fail']);
    expect(broken({ signature: 'right', status: 401, reply: '{"message":"x","code":"session_expired"}' })).toEqual([]);
  });

  it('breaks a rule when a wrong one is taken, by a key that is proven', () => {
    expect(broken({ signature: WRONG, ...REFUSED })).toEqual([]);
    expect(broken({ signature: WRONG })).toEqual(['signature.mismatch warn']);
    expect(broken({ signature: 'right', tx: 't-0' }, { signature: WRONG })).toEqual(['signature.mismatch fail']);
    expect(broken({})).toEqual(['signature.missing fail']);
  });

  it("breaks a rule when one by another client's key is taken", () => {
    const signature = signBody(Buffer.from(BODY), OTHER);
    expect(broken({ signature })).toEqual(['signature.client-key fail']);
    expect(broken({ signature, ...REFUSED })).toEqual([]);
  });
});

describe('the signature of a call in a log that may have another body than was sent', () => {
  /** The bodies as the service sent them: with the fields in an order of their own. */
  const SENT = ['t-1', 't-2', 't-3'].map(
    (txID) =>
      `{"sessionID":"s-1","txID":"${txID}","roundID":"r/${txID}","amount":"1.00","type":"regular","token":"eyJ"}`,
  );
  const REFUSED = 't-3';

  /** The states of three calls. The operator refused the last one. `write` writes the body as the log has it. */
  function statesOf(write: (body: string) => string, signer: (body: string) => string = right): string {
    const calls = SENT.flatMap((body) => {
      const isRefused = body.includes(REFUSED);
      const logged = isRefused ? signer(body) : right(body);
      return (
        recordedCall(
          exchange({
            logged,
            body: write(body),
            ...(isRefused && { status: 401, reply: '{"message":"Wrong signature"}' }),
          }),
        ) ?? []
      );
    });
    const {
      calls: shown,
      breaches,
      oddities,
    } = buildTimeline(calls, {}, new Map(), () => ({ own: [KEY], others: [] }));
    const blames = [...breaches.map(({ rule }) => rule), ...oddities.map(({ kind }) => kind)];
    return [...shown.map(({ signature }) => signature), ...blames].join(' ');
  }

  const right = (body: string): string => signBody(Buffer.from(body), KEY);
  const wrong = (body: string): string => signBody(Buffer.from(body), 'another');
  const changed = (change: object) => (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), ...change });
  const onlyLast = (write: (body: string) => string) => (body: string) => (body.includes(REFUSED) ? write(body) : body);

  it.each([
    ['has the bytes', (body: string) => body, 'right right right signature.accepted'],
    ['indents', (body: string) => JSON.stringify(JSON.parse(body), null, 2), 'right right right signature.accepted'],
    ['adds spaces', (body: string) => body.replaceAll(':', ': ').replaceAll(',', ', '), 'right right unknown'],
    ['escapes slashes', (body: string) => body.replaceAll('/', '\\/'), 'right right unknown'],
    ['masks a value', changed({ token: '***' }), 'unknown unknown unknown'],
    ['masks a value once', onlyLast(changed({ token: '***' })), 'right right unknown'],
    ['hashes a value', changed({ token: '77fa' }), 'unknown unknown unknown'],
    ['leaves out a field', changed({ token: undefined }), 'unknown unknown unknown'],
    ['leaves out a field once', onlyLast(changed({ token: undefined })), 'right right unknown'],
  ] as const)('is not wrong only because the log %s', (_how, write, states) => {
    expect(statesOf(write)).toBe(states);
  });

  it('is wrong if another call shows that the log has what was signed', () => {
    expect(statesOf((body) => body, wrong)).toBe('right right wrong service-fault');
    expect(statesOf((body) => JSON.stringify(JSON.parse(body), null, 2), wrong)).toBe(
      'right right wrong service-fault',
    );
    expect(statesOf(changed({ token: '77fa' }), wrong)).toBe('unknown unknown unknown');
  });
});
