/** A proxy that passes on all requests, except those that a test loses, delays or answers. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * - `cut`: the request arrives, its answer is lost
 * - `hang`: no answer comes
 * - `trickle`: an endless answer, a byte at a time
 * - `late`: passed on after a number of milliseconds
 * - otherwise someone else's answer
 */
export type ProxyFault =
  | 'cut'
  | 'hang'
  | 'trickle'
  | { late: number }
  | { status: number; body: string; headers?: Record<string, string> };

export interface FaultyProxy {
  /** The proxy's address, such as `http://localhost:4321`. */
  address: string;
  /** The next `times` requests that begin with this text (`GET /api/topics`) get the fault. */
  fault(beginning: string, fault: ProxyFault, times?: number): void;
  clearFaults(): void;
  countRequests(beginning: string): number;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let faults: { beginning: string; fault: ProxyFault; left: number }[] = [];
  const requestLines: string[] = [];
  const server = createServer((clientRequest, response) => {
    const line = `${clientRequest.method} ${clientRequest.url}`;
    requestLines.push(line);
    const matchingFault = faults.find(
      ({ beginning, left }) => line.startsWith(beginning) && left > 0,
    );
    if (matchingFault) matchingFault.left--;
    applyFault(matchingFault?.fault, clientRequest, response, target).catch(() =>
      response.destroy(),
    );
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    fault: (beginning, fault, times = Infinity) =>
      void faults.unshift({ beginning, fault, left: times }),
    clearFaults: () => void (faults = []),
    countRequests: (beginning) => requestLines.filter((line) => line.startsWith(beginning)).length,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function applyFault(
  fault: ProxyFault | undefined,
  sentRequest: IncomingMessage,
  reply: ServerResponse,
  target: string,
): Promise<void> {
  if (fault === 'hang') return;
  if (fault === 'trickle') {
    reply.writeHead(200, { 'Content-Type': 'application/json' }).write('[');
    const drip = setInterval(() => reply.write(' '), 200);
    reply.on('close', () => clearInterval(drip));
    return;
  }
  if (typeof fault === 'object' && 'late' in fault) await wait(fault.late);
  else if (typeof fault === 'object') {
    reply
      .writeHead(fault.status, { 'Content-Type': 'text/html', ...fault.headers })
      .end(fault.body);
    return;
  }
  const passed = request(new URL(sentRequest.url ?? '/', target), {
    method: sentRequest.method,
    headers: sentRequest.headers,
  });
  sentRequest.pipe(passed);
  passed.on('error', () => reply.destroy());
  reply.once('close', () => reply.writableFinished || passed.destroy());
  const [response] = (await once(passed, 'response')) as [IncomingMessage];
  if (fault === 'cut') {
    response.resume();
    await once(response, 'end');
    reply.destroy();
    return;
  }
  reply.writeHead(response.statusCode ?? 502, response.headers);
  response.pipe(reply);
}
