import { readDeviceOwner } from '../src/platform/storage/received';
import { subscriptionToken } from '../src/platform/push/web-push';
import { sendToken } from './report';
import { postToWindows } from './windows';

/**
 * Renews the subscription that the browser dropped or replaced; without it, no push arrives. If this
 * fails, an open window or the next start of the app renews it.
 */
export async function renewSubscription(
  worker: ServiceWorkerGlobalScope,
  {
    oldSubscription,
    newSubscription,
  }: Pick<PushSubscriptionChangeEvent, 'oldSubscription' | 'newSubscription'>,
): Promise<void> {
  try {
    const deviceOwner = await readDeviceOwner();
    const options = oldSubscription?.options ?? createOptions(deviceOwner?.serverKey);
    const subscription =
      newSubscription ?? (options && (await worker.registration.pushManager.subscribe(options)));
    if (deviceOwner && subscription) await sendToken(deviceOwner, subscriptionToken(subscription));
  } catch (error) {
    console.warn('The push subscription could not be renewed', error); // a page can ask for another server key
  }
  await postToWindows(worker, { type: 'renewed' }); // last: the page finds the device as it is now
}

const createOptions = (applicationServerKey: string | undefined) =>
  applicationServerKey ? { userVisibleOnly: true, applicationServerKey } : undefined;

/** The SDK's listener runs next and replaces its token. Windows learn of it after that. */
export function reportRenewalAfterSdk(
  worker: ServiceWorkerGlobalScope,
  event: ExtendableEvent,
): void {
  const waitUntil = event.waitUntil.bind(event);
  event.waitUntil = (work) =>
    waitUntil(Promise.resolve(work).finally(() => postToWindows(worker, { type: 'renewed' })));
}
