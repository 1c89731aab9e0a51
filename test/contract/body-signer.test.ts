import { expect, it } from 'vitest';
import { BodySigner } from '../../src/contract/body-signer.ts';
import { signBody } from '../../src/contract/signature.ts';
import * as fc from '../properties.ts';

it('a signer of many bodies gives the same signatures as one signature alone', () => {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constantFrom('', 'k'.repeat(64), 'k'.repeat(65)),
  );
  const bodies = fc.array(fc.uint8Array({ maxLength: 4000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(key, bodies, (secret, all) => {
      const signer = new BodySigner(secret);
      // A long body comes before a short one too, so no byte of an earlier body may stay.
      for (const body of [...all, ...all.toReversed()]) {
        const signature = signBody(body, secret);
        expect(signer.sign(Buffer.from(body).toString('latin1'))).toBe(signature);
        expect(signer.sign(body)).toBe(signature);
      }
    }),
  );
});
