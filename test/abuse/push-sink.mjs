/**
 * A push service that accepts everything, in its own process so that it takes no time from the
 * measuring one.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getPort } from '../support/port.mjs';

export async function startSink(folder) {
  const [key, certificate] = [path.join(folder, 'sink-key.pem'), path.join(folder, 'sink.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      ...curve,
      '-days',
      '2',
      '-subj',
      '/CN=sink',
      '-addext',
      'subjectAltName=DNS:localhost,DNS:*.push.localhost',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  const child = fork(fileURLToPath(import.meta.url), [key, certificate]);
  const [port] = await once(child, 'message');
  return {
    certificate,
    host: `localhost:${port}`,
    /** Each scenario has its own part, because several run at once. */
    forScenario: (name) => ({
      origin: `https://localhost:${port}/${name}`,
      /** How many pushes have arrived, for how many devices, and at most for one device. */
      countPushes: () =>
        new Promise((resolve) => {
          const listen = (reply) => {
            if (reply.name !== name) return;
            child.off('message', listen);
            resolve(reply);
          };
          child.on('message', listen).send(name);
        }),
    }),
    stop: () => child.kill(),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const received = new Map();
  const server = createServer(
    { key: readFileSync(process.argv[2]), cert: readFileSync(process.argv[3]) },
    (request, response) => {
      request.resume().on('end', () => {
        received.set(request.url, (received.get(request.url) ?? 0) + 1);
        response.writeHead(201).end();
      });
    },
  );
  server.listen(0, () => process.send?.(getPort(server)));
  process.on('disconnect', () => process.exit());
  process.on('message', (name) => {
    const counts = [...received]
      .filter(([url]) => url.startsWith(`/${name}/`))
      .map(([, count]) => count);
    process.send?.({
      name,
      received: counts.reduce((sum, count) => sum + count, 0),
      devices: counts.length,
      most: counts.reduce((most, count) => Math.max(most, count), 0),
    });
  });
}
