/** This browser's push subscription, without any of the code that makes one. */

/** Ends the browser-side subscription, whichever transport made it. Nothing can be delivered here afterwards. */
export async function forgetSubscription(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}
