/** This browser's push subscription, without any of the code that makes one. */

/**
 * Ends the browser-side subscription, whichever transport made it, and takes back what is still shown. Nothing can be
 * delivered here afterwards.
 */
export async function forgetSubscription(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}
