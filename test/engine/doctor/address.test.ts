import { describe, expect, it } from 'vitest';
import { checkBaseUrl, checkTarget, isLocal } from '../../../src/engine/doctor/address.ts';

describe('the base URL', () => {
  it.each([
    ['https://wallet.example/eu', 'of-contract', 'good', ''],
    ['https://wallet.example/', 'of-contract', 'good', ''],
    ['https://wallet.example/eu/', 'of-contract', 'warn', 'ends with a slash'],
    ['https://wallet.example/eu/eu', 'of-contract', 'warn', '/eu twice'],
    ['https://wallet.example//eu', 'of-contract', 'warn', 'two slashes'],
    ['https://wallet.example/eu/bet', 'of-contract', 'warn', 'path of a call'],
    ['https://wallet.example/eu/bet', 'unknown', 'warn', 'path of a call'],
    ['https://wallet.example/eu', 'other', 'good', ''],
    ['https://wallet.example/eu/balance', 'other', 'bad', '…/balance/balance'],
    ['https://wallet.example/eu', 'not-found', 'bad', 'does not know'],
  ] as const)('the base URL %s with a reply of the kind "%s" is judged %s', (url, answer, state, seen) => {
    const made = checkBaseUrl(url, {}, answer);
    expect(made.state).toBe(state);
    expect(made.seen).toContain(seen);
  });

  it('the base URL may end with the name of a call that has a configured path', () => {
    expect(checkBaseUrl('https://wallet.example/bet', { bet: 'place' }, 'not-found').seen).not.toContain(
      'path of a call',
    );
  });

  it('the advice about a faulty base URL names the base URL without the fault', () => {
    expect(checkBaseUrl('https://wallet.example/eu/bet/', {}, 'not-found').advice).toContain(
      'https://wallet.example/eu',
    );
  });
});

describe('the target', () => {
  it.each([
    ['https://wallet.example/eu', '203.0.113.7', 'warn'],
    ['https://www.casino.example/', '203.0.113.7', 'warn'],
    ['https://api-prod.casino.example/', '10.0.0.7', 'warn'],
    ['https://casino.example/live/eu', '10.0.0.7', 'warn'],
    ['https://staging.casino.example/', '203.0.113.7', 'good'],
    ['https://preprod2.casino.example/', '203.0.113.7', 'good'],
    ['https://casino.example/test/eu', '203.0.113.7', 'good'],
    ['https://wallet.example/', '10.0.0.7', 'good'],
    ['http://[::1]:8080/', null, 'good'],
    ['https://wallet.example/', null, 'warn'],
    ['https://test.www.casino.example/', '203.0.113.7', 'good'],
    ['https://non-prod.casino.example/', '203.0.113.7', 'good'],
    ['https://pre.prod.casino.example/', '203.0.113.7', 'good'],
    ['https://prod01.casino.example/test', '203.0.113.7', 'warn'],
    ['https://deliver.casino.example/', '203.0.113.7', 'warn'],
    ['http://127.0.0.1:8080/prod', null, 'good'],
    ['http://[::ffff:127.0.0.1]/live', null, 'good'],
    ['http://192.168.1.7/live', null, 'good'],
    ['http://prod.casino.example/', '127.0.0.1', 'good'],
    ['https://wallet.example/', 'none', 'not-tried'],
    ['https://prod.wallet.example/', 'none', 'warn'],
  ] as const)('the target %s at the address %s is judged %s', (url, address, state) => {
    expect(checkTarget(url, address).state).toBe(state);
  });

  it('`production` in the configuration overrides what the name of the host suggests', () => {
    expect(checkTarget('https://staging.casino.example/', '10.0.0.7', true).state).toBe('warn');
    expect(checkTarget('https://www.casino.example/', '203.0.113.7', false).state).toBe('good');
  });

  it('private addresses are recognised', () => {
    expect(['10.1.2.3', '172.31.0.1', '192.168.1.1', '127.0.0.1', 'fd00::1', 'fe80::1'].every(isLocal)).toBe(true);
    expect(['8.8.8.8', '172.32.0.1', '2001:db8::1', 'wallet.example'].some(isLocal)).toBe(false);
  });
});
