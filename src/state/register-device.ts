/**
 * Registers this browser for push. Loaded only where the permission is there: others need none of
 * it.
 */
import { call } from '../api/call';
import type { Device, RegisteredDevice } from '../shared/contract';
import { deviceType } from '../platform/notifications';
import { pushTransport } from '../platform/push';
import { keepDevice, own, owner } from '../platform/received';
import { read, write } from '../platform/storage';
import { withLock } from '../platform/lock';
import { within, worker } from '../platform/worker';
import { like, type Check } from '../api/shapes';
import { claims, DEVICE, DEVICE_SINCE, unregister } from './session';

/** The fields of a device that are read. */
const aDevice = { id: 0, deviceToken: '' } as Device;

/** A token older than this is renewed (S9.13). */
const OLD_MS = 7 * 24 * 3600_000;
/** A token that is not there by then will not come: the person is told instead of left waiting. */
const TOKEN_MS = 15_000;

/**
 * Gets the push token, and registers it unless the server lists it already. A token that it
 * replaces is unregistered. Null if the session ended meanwhile.
 * @throws {Error} with the reason, for the person
 */
export const registerDevice = (): Promise<Device | null> =>
  // Tabs take turns: two that renew a token at once would leave the server with one that is dead
  // already.
  withLock(DEVICE, async () => {
    const person = claims.value?.id;
    const { deviceToken, serverKey } = await token();
    if (person === undefined || claims.value?.id !== person) return null;
    const devices = await call('GET /api/notifications/devices', {
      fallback: 'Your devices could not be read.',
      like: like([aDevice]),
    });
    const known = devices.find((one) => one.deviceToken === deviceToken);
    // Its key is told at registration alone, which for the same token changes nothing else. Where
    // nothing can be kept that would be of no use, at every start.
    const hasKey = !(await own(person)) || (await owner()) !== undefined;
    const old = read(DEVICE);
    // A token that the worker told is registered as well: by that one this page unregisters.
    const device =
      known && hasKey && old === deviceToken ? known : await registerToken(deviceToken);
    if (hasDeviceKey(device)) await keepDevice({ person, key: device.deviceKey, serverKey });
    if (old !== deviceToken) write(DEVICE_SINCE, String(Date.now()));
    write(DEVICE, deviceToken);
    if (old && old !== deviceToken) await unregister(old);
    return device;
  });

const registerToken = (deviceToken: string): Promise<Device> =>
  call('POST /api/notifications/register-device', {
    body: { deviceToken, deviceType: deviceType(), userAgent: navigator.userAgent },
    fallback: 'The server could not register this device.',
    like: like(aDevice) as Check<RegisteredDevice>,
  });

/** An older server tells no key: its devices report nothing while the app is closed. */
const hasDeviceKey = (device: Device): device is RegisteredDevice =>
  typeof (device as Partial<RegisteredDevice>).deviceKey === 'string';

/**
 * The push token, asked for a second time if the first attempt fails: a worker that has just
 * started often refuses.
 */
async function token(): Promise<{ deviceToken: string; serverKey: string | undefined }> {
  const [transport, registration] = await within(
    TOKEN_MS,
    Promise.all([pushTransport(), worker()]),
    'The service worker did not start in time',
  );
  let serverKey: string | undefined;
  const readServerKey = async () => {
    const { publicKey } = await call('GET /api/notifications/vapid-key', {
      fallback: 'The server’s push key could not be read.',
      like: like({ publicKey: '' }),
    });
    serverKey = publicKey;
    return publicKey;
  };
  const renew = Date.now() - Number(read(DEVICE_SINCE) ?? Date.now()) > OLD_MS;
  const once = () => transport.getToken(registration, readServerKey, renew);
  const deviceToken = await within(
    TOKEN_MS,
    once().catch(once),
    'The push service did not answer in time.',
  );
  return { deviceToken, serverKey };
}
