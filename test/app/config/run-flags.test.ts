import { describe, expect, it } from 'vitest';
import { repeatFlags } from '../../../src/app/config/run-flags.ts';

describe('the flags that repeat a run at the same operator', () => {
  it('are empty if the configuration has all settings', () => {
    expect(repeatFlags({ bail: true, json: true, seed: '1', report: ['json=a'] }, undefined)).toEqual([]);
  });

  it('name the client if several were judged', () => {
    expect(repeatFlags({ config: 'a.yaml' }, 'acme-eu')).toEqual(['--config', 'a.yaml', '--client', 'acme-eu']);
  });

  it('contain every flag that defines the operator', () => {
    const flags = { reference: true, defect: ['bet-twice', 'slow'], deadline: 400, stake: ['USD=1.00'] };
    expect(repeatFlags(flags, undefined).join(' ')).toBe(
      '--reference --defect bet-twice --defect slow --deadline 400ms --stake USD=1.00',
    );
  });
});
