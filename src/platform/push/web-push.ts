/** Standard Web Push. The token is the subscription itself, as JSON (S3.9). */
export const webPush = {
  async getToken(
    registration: ServiceWorkerRegistration,
    serverKey: () => Promise<string>,
    shouldRenew: boolean,
  ) {
    const key = await serverKey();
    const existingSubscription = await registration.pushManager.getSubscription();
    if (existingSubscription && getServerKey(existingSubscription) === key && !shouldRenew)
      return subscriptionToken(existingSubscription);
    await existingSubscription?.unsubscribe(); // a browser rejects a second subscription with another key
    return subscriptionToken(
      await registration.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: key,
      }),
    );
  },
};

/** Always the same text for the same subscription, so that tokens can be compared. */
export function subscriptionToken(subscription: PushSubscription): string {
  const { endpoint, keys } = subscription.toJSON();
  return JSON.stringify({ endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth } });
}

function getServerKey({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/={1,2}$/, '');
}
