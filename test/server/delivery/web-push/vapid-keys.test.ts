import { createPublicKey, ECDH, verify } from 'node:crypto';
import * as assert from 'uvu/assert';
import { createVapid } from '../../../../server/delivery/web-push/vapid';
import { loadVapidKeys } from '../../../../server/delivery/web-push/vapid';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('VAPID keys');
const generateKeys = ECDH.prototype.generateKeys;
test.after.each(() => {
  ECDH.prototype.generateKeys = generateKeys;
});

/** Makes the next key pair use this scalar. One in 256 begins with a zero byte. */
function chooseScalar(scalar: Buffer): void {
  ECDH.prototype.generateKeys = function (this: ECDH) {
    this.setPrivateKey(scalar);
    return this.getPublicKey('base64url');
  } as unknown as typeof generateKeys;
}

test('signs with a 32-byte VAPID scalar, with any number of leading zero bytes', async () => {
  const { db } = server.services;
  for (const zeros of [0, 1, 2, 16]) {
    await db.deleteFrom('settings').where('name', '=', 'vapid').execute();
    const scalar = Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 7)]);
    chooseScalar(scalar);
    const keys = await loadVapidKeys(db);
    assert.is(keys.privateKey, scalar.toString('base64url'), `${zeros} zero bytes`);

    const header = createVapid(keys, 'mailto:ops@bell.example')('https://push.example');
    const [, signed = '', signature = ''] = /t=([^.]+\.[^.]+)\.([^,]+)/.exec(header) ?? [];
    const point = Buffer.from(keys.publicKey, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
      half.toString('base64url'),
    );
    const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    const isSigned = verify(
      'sha256',
      Buffer.from(signed),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    assert.ok(isSigned, `${zeros} zero bytes`);
  }
});

test.run();
