/** One request at a time on each connection, and no answer that is written for ever. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface AnswerLimits {
  /**
   * Milliseconds that a client may take to read an answer, from its first byte until the system has
   * taken its last.
   */
  answerTimeout: number;
  /** Bytes of answers that may wait in this process for their readers, all together. */
  maxUnread: number;
  /** Requests that a connection may have waiting behind the one that is being answered. */
  maxWaiting: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

interface Turns {
  listener: Listener;
  /**
   * Cuts off who reads too slowly, and those with most to read where that is too much for all
   * together.
   */
  check(): void;
}

/**
 * Begins a request when the one before it is written: a client that sends hundreds and reads nothing
 * would fill the memory with answers. Who sends ahead by more than a few is cut off.
 * @param setBusy hears when a connection begins and stops to have a request under way
 */
export function takeTurns(
  begin: Listener,
  limits: AnswerLimits,
  setBusy: (socket: Socket, busy: boolean) => void,
  now = (): number => performance.now(),
): Turns {
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();
  /**
   * The request that is being answered, with the time at which its first byte was seen to be
   * written.
   */
  const answering = new Map<ServerResponse, { socket: Socket; since: number | undefined }>();

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const behind = waiting.get(socket);
    if (behind === undefined) return start(request, response);
    if (behind.length < limits.maxWaiting) behind.push([request, response]);
    else socket.destroy();
  }

  function start(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (!waiting.has(socket)) waiting.set(socket, []);
    answering.set(response, { socket, since: undefined });
    setBusy(socket, true);
    response.once('close', () => {
      answering.delete(response);
      const next = socket.destroyed ? undefined : waiting.get(socket)?.shift();
      if (next !== undefined) return start(...next);
      waiting.delete(socket);
      setBusy(socket, false);
    });
    begin(request, response);
  }

  function check(): void {
    let unread = 0;
    for (const [response, answer] of answering) {
      unread += response.writableLength;
      if (response.headersSent) answer.since ??= now();
      if (answer.since !== undefined && now() - answer.since > limits.answerTimeout)
        answer.socket.destroy();
    }
    if (unread <= limits.maxUnread) return;
    // Answers of the app are small: those who hold the most are not those who only have a bad
    // network.
    for (const [response, { socket }] of [...answering].sort(
      ([one], [other]) => other.writableLength - one.writableLength,
    )) {
      if (unread <= limits.maxUnread) return;
      unread -= response.writableLength;
      socket.destroy();
    }
  }

  return { listener, check };
}
