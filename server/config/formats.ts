import { isIP } from 'node:net';

export const hasProtocol =
  (...protocols: string[]) =>
  (text: string): boolean =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);
export const isWebAddress = hasProtocol('http:', 'https:');
export const isOrigin = (text: string): boolean =>
  isWebAddress(text) && new URL(text).origin === text;
/** The app's pages are at the root, so a path would break all links. */
export const isRootAddress = (text: string): boolean =>
  isWebAddress(text) && new URL(text).href === `${new URL(text).origin}/` && !/[?#]/.test(text);
export function isNetwork(text: string): boolean {
  const [address = '', bits = '0'] = text.split('/');
  const family = /^[^/%]+(\/\d{1,3})?$/.test(text) ? isIP(address) : 0;
  return family !== 0 && Number(bits) <= (family === 6 ? 128 : 32);
}
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
/** The form that is compared with push endpoints: `host` or `host:port`, IPv6 in brackets. */
export const isHostPort = (text: string): boolean =>
  URL.canParse(`https://${text}`) && /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d+)?$/i.test(text);

export const isMailAddress = (text: string): boolean =>
  /^([^<>@\r\n,;]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(text.trim());
export const isContact = (text: string): boolean =>
  text.startsWith('mailto:')
    ? isMailAddress(text.slice('mailto:'.length))
    : hasProtocol('https:')(text);

export function isMailServer(text: string): boolean {
  if (!hasProtocol('smtp:', 'smtps:')(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    // nodemailer decodes the URL, so a literal percent sign must be written %25.
    return hostname !== '' && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** https without query or fragment (OpenID Connect Discovery, section 3), or http to loopback. */
export function isIssuer(text: string): boolean {
  if (!isWebAddress(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
