/** This browser's push subscription, without any of the code that makes one. */

async function find() {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  return {
    shown: (await registration?.getNotifications()) ?? [],
    subscription: await registration?.pushManager?.getSubscription(),
  };
}

/** Whether `forgetSubscription` would find anything to do. */
export async function hasSubscription(): Promise<boolean> {
  const { shown, subscription } = await find();
  return shown.length > 0 || Boolean(subscription);
}

/**
 * Ends the browser-side subscription, whichever transport made it, and takes back what is still
 * shown, at the app's icon, too. Nothing can be delivered here afterwards.
 */
export async function forgetSubscription(): Promise<void> {
  const { shown, subscription } = await find();
  for (const notification of shown) notification.close();
  await subscription?.unsubscribe();
  await navigator.clearAppBadge?.(); // not every browser has one
}
