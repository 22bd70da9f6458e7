import { createECDH } from 'node:crypto';
import type { Database } from '../../db/open';
import { keepFirst, readSetting } from '../../db/settings';
import type { VapidKeys } from './vapid';

/**
 * The installation's Web Push key pair, made at first use. Processes that start together end up
 * with the same one: the first row stays. Changing it later would silence every device, as
 * subscriptions are bound to it (RFC 8292, section 4).
 */
export async function loadVapidKeys(db: Database): Promise<VapidKeys> {
  const kept = await readSetting('vapid', db);
  const keys = kept ?? (await keepFirst('vapid', JSON.stringify(createVapidKeys()), db));
  return JSON.parse(keys) as VapidKeys;
}

function createVapidKeys(): VapidKeys {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  // A scalar that begins with zero bytes comes out shorter; a JWK's `d` has 32 bytes (RFC 7518,
  // section 6.2.2.1).
  const scalar = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  return { publicKey, privateKey: scalar.toString('base64url') };
}
