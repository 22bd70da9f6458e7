/** A certificate authority, a certificate, and a client that trusts no other. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';

/** The example host of server/deploy. */
export const HOST = 'bell.example';

/** @param {string} folder for its files, readable by all */
export function createTlsCertificate(folder) {
  const file = (name) => path.join(folder, name);
  const [ca, caKey, chain, key] = ['ca.pem', 'ca.key', 'chain.pem', 'key.pem'].map(file);
  const openssl = (...words) => execFileSync('openssl', words, { stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    ...['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=Fieldbell tests'],
    ...['-keyout', caKey, '-out', ca],
  );
  openssl('req', ...curve, '-subj', `/CN=${HOST}`, '-keyout', key, '-out', file('request'));
  writeFileSync(file('names'), `subjectAltName=DNS:${HOST},DNS:localhost,IP:127.0.0.1,IP:::1`);
  openssl(
    ...['x509', '-req', '-in', file('request'), '-CA', ca, '-CAkey', caKey, '-CAcreateserial'],
    ...['-days', '2', '-extfile', file('names'), '-out', chain],
  );
  writeFileSync(file('both.pem'), readFileSync(chain, 'utf8') + readFileSync(key, 'utf8'));
  return { ca, chain, key, both: file('both.pem') };
}

/**
 * HTTP/1.1 over TLS with kept connections, without a second attempt.
 * @param {number} port of this machine
 * @param {string} ca file of the authority
 */
export function createClient(port, ca, sockets = 16) {
  const agent = new https.Agent({
    ca: readFileSync(ca),
    servername: HOST,
    keepAlive: true,
    maxSockets: sockets,
  });
  /**
   * Rejects only without an answer.
   * @type {(method: string, place: string, what?: { body?: unknown, headers?: Record<string, string> }) => Promise<any>}
   */
  const ask = (method, place, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = https.request(
        {
          ...{ host: '127.0.0.1', port, method, path: place, agent, timeout: 20_000 },
          headers: {
            Host: `${HOST}:${port}`,
            ...(text !== undefined && { 'Content-Type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let received = '';
          response.setEncoding('utf8').on('data', (piece) => (received += piece));
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode, headers: response.headers, body: received }),
          );
        },
      );
      request.on('timeout', () => request.destroy(new Error('no answer in 20 s')));
      request.on('error', reject);
      request.end(text);
    });
  return {
    ask,
    /** Signed in: resolves with the answer's JSON, and rejects unless it is 2xx. */
    async signIn(who) {
      const call = async (method, place, body, headers) => {
        const response = await ask(method, `/api${place}`, { body, headers });
        if (response.status >= 300)
          throw new Error(`${method} ${place}: ${response.status} ${response.body.slice(0, 200)}`);
        return JSON.parse(response.body);
      };
      const { token } = await call('POST', '/auth/login', who);
      const authorization = { Authorization: `Bearer ${token}` };
      return (method, place, body, headers = {}) =>
        call(method, place, body, { ...headers, ...authorization });
    },
    close: () => agent.destroy(),
  };
}
