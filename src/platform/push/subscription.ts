/** Reads this browser's push subscription, without the code that creates a subscription. */

async function findSubscription() {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  return {
    shown: (await registration?.getNotifications()) ?? [],
    subscription: await registration?.pushManager?.getSubscription(),
  };
}

/** Whether `forgetSubscription` would have anything to do. */
export async function hasSubscription(): Promise<boolean> {
  const { shown, subscription } = await findSubscription();
  return shown.length > 0 || Boolean(subscription);
}

/**
 * Removes the subscription, notifications and badge. Nothing can be delivered here afterwards.
 * @param closesUnsent whether to close even the note that an answer has not been sent
 */
export async function forgetSubscription(closesUnsent?: boolean): Promise<void> {
  const { shown, subscription } = await findSubscription();
  for (const notification of shown)
    if (closesUnsent || !notification.data?.answer) notification.close();
  await subscription?.unsubscribe();
  await navigator.clearAppBadge?.(); // some browsers have no subscription
}
