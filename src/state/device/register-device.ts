/**
 * Registers this browser for push. Loaded only where the permission is there: others need none of
 * it.
 */
import { call } from '../../api/call';
import type { Device, OwnDevice, RegisteredDevice } from '../../shared/contract';
import { isInstalled } from '../../platform/install/installed';
import { guessDeviceType } from '../../platform/push/notifications';
import { phoneModel } from '../../platform/phone-model';
import { pushTransport } from '../../platform/push/push';
import { forgetSubscription } from '../../platform/push/subscription';
import { keepDevice, own, owner } from '../../platform/storage/received';
import { readStored, writeStored } from '../../platform/storage/storage';
import { withLock } from '../../platform/lock';
import { within } from '../../platform/within';
import { worker } from '../../platform/worker-start';
import { device as deviceExample, pushKey } from '../../shared/contract/devices' with {
  type: 'example',
};
import { claims, DEVICE, DEVICE_SINCE, unregister } from '../session';
import { fetchOwnDevices, loadOwnDevices, takeOwnDevices } from './own-devices';

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
    const { id: person, sid } = claims.value ?? {};
    if (person === undefined) return null;
    const { deviceToken, serverKey } = await token();
    const isOver = () => claims.value?.id !== person;
    if (isOver()) {
      // Whoever left may have ended the subscription before this one was made. Where a session ended
      // by itself the device stays registered, and is notified.
      if (!claims.value && readStored(DEVICE) === null) await forgetSubscription();
      return null;
    }
    const devices = await fetchOwnDevices();
    const known = devices.find((one) => one.deviceToken === deviceToken);
    // Its key is told at registration alone, and the server keeps which session that was: signing
    // the device out ends this one. Where nothing can be kept it is not told at every start.
    const isKept = await own(person);
    const registered = await owner();
    const hasKey = !isKept || (registered && registered.sid === sid);
    const old = readStored(DEVICE);
    // A server that tells no reach tells no key either: what it lists is not registered again.
    const isKnown = known && (!known.reach || (hasKey && old === deviceToken && isToldOf(known)));
    const model = isKnown ? '' : await phoneModel();
    if (isOver()) return null;
    // A token that the worker told is registered as well: by that one this page unregisters.
    const device = isKnown ? known : await registerToken(deviceToken, model);
    if (hasDeviceKey(device)) await keepDevice({ person, key: device.deviceKey, serverKey, sid });
    if (old !== deviceToken) writeStored(DEVICE_SINCE, String(Date.now()));
    writeStored(DEVICE, deviceToken);
    if (old && old !== deviceToken) await unregister(old);
    if (isOver()) return null;
    takeOwnDevices(devices, device.id);
    if (device !== known) void loadOwnDevices(); // as it is now
    return device;
  });

function registerToken(deviceToken: string, model: string): Promise<Device> {
  const installationId = installation();
  return call('POST /api/notifications/register-device', {
    body: {
      deviceToken,
      deviceType: guessDeviceType(),
      userAgent: navigator.userAgent,
      installed: isInstalled(),
      ...(installationId && { installationId }),
      ...(model && { model }),
    },
    fallback: 'The server could not register this device.',
    like: deviceExample,
  });
}

/**
 * Whether the server knows all that registration tells: the app may have been installed since. That it is open in a tab, too, takes nothing back.
 */
const isToldOf = ({ reach }: OwnDevice): boolean =>
  typeof reach?.installed === 'boolean' && (reach.installed || !isInstalled());

/** By which the server knows this installation: its next device takes the place of the one before. */
const INSTALLATION = 'installation_id';

/** Random, and the same until Reset App; undefined where nothing can be kept. */
function installation(): string | undefined {
  const kept = readStored(INSTALLATION);
  const id = kept && /^[\w-]{1,64}$/.test(kept) ? kept : crypto.randomUUID();
  return id === kept || writeStored(INSTALLATION, id) ? id : undefined;
}

/** A server that knows only the specification tells no key: its devices report nothing while the app is closed. */
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
      like: pushKey,
    });
    serverKey = publicKey;
    return publicKey;
  };
  const renew = Date.now() - Number(readStored(DEVICE_SINCE) ?? Date.now()) > OLD_MS;
  const once = () => transport.getToken(registration, readServerKey, renew);
  const deviceToken = await within(
    TOKEN_MS,
    once().catch(once),
    'The push service did not answer in time.',
  );
  return { deviceToken, serverKey };
}
