/** A push service that takes everything, in a process of its own so that it takes no time from the measuring one. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param folder where the certificate is put, for NODE_EXTRA_CA_CERTS */
export async function startSink(folder) {
  const [key, certificate] = [path.join(folder, 'sink-key.pem'), path.join(folder, 'sink.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=sink', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const child = fork(fileURLToPath(import.meta.url), [key, certificate]);
  const [port] = await once(child, 'message');
  return {
    certificate,
    origin: `https://localhost:${port}`,
    host: `localhost:${port}`,
    /** How many pushes have arrived so far. */
    async count() {
      child.send('count');
      const [count] = await once(child, 'message');
      return count;
    },
    stop: () => child.kill(),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  let received = 0;
  const server = createServer({ key: readFileSync(process.argv[2]), cert: readFileSync(process.argv[3]) }, (request, response) => {
    request.resume().on('end', () => {
      received += 1;
      response.writeHead(201).end();
    });
  });
  server.listen(0, () => process.send(server.address().port));
  process.on('message', () => process.send(received));
}
