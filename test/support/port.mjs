import { once } from 'node:events';
import { createServer } from 'node:net';

/** @param {import('node:net').Server} server */
export function getPort(server) {
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = getPort(server);
  server.close();
  await once(server, 'close');
  return port;
}
