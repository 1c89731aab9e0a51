import { describe, expect, it } from 'vitest';
import { operatorServer, ran, scenarioOf } from './operator-server.ts';

const UNSIGNED = scenarioOf(
  'signature/unsigned',
  'rules: [signature.missing]\nsteps: [{ bet: }, { balance: }, { bet: , sign: missing, expect: refused }, { balance: }]',
);
/** A busy machine is no breach of the deadline. */
const PATIENT = { deadlineMs: 4000 };

const isSigned = ({ request }: { readonly request: { readonly headers: object } }): boolean =>
  'x-request-sign' in request.headers;

describe('a connection that is closed on a call which should have been refused', () => {
  it('is the operator’s answer when it comes each time, and on no other call', async () => {
    const { url, wallet } = await operatorServer((called, tell) => {
      if (isSigned(called)) return tell();
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(run.verdict('signature.missing')).toBe('fail');
    expect(run.scenario('signature/unsigned')).toMatchObject({ attempt: 1, restored: true });
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('is an accident when the same call is answered after that', async () => {
    let closed = 0;
    const { url } = await operatorServer((called, tell) => {
      if (isSigned(called) || closed > 0) return tell();
      closed += 1;
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(closed).toBe(1);
    expect(run.verdict('signature.missing')).toBe('pass');
  });

  it('is nobody’s fault when other calls are not answered either', async () => {
    let isDown = false;
    const { url } = await operatorServer((called, tell) => {
      isDown ||= !isSigned(called);
      if (!isDown) return tell();
      called.response.destroy();
      return null;
    });
    const run = await ran(url, [UNSIGNED], PATIENT);
    expect(run.verdict('signature.missing')).toBe('inconclusive');
  });
});
