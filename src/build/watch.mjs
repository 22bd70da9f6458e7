import { spawn } from 'node:child_process';
import { watch as watchFolder } from 'node:fs';

/** Builds again and restarts the server whenever a source changes. A build that fails leaves the server as it was. */
export async function watch(root, build) {
  let server;
  const cycle = async () => {
    await build();
    const stopped = server && new Promise((resolve) => server.once('exit', resolve));
    server?.kill();
    await stopped;
    server = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], { cwd: root, stdio: 'inherit' });
  };
  await cycle();
  let cycling = Promise.resolve();
  let timer;
  for (const folder of ['src', 'sw', 'server', 'static']) {
    watchFolder(`${root}/${folder}`, { recursive: true }, () => {
      clearTimeout(timer); // editors write in bursts
      timer = setTimeout(() => (cycling = cycling.then(cycle).catch((error) => console.error(error.message))), 100);
    });
  }
}
