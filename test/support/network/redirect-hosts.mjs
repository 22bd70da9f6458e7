/**
 * Leads a process's TLS connections to stand-ins on this machine, by host name. Certificates are
 * still checked. For a server:
 * `REDIRECT_HOSTS=fcm.googleapis.com=4433,… node --import …/redirect-hosts.mjs main.js`
 */
import tls from 'node:tls';

/**
 * @param {Record<string, number>} ports from host to local port
 * @returns {() => void} undoes it
 */
export function redirectHosts(ports) {
  const original = tls.connect;
  tls.connect = function connect(/** @type {[any, ...any[]]} */ ...parameters) {
    const options = parameters[0];
    const port = ports[options?.servername || options?.host];
    if (port === undefined) return Reflect.apply(original, this, parameters);
    // The caller's lookup would reject this machine's address.
    const { lookup: _, ...rest } = options;
    return original.call(this, { ...rest, host: '127.0.0.1', port }, ...parameters.slice(1));
  };
  return () => {
    tls.connect = original;
  };
}

if (process.env.REDIRECT_HOSTS) {
  const pairs = process.env.REDIRECT_HOSTS.split(',').map((pair) => pair.split('='));
  redirectHosts(Object.fromEntries(pairs.map(([host, port]) => [host, Number(port)])));
}
