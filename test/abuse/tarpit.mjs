/**
 * Hosts that take connections and never answer: all of 127.0.0.0/8 at one port, in a process of its
 * own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getPort } from '../support/port.mjs';

export async function startTarpit() {
  const child = fork(fileURLToPath(import.meta.url), ['tarpit']);
  const [port] = await once(child, 'message');
  return {
    hostAt: (number) => `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}:${port}`,
    waitForConnection: () => once(child, 'message'),
    stop: () => child.kill(),
  };
}

if (process.send && process.argv[2] === 'tarpit') {
  const server = createServer((socket) => {
    process.send?.('connection');
    socket.on('error', () => undefined).resume();
  });
  server.listen(0, '0.0.0.0', () => process.send?.(getPort(server)));
  process.on('disconnect', () => process.exit());
}
