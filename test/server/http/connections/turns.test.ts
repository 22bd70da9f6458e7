import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { takeTurns } from '../../../../server/http/connections/turns';

const test = suite('turns on a connection');
const SECOND = 1000;
const limits = { answerTimeout: 10 * SECOND, maxUnread: 1000, maxWaiting: 2 };

/** What `takeTurns` sees of a connection, and what became of it. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}

class FakeAnswer extends EventEmitter {
  headersSent = false;
  writableLength = 0;
}

function makeTurns() {
  let time = 0;
  const begun: unknown[] = [];
  const busy: boolean[] = [];
  const { listener, check } = takeTurns(
    (_request, response) => begun.push(response),
    limits,
    (_socket, isBusy) => busy.push(isBusy),
    () => time,
  );
  return {
    begun,
    busy,
    /** Looks at the answers so many milliseconds later. */
    checkAfter(milliseconds: number): void {
      time += milliseconds;
      check();
    },
    ask(socket: FakeSocket, unread = 0): FakeAnswer {
      const answer = new FakeAnswer();
      answer.writableLength = unread;
      listener({ socket } as unknown as IncomingMessage, answer as unknown as ServerResponse);
      return answer;
    },
  };
}

test('an answer may take ten seconds to be read, and its connection is cut after that', () => {
  const { ask, checkAfter } = makeTurns();
  const socket = new FakeSocket();
  const answer = ask(socket);
  checkAfter(60 * SECOND);
  answer.headersSent = true;
  checkAfter(SECOND);
  checkAfter(10 * SECOND);
  assert.not.ok(socket.destroyed);
  checkAfter(1);
  assert.ok(socket.destroyed);
});

test('an answer that was read counts no longer: the connection stays for a second and a third request', () => {
  const { ask, checkAfter, begun } = makeTurns();
  const socket = new FakeSocket();
  for (let round = 1; round <= 3; round += 1) {
    const answer = ask(socket, 900);
    answer.headersSent = true;
    checkAfter(0);
    answer.emit('close');
    checkAfter(60 * SECOND);
    assert.equal([begun.length, socket.destroyed], [round, false]);
  }
  const slow = ask(socket);
  checkAfter(60 * SECOND);
  assert.not.ok(socket.destroyed, 'the next one is in the making');
  slow.emit('close');
});

test('as many requests wait as the limit says, and one more ends the connection', () => {
  const { ask, begun } = makeTurns();
  const socket = new FakeSocket();
  for (let sent = 0; sent < 3; sent += 1) ask(socket);
  assert.equal([begun.length, socket.destroyed], [1, false]);
  ask(socket);
  assert.equal([begun.length, socket.destroyed], [1, true]);
});

test('a connection is busy from its first request until the last that waits is answered', () => {
  const { ask, busy, begun } = makeTurns();
  const socket = new FakeSocket();
  for (let round = 0; round < 2; round += 1) {
    const answers = [ask(socket), ask(socket), ask(socket)];
    for (const [index, answer] of answers.entries()) {
      assert.is(begun.at(-1), answers[index]);
      assert.is(busy.at(-1), true);
      answer.emit('close');
    }
    assert.is(busy.at(-1), false);
  }
});

test('answers may leave unread as much as the limit says; beyond it the largest are cut until the rest fits', () => {
  const { ask, checkAfter } = makeTurns();
  const sockets = [new FakeSocket(), new FakeSocket(), new FakeSocket(), new FakeSocket()];
  const [small, large, larger, late] = sockets as [FakeSocket, FakeSocket, FakeSocket, FakeSocket];
  ask(small, 100);
  ask(large, 400);
  ask(larger, 500);
  checkAfter(0);
  assert.equal(
    sockets.map(({ destroyed }) => destroyed),
    [false, false, false, false],
    'exactly the limit',
  );
  ask(late, 600);
  checkAfter(0);
  assert.equal([late.destroyed, larger.destroyed], [true, false]);
  assert.equal([small.destroyed, large.destroyed], [false, false]);
});

test.run();
