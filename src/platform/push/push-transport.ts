/** One of the two ways by which pushes reach a browser. */
export interface PushTransport {
  /**
   * The token under which the server reaches this browser. Subscribes if there is no subscription
   * or it has another server key.
   * @param serverKey fetches the server's signing key (base64url)
   * @param renew the token is old: replace it, unless the transport renews by itself
   */
  getToken(
    registration: ServiceWorkerRegistration,
    serverKey: () => Promise<string>,
    renew: boolean,
  ): Promise<string>;
}
