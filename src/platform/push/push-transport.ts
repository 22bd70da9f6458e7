/** What each of the two ways has to do by which pushes reach a browser. */
export interface PushTransport {
  /**
   * The token under which the server reaches this browser. Makes the subscription if there is none,
   * or if it was made for another server key.
   * @param serverKey fetches the key that the server signs its pushes with (base64url)
   * @param renew the token is old: get another, if the transport does not see to that itself
   */
  getToken(
    registration: ServiceWorkerRegistration,
    serverKey: () => Promise<string>,
    renew: boolean,
  ): Promise<string>;
}
