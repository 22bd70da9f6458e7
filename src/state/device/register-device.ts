/** Registers this browser for push. Loads only if the permission is granted. */
import { call } from '../../api/call';
import type { Device, OwnDevice, RegisteredDevice } from '../../shared/contract';
import { isInstalled } from '../../platform/install/installed';
import { guessDeviceType } from '../../platform/push/notifications';
import { phoneModel } from '../../platform/phone-model';
import { pushTransport } from '../../platform/push/push';
import { forgetSubscription } from '../../platform/push/subscription';
import { keepDevice, clearOtherPerson, readDeviceOwner } from '../../platform/storage/received';
import { readStored, writeStored } from '../../platform/storage/storage';
import { withLock } from '../../platform/lock';
import { withTimeout } from '../../platform/with-timeout';
import { startWorker } from '../../platform/worker-start';
import { deviceSchema as deviceExample, pushKeySchema } from '../../shared/contract/devices' with {
  type: 'example',
};
import {
  sessionClaims,
  DEVICE_STORAGE_KEY,
  DEVICE_SINCE_STORAGE_KEY,
  unregisterToken,
} from '../session';
import { readOwnDevices, loadOwnDevices, setOwnDevices } from './own-devices';

/** An older token is renewed (S9.13). */
const MAX_TOKEN_AGE_MS = 7 * 24 * 3600_000;
/** How long the person waits for a token. */
const MAX_TOKEN_WAIT_MS = 15_000;

/**
 * Registers the push token unless the server lists it, and unregisters the one it replaces. Null if
 * the session ended meanwhile.
 * @throws {Error} with the reason, for the person
 */
export const registerThisDevice = (): Promise<Device | null> =>
  // One tab at a time: two that renew a token together would leave the server with an invalid one.
  withLock(DEVICE_STORAGE_KEY, async () => {
    const { id: userId, sid } = sessionClaims.value ?? {};
    if (userId === undefined) return null;
    const { deviceToken, serverKey } = await requestToken();
    const isSessionOver = () => sessionClaims.value?.id !== userId;
    if (isSessionOver()) {
      // A sign-out may have ended the old subscription before this one existed. After an expired
      // session the device stays registered.
      if (!sessionClaims.value && readStored(DEVICE_STORAGE_KEY) === null)
        await forgetSubscription();
      return null;
    }
    const devices = await readOwnDevices();
    const knownDevice = devices.find((candidate) => candidate.deviceToken === deviceToken);
    // The server sends the device key only at registration and ties it to that session: signing the
    // device out ends the session. If nothing can be stored, do not register again at each start.
    const isKept = await clearOtherPerson(userId);
    const deviceOwner = await readDeviceOwner();
    const hasKey = !isKept || (deviceOwner && deviceOwner.sid === sid);
    const oldToken = readStored(DEVICE_STORAGE_KEY);
    // A server without reach sends no key either, so there is no reason to register again.
    const isRegistered =
      knownDevice &&
      (!knownDevice.reach ||
        (hasKey && oldToken === deviceToken && isInstallStateCurrent(knownDevice)));
    const model = isRegistered ? '' : await phoneModel();
    if (isSessionOver()) return null;
    // A token that the worker reported is registered, too: this page unregisters by it.
    const device = isRegistered ? knownDevice : await registerToken(deviceToken, model);
    if (hasDeviceKey(device))
      await keepDevice({ person: userId, key: device.deviceKey, serverKey, sid });
    if (oldToken !== deviceToken) writeStored(DEVICE_SINCE_STORAGE_KEY, String(Date.now()));
    writeStored(DEVICE_STORAGE_KEY, deviceToken);
    if (oldToken && oldToken !== deviceToken) await unregisterToken(oldToken);
    if (isSessionOver()) return null;
    setOwnDevices(devices, device.id);
    if (device !== knownDevice) void loadOwnDevices(); // the list has changed
    return device;
  });

function registerToken(deviceToken: string, model: string): Promise<Device> {
  const installationId = readInstallationId();
  return call('POST /api/notifications/register-device', {
    body: {
      deviceToken,
      deviceType: guessDeviceType(),
      userAgent: navigator.userAgent,
      installed: isInstalled(),
      ...(installationId && { installationId }),
      ...(model && { model }),
    },
    fallback: 'The server couldn’t register this device.',
    like: deviceExample,
  });
}

/** The app may have been installed since. Opening it in a tab does not undo that. */
const isInstallStateCurrent = ({ reach }: OwnDevice): boolean =>
  typeof reach?.installed === 'boolean' && (reach.installed || !isInstalled());

/** Identifies this installation: its next device replaces the previous one. */
const INSTALLATION_STORAGE_KEY = 'installation_id';

/** Random, and the same until Reset App; undefined if nothing can be stored. */
function readInstallationId(): string | undefined {
  const storedId = readStored(INSTALLATION_STORAGE_KEY);
  const id = storedId && /^[\w-]{1,64}$/.test(storedId) ? storedId : crypto.randomUUID();
  return id === storedId || writeStored(INSTALLATION_STORAGE_KEY, id) ? id : undefined;
}

/** A server with only the specification's API sends no key; its devices report only while open. */
const hasDeviceKey = (device: Device): device is RegisteredDevice =>
  typeof (device as Partial<RegisteredDevice>).deviceKey === 'string';

/** Asks twice: a worker that has just started often rejects. */
async function requestToken(): Promise<{ deviceToken: string; serverKey: string | undefined }> {
  const [transport, registration] = await withTimeout(
    MAX_TOKEN_WAIT_MS,
    Promise.all([pushTransport(), startWorker()]),
    'The part of Fieldbell that runs in the background didn’t start in time',
  );
  let serverKey: string | undefined;
  const readServerKey = async () => {
    const { publicKey } = await call('GET /api/notifications/vapid-key', {
      fallback: 'Failed to load the server’s settings for notifications.',
      like: pushKeySchema,
    });
    serverKey = publicKey;
    return publicKey;
  };
  const isTokenOld =
    Date.now() - Number(readStored(DEVICE_SINCE_STORAGE_KEY) ?? Date.now()) > MAX_TOKEN_AGE_MS;
  const getTokenOnce = () => transport.getToken(registration, readServerKey, isTokenOld);
  const deviceToken = await withTimeout(
    MAX_TOKEN_WAIT_MS,
    getTokenOnce().catch(getTokenOnce),
    'The push service didn’t respond in time.',
  );
  return { deviceToken, serverKey };
}
