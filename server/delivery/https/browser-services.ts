/** The browsers' own push services, and Google's token host. Their certificates prove the name. */
const BROWSER_SERVICE_HOSTS =
  /^(fcm|oauth2)\.googleapis\.com$|^jmt17\.google\.com$|(^|\.)push\.(services\.mozilla|apple)\.com$|\.notify\.windows\.com$/;

/** @param host in lower case, as in `URL` */
export function isBrowserService(host: string): boolean {
  return BROWSER_SERVICE_HOSTS.test(host);
}
