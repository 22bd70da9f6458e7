/**
 * A push service in a process of its own that takes everything, over HTTP/2 as the real ones do,
 * and HTTP/1.1. Tells its port and certificate, and how many came when asked.
 */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { localCertificate } from '../support/push-services/tls';

let received = 0;
const server = createSecureServer(
  { ...localCertificate(), allowHTTP1: true },
  (request, response) => {
    request.resume();
    request.on('end', () => {
      received++;
      response.writeHead(201).end();
    });
  },
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.({ received }));
process.on('disconnect', () => process.exit());
process.send?.({ port: (server.address() as AddressInfo).port, certificate: localCertificate() });
