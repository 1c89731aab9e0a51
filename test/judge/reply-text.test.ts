import { describe, expect, it } from 'vitest';
import { contentTypeProblem, leakIn } from '../../src/judge/reply-text.ts';

describe('a message', () => {
  it.each([
    ['<script>alert(1)</script>', 'markup'],
    ['Traceback (most recent call last)\n  File "app.py", line 3', 'stack trace'],
    ['Error: x\n    at bet (/srv/app.js:10:5)', 'stack trace'],
    ['java.lang.NullPointerException', 'stack trace'],
    ['panic: runtime error', 'stack trace'],
    ['SQLSTATE[23000]: Integrity', 'database error'],
    ['UPDATE wallets SET balance = 1', 'SQL'],
    ['select balance from wallets where id = 7', 'SQL'],
    ['TypeError: x is undefined', 'exception'],
  ])('%j leaks', (message, what) => {
    expect(leakIn(message)).toContain(what);
  });

  it.each([
    'You do not have enough money for this bet.',
    'Please select another game from the list.',
    'Your limit is 5 < 10 EUR',
    'Update your profile, set a limit, and try again.',
    'Not enough: balance 3.50 at 12:30',
    '余额不足',
  ])('%j can be shown', (message) => {
    expect(leakIn(message)).toBeUndefined();
  });
});

it.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON;charset="UTF-8"', true],
  ['application/vnd.acme+json', true],
  ['text/html', false],
  ['application/json; charset=iso-8859-1', false],
  [undefined, false],
] as const)('Content-Type %s says JSON: %s', (value, right) => {
  expect(contentTypeProblem(value) === undefined).toBe(right);
});
