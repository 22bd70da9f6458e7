import { owner } from '../src/platform/storage/received';
import { tokenOf } from '../src/platform/push/web-push';
import { sendToken } from './report';
import { tell } from './windows';

/**
 * The browser gave the push subscription up, or another in its place. A new one is made at once, as
 * the old one was, and the server is told by the device's key: while no page is open nothing would
 * be delivered until the next start. What fails here an open window does, or the next start of the
 * app, which finds another token than the one it registered.
 */
export async function renewSubscription(
  worker: ServiceWorkerGlobalScope,
  {
    oldSubscription,
    newSubscription,
  }: Pick<PushSubscriptionChangeEvent, 'oldSubscription' | 'newSubscription'>,
): Promise<void> {
  try {
    const whose = await owner();
    const options = oldSubscription?.options ?? optionsOf(whose?.serverKey);
    const subscription =
      newSubscription ?? (options && (await worker.registration.pushManager.subscribe(options)));
    if (whose && subscription) await sendToken(whose, tokenOf(subscription));
  } catch (error) {
    console.warn('The push subscription could not be renewed', error); // a page can ask for another server key
  }
  await tell(worker, { type: 'renewed' }); // last: the page finds the device as it is now
}

const optionsOf = (applicationServerKey: string | undefined) =>
  applicationServerKey ? { userVisibleOnly: true, applicationServerKey } : undefined;

/**
 * With FCM the token is the messaging SDK's, whose own listener comes next: it drops the token that
 * is no longer good, or gets another. The open windows are told once that is done, so that theirs
 * is not dropped with it.
 */
export function leaveToSdk(worker: ServiceWorkerGlobalScope, event: ExtendableEvent): void {
  const wait = event.waitUntil.bind(event);
  event.waitUntil = (work) =>
    wait(Promise.resolve(work).finally(() => tell(worker, { type: 'renewed' })));
}
