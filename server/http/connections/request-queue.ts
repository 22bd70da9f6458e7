/** Serves one request at a time on each connection, and bounds slow or unread responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ResponseLimits {
  /** Milliseconds for reading a response, from its first byte to its last. */
  responseTimeout: number;
  /** Bytes of all responses that wait in this process for their readers. */
  maxUnread: number;
  /** Requests that may wait behind the current one on a connection. */
  maxWaiting: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

interface RequestQueue {
  listener: Listener;
  /** Cuts off slow readers, and the largest responses if all together are too large. */
  check(): void;
}

/** A client that sends hundreds of requests and reads nothing would fill the memory. */
export function createRequestQueue(
  begin: Listener,
  limits: ResponseLimits,
  setBusy: (socket: Socket, busy: boolean) => void,
  now = (): number => performance.now(),
): RequestQueue {
  const waitingRequests = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();
  const openResponses = new Map<ServerResponse, { socket: Socket; since: number | undefined }>();

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const waitingOfSocket = waitingRequests.get(socket);
    if (waitingOfSocket === undefined) return startRequest(request, response);
    if (waitingOfSocket.length < limits.maxWaiting) waitingOfSocket.push([request, response]);
    else socket.destroy();
  }

  function startRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (!waitingRequests.has(socket)) waitingRequests.set(socket, []);
    openResponses.set(response, { socket, since: undefined });
    setBusy(socket, true);
    response.once('close', () => {
      openResponses.delete(response);
      const nextRequest = socket.destroyed ? undefined : waitingRequests.get(socket)?.shift();
      if (nextRequest !== undefined) return startRequest(...nextRequest);
      waitingRequests.delete(socket);
      setBusy(socket, false);
    });
    begin(request, response);
  }

  function check(): void {
    let unread = 0;
    for (const [response, state] of openResponses) {
      unread += response.writableLength;
      if (response.headersSent) state.since ??= now();
      if (state.since !== undefined && now() - state.since > limits.responseTimeout)
        state.socket.destroy();
    }
    if (unread <= limits.maxUnread) return;
    // The app's responses are small, so the largest are not those of people with a bad network.
    for (const [response, { socket }] of [...openResponses].sort(
      ([a], [b]) => b.writableLength - a.writableLength,
    )) {
      if (unread <= limits.maxUnread) return;
      unread -= response.writableLength;
      socket.destroy();
    }
  }

  return { listener, check };
}
