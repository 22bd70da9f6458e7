/** A push service in a process of its own that takes everything. Tells its port and certificate, and how many came when asked. */
import { localCertificate } from '../support/tls';
import { startTlsServer } from '../support/tls-server';

let received = 0;
const { port } = await startTlsServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received++;
    response.writeHead(201).end();
  });
});
process.on('message', () => process.send?.({ received }));
process.on('disconnect', () => process.exit());
process.send?.({ port, certificate: localCertificate() });
