import { expect, it } from 'vitest';
import { isMasked } from '../../src/traffic/masked.ts';

it.each([
  '***',
  '4711****',
  '[Redacted]',
  'xxxxxxxx',
  '0c9e1d20-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
  '4711XXXX',
  's-77####',
  's-77…',
])('a value that is masked wholly or in part is masked: %s', (value) => expect(isMasked(value)).toBe(true));

it.each(['4711', '12.50', 's-7731', '0c9e1d20-77aa-4b6e-8f2d-000000000001', 'max-xx-1', '0x1f', 'Please wait…'])(
  'any other value is not masked: %s',
  (value) => expect(isMasked(value)).toBe(false),
);
