import { tell } from './windows';

/**
 * The browser gave the push subscription up, or another in its place. Where it says what the old
 * one was made with, a new one is made at once. Only a page has the login token with which the
 * server can be told: an open window does it now, and otherwise the next start of the app, which
 * finds another token than the one it registered.
 */
export async function renew(
  worker: ServiceWorkerGlobalScope,
  {
    oldSubscription,
    newSubscription,
  }: Pick<PushSubscriptionChangeEvent, 'oldSubscription' | 'newSubscription'>,
): Promise<void> {
  try {
    if (oldSubscription && !newSubscription)
      await worker.registration.pushManager.subscribe(oldSubscription.options);
  } catch (error) {
    console.warn('The push subscription could not be renewed', error); // a page can ask for another server key
  }
  await tell(worker, { type: 'renewed' });
}

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
