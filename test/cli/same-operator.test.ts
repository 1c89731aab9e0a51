import { describe, expect, it } from 'vitest';
import { sameOperator } from '../../src/cli/same-operator.ts';

describe('the flags that meet the same operator again', () => {
  it('are none where the configuration says it all', () => {
    expect(sameOperator({ bail: true, json: true, seed: '1', report: ['json=a'] }, undefined)).toEqual([]);
  });

  it('name the client where several were judged', () => {
    expect(sameOperator({ config: 'a.yaml' }, 'acme-eu')).toEqual(['--config', 'a.yaml', '--client', 'acme-eu']);
  });

  it('repeat what was said of the operator', () => {
    const flags = { reference: true, defect: ['bet-twice', 'slow'], deadline: 400, stake: ['USD=1.00'] };
    expect(sameOperator(flags, undefined).join(' ')).toBe(
      '--reference --defect bet-twice --defect slow --deadline 400ms --stake USD=1.00',
    );
  });
});
