/**
 * A push service in a process of its own that accepts everything over HTTP/2 and HTTP/1.1. Sends
 * its port and certificate, and counts of pushes and devices when asked, with the times of those
 * whose path begins with `/urgent/`.
 */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { localCertificate } from '../support/network/tls';

let receivedCount = 0;
/** Devices by the number at the end of their path. */
const devicesSeen = new Uint8Array(8_000_000);
let devices = 0;
const urgent: number[] = [];

function countPush(path: string | undefined): void {
  receivedCount++;
  if (path?.startsWith('/urgent/')) urgent.push(Date.now());
  const device = Number(path?.slice(path.lastIndexOf('/') + 1)) % devicesSeen.length;
  if (devicesSeen[device] === 0) devices++;
  devicesSeen[device] = 1;
}
const server = createSecureServer(
  { ...localCertificate(), allowHTTP1: true },
  (request, response) => {
    request.resume();
    request.on('end', () => {
      countPush(request.url);
      response.writeHead(201).end();
    });
  },
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.({ received: receivedCount, devices, urgent }));
process.on('disconnect', () => process.exit());
process.send?.({ port: (server.address() as AddressInfo).port, certificate: localCertificate() });
