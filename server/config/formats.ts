/** What the values of variables look like. Each says whether a text is what its name says. */
import { isIP } from 'node:net';

export const withProtocol =
  (...protocols: string[]) =>
  (text: string): boolean =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);
export const webAddress = withProtocol('http:', 'https:');
export const isOrigin = (text: string): boolean =>
  webAddress(text) && new URL(text).origin === text;
/**
 * Pages of the app lie at the root, so a path, like everything else behind the host, could only
 * make links that lead nowhere.
 */
export const isRoot = (text: string): boolean =>
  webAddress(text) && new URL(text).href === `${new URL(text).origin}/` && !/[?#]/.test(text);
export const isNetwork = (text: string): boolean =>
  /^[^/%]+(\/\d{1,3})?$/.test(text) && isIP(text.split('/')[0] ?? '') !== 0;
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
/** As push endpoints are compared with it: `host` or `host:port`, an IPv6 address in brackets. */
export const isHostPort = (text: string): boolean =>
  URL.canParse(`https://${text}`) && /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d+)?$/i.test(text);

/** `mail@host` or `Name <mail@host>`: one address, which a mail server takes as it is. */
export const isMailAddress = (text: string): boolean =>
  /^([^<>@\r\n,;]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(text.trim());
export const isContact = (text: string): boolean =>
  text.startsWith('mailto:')
    ? isMailAddress(text.slice('mailto:'.length))
    : withProtocol('https:')(text);

export function isMailServer(text: string): boolean {
  if (!withProtocol('smtp:', 'smtps:')(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    // As nodemailer will read it: a per cent sign that is meant must be written %25.
    return hostname !== '' && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/**
 * OpenID Connect Discovery, section 3: https, without a query or a fragment. Over http only to this
 * machine itself.
 */
export function isIssuer(text: string): boolean {
  if (!webAddress(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
