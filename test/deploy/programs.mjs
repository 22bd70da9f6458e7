/** Runs nginx, Caddy, haproxy and others by the examples of server/deploy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/port.mjs';
import { HOST } from './tls.mjs';

/**
 * An example with parts replaced. Fails if a part is missing, as after a change of the example.
 * @param {[part: string | RegExp, replacement: string][]} replacements
 */
export function readExample(file, replacements) {
  let text = readFileSync(path.join('server/deploy', file), 'utf8');
  for (const [part, replacement] of replacements) {
    const before = text;
    text =
      typeof part === 'string'
        ? text.replaceAll(part, replacement)
        : text.replace(part, replacement);
    if (text === before) throw new Error(`${file} does not contain ${part}`);
  }
  return text;
}

/**
 * Waits until something listens on its port.
 * @returns its output, its number, and how to end it
 */
export async function startProgram(port, program, programArguments, options = {}) {
  const child = spawn(program, programArguments, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-20_000)));
  const exited = once(child, 'exit');
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(killTimer);
  };
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (child.exitCode === null && tries < 200) {
      await wait(50); // nothing reports that another process listens
      continue;
    }
    await end();
    throw new Error(`${program} does not listen:\n${output}`);
  }
  return { output: () => output, pid: child.pid, end };
}

async function isListening(port) {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * @typedef {{ ca: string, chain: string, key: string, both: string }} Certificate names of files
 * @typedef {{ output(): string, end(): Promise<void>, tlsPort: number, plainPort?: number }} Proxy its logs and ports
 * @typedef {(folder: string, servers: number[], certificate: Certificate) => Promise<Proxy>} StartProxy
 */

/** @type {StartProxy} */
async function startNginx(folder, servers, { chain, key }) {
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const [one, other] = servers;
  const site = readExample('nginx.conf', [
    ['listen 443', `listen ${tlsPort}`],
    ['listen [::]:443', `listen [::]:${tlsPort}`],
    ['listen 80', `listen ${plainPort}`],
    ['listen [::]:80', `listen [::]:${plainPort}`],
    ['127.0.0.1:3000', `127.0.0.1:${one}`],
    ['127.0.0.1:3001', `127.0.0.1:${other}`],
    ['/etc/letsencrypt/live/bell.example/fullchain.pem', chain],
    ['/etc/letsencrypt/live/bell.example/privkey.pem', key],
    ['/var/log/nginx', folder],
  ]);
  const tempPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(
    `${folder}/nginx.conf`,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; ${tempPaths}
${site} }`,
  );
  const programArguments = ['-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`];
  const { output, end } = await startProgram(tlsPort, 'nginx', programArguments);
  const logs = () => ['access.log', 'error.log'].map((name) => readFileSync(`${folder}/${name}`));
  return { output: () => [output(), ...logs()].join('\n'), end, tlsPort, plainPort };
}

/** @type {StartProxy} */
async function startCaddy(folder, servers, { chain, key }) {
  const tlsPort = await freePort();
  const [one, other] = servers;
  const text = readExample('Caddyfile', [
    [/^\{$/m, '{\n\tadmin off\n\tauto_https off'],
    [/^bell\.example \{$/m, `https://${HOST}:${tlsPort} {\n\ttls ${chain} ${key}`],
    ['127.0.0.1:3000', `127.0.0.1:${one}`],
    ['127.0.0.1:3001', `127.0.0.1:${other}`],
  ]);
  writeFileSync(`${folder}/Caddyfile`, text);
  const programArguments = ['run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'];
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return { ...(await startProgram(tlsPort, 'caddy', programArguments, { env })), tlsPort };
}

/**
 * One of haproxy's servers at its address here, or none.
 * @returns {[part: RegExp, replacement: string]}
 */
const serverLine = (name, port) => [
  new RegExp(` {2}server ${name} .*\\n`),
  port ? `  server ${name} 127.0.0.1:${port} check\n` : '',
];

/** @type {StartProxy} */
export async function startHaproxy(folder, servers, { both }) {
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const names = ['a', 'b', 'c'];
  const text = readExample('haproxy.cfg', [
    [/ {2}user haproxy\n {2}group haproxy\n/, ''],
    ['bind :80\n', `bind :${plainPort}\n`],
    ['bind :::80', `bind :::${plainPort}`],
    ['bind :443', `bind :${tlsPort}`],
    ['bind :::443', `bind :::${tlsPort}`],
    ['/etc/haproxy/fieldbell.pem', both],
    ...names.map((name, index) => serverLine(name, servers[index])),
  ]);
  writeFileSync(`${folder}/haproxy.cfg`, text);
  const programArguments = ['-f', `${folder}/haproxy.cfg`, '-db'];
  return { ...(await startProgram(tlsPort, 'haproxy', programArguments)), tlsPort, plainPort };
}

/** Each before one or two servers. @type {Record<string, StartProxy>} */
export const PROXIES = { nginx: startNginx, Caddy: startCaddy, haproxy: startHaproxy };
