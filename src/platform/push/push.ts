/** One of the two ways by which pushes reach a browser. The build includes one. */
interface PushTransport {
  /**
   * The token under which the server reaches this browser. Subscribes if there is no subscription
   * or it has another server key.
   * @param serverKey fetches the server's signing key (base64url)
   * @param shouldRenew the token is old: replace it, unless the transport renews by itself
   */
  getToken(
    registration: ServiceWorkerRegistration,
    serverKey: () => Promise<string>,
    shouldRenew: boolean,
  ): Promise<string>;
}

/** Loads when push is on. */
export const pushTransport = (): Promise<PushTransport> =>
  FCM
    ? import('./firebase').then((module) => module.firebase)
    : import('./web-push').then((module) => module.webPush);
