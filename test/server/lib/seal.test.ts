import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seal, unseal } from '../../../server/lib/seal';

const test = suite('sealing');
const sealing = { secret: 'x'.repeat(32), purpose: 'a test' };

test('unseals a value only with the same secret and purpose', () => {
  const value = { id: 7, text: 'Störung ☂' };
  const sealed = seal(value, sealing);
  assert.match(sealed, /^[\w-]+$/);
  assert.equal(unseal(sealed, sealing), value);
  assert.is(unseal(sealed, { ...sealing, purpose: 'another' }), undefined);
  assert.is(unseal(sealed, { ...sealing, secret: 'y'.repeat(32) }), undefined);
  assert.is.not(seal(value, sealing), sealed);
});

test('unseals nothing that was changed, cut or invented', () => {
  const sealed = seal('value', sealing);
  const bytes = Buffer.from(sealed, 'base64url');
  for (const [at] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.is(unseal(changed.toString('base64url'), sealing), undefined, `byte ${at}`);
  }
  for (const text of ['', 'x', sealed.slice(0, -2), 'x'.repeat(500), '%%%'])
    assert.is(unseal(text, sealing), undefined);
});

test.run();
