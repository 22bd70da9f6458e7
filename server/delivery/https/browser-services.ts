/**
 * The push services of the browsers themselves: Google's (and where it lets us in), Mozilla's,
 * Apple's and Microsoft's. Endpoints are the client's word, but a host that answers under these
 * names, with a certificate for them, is no stranger.
 */
const HOSTS =
  /^(fcm|oauth2)\.googleapis\.com$|^jmt17\.google\.com$|(^|\.)push\.(services\.mozilla|apple)\.com$|\.notify\.windows\.com$/;

/** @param host a host name in lower case, as `URL` has it */
export function isBrowserService(host: string): boolean {
  return HOSTS.test(host);
}
