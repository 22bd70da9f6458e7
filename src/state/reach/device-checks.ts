/** The first stages of a test: what this device checks itself before a push is sent. */
import { errorMessage } from '../../api/error';
import { isInstalled } from '../../platform/install/installed';
import { withLock } from '../../platform/lock';
import {
  isWorkerAlive,
  requestPersistentStorage,
  currentSubscription,
  currentRegistration,
  loadSubscriptionToken,
} from '../../platform/push/reach';
import { readStored, writeStored } from '../../platform/storage/storage';
import { forgetSubscription } from '../../platform/push/subscription';
import { withTimeout } from '../../platform/with-timeout';
import type { OwnDevice } from '../../shared/contract';
import { readOwnDevices, setOwnDevices } from '../device/own-devices';
import { notificationPermission, requestPermission, isPushSupported } from '../device/permission';
import { currentDevice, registerIfAllowed, registrationError } from '../device/registration';
import { DEVICE_STORAGE_KEY } from '../session';

/** The checks of a phone, in their order. */
export const DEVICE_CHECKS = [
  'permission',
  'installed',
  'storage',
  'worker',
  'subscription',
] as const;
export type DeviceCheck = (typeof DEVICE_CHECKS)[number];

/**
 * `installed` and `storage` are only warnings. A subscription is `missing`, or the server has an
 * `other` one. `rejected` means that registering failed, `unknown` that comparing failed.
 */
export type DeviceFault =
  | 'unsupported'
  | 'blocked'
  | 'undecided'
  | 'tab'
  | 'clearable'
  | 'gone'
  | 'dead'
  | 'missing'
  | 'other'
  | 'rejected'
  | 'unknown';

export interface DeviceStage {
  check: DeviceCheck;
  /** Milliseconds since 1970, by this device's clock. */
  at: number;
  /** Absent if the stage is good. */
  fault?: DeviceFault;
  /** A sentence. */
  reason?: string;
}

/** The test continues despite these warnings. */
export const isWarning = ({ check }: DeviceStage): boolean =>
  check === 'installed' || check === 'storage';

/** The browser may hide the question for permission. */
const WORKER_REPLY_TIMEOUT_MS = 60_000;

type CheckResult = Pick<DeviceStage, 'fault' | 'reason'>;

/**
 * Checks each stage and reports it, until one fails. Call it from a press: the browser may ask for
 * permission.
 * @param shouldRenew replace the subscription, because its push service no longer knows it
 * @returns the device's id at the server, if all went well
 */
export async function checkDevice(
  shouldRenew: boolean,
  onStage: (stage: DeviceStage) => void,
): Promise<number | undefined> {
  let id: number | undefined;
  let worker: ServiceWorkerRegistration | undefined;
  const checks: Record<DeviceCheck, () => CheckResult | Promise<CheckResult>> = {
    permission: checkPermission,
    installed: () => (isInstalled() ? {} : { fault: 'tab' }),
    storage: async () => ((await requestPersistentStorage()) ? {} : { fault: 'clearable' }),
    worker: async () => {
      const registration = await currentRegistration().catch(() => null);
      if (registration === undefined) return { fault: 'gone' };
      if (!registration || !(await isWorkerAlive(registration))) return { fault: 'dead' };
      worker = registration;
      return {};
    },
    subscription: async () => {
      if (shouldRenew) await dropSubscription();
      const [workerAnswer, result] = await compareSubscription(worker);
      id = workerAnswer;
      return result;
    },
  };
  for (const check of DEVICE_CHECKS) {
    const stage = { check, ...(await checks[check]()), at: Date.now() };
    onStage(stage);
    if (stage.fault && !isWarning(stage)) return undefined;
  }
  return id;
}

async function checkPermission(): Promise<CheckResult> {
  if (!isPushSupported.value) return { fault: 'unsupported' };
  if (notificationPermission.value === 'default')
    await withTimeout(
      WORKER_REPLY_TIMEOUT_MS,
      requestPermission(),
      'The permission request was not answered.',
    ).catch(() => {});
  if (notificationPermission.value === 'granted') return {};
  return { fault: notificationPermission.value === 'denied' ? 'blocked' : 'undecided' };
}

/** The browser keeps a subscription that its push service no longer knows. */
const dropSubscription = () =>
  withLock(DEVICE_STORAGE_KEY, async () => {
    await forgetSubscription().catch(() => {});
    writeStored(DEVICE_STORAGE_KEY, null);
  });

/**
 * Compares this device's subscription with the server's. An unknown one is registered for the next
 * test; a first registration is not a fault.
 */
async function compareSubscription(
  worker: ServiceWorkerRegistration | undefined,
): Promise<[number | undefined, CheckResult]> {
  const storedToken = readStored(DEVICE_STORAGE_KEY);
  const subscription = worker && (await currentSubscription(worker).catch(() => null));
  const token = subscription
    ? FCM
      ? storedToken
      : await loadSubscriptionToken(subscription)
    : null;
  if (storedToken !== null) {
    let devices: readonly OwnDevice[];
    try {
      devices = await readOwnDevices();
    } catch (error) {
      return [undefined, { fault: 'unknown', reason: errorMessage(error, '') }];
    }
    const ownDevice = devices.find(({ deviceToken }) => deviceToken === token);
    setOwnDevices(devices, ownDevice?.id);
    if (ownDevice) return [ownDevice.id, {}];
  }
  await registerIfAllowed();
  const reason = registrationError.value;
  if (reason || !currentDevice.value) return [undefined, { fault: 'rejected', reason }];
  if (storedToken === null) return [currentDevice.value.id, {}];
  return [undefined, { fault: token === null ? 'missing' : 'other' }];
}
