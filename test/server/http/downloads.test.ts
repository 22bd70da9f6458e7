import * as assert from 'uvu/assert';
import { downloadLimits, limitDownloads, streamPieces } from '../../../server/http/downloads';
import { HttpError } from '../../../server/http/errors';
import { CustomResponse } from '../../../server/http/response';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('downloads');
const noCallbacks = {
  reauthorize: async () => undefined,
  report: () => undefined,
  closeConnection: () => undefined,
};
let now = 0;

/**
 * Begins a download.
 * @returns what ends it
 */
async function beginDownload(userId: number): Promise<() => void> {
  let over: () => void = () => undefined;
  const respond = async (release: () => void): Promise<CustomResponse> => {
    over = release;
    return new CustomResponse(200, {}, '');
  };
  await limitDownloads(userId, server.services.db, respond, now);
  return over;
}
const isRejected = (userId: number): Promise<boolean> =>
  beginDownload(userId).then(
    (over) => {
      over();
      return false;
    },
    (error: unknown) => error instanceof HttpError && error.status === 429,
  );

test('limits downloads per person, and lets others download', async () => {
  const overs = [];
  for (let nth = 0; nth < downloadLimits.perPerson; nth += 1) overs.push(await beginDownload(1));
  assert.is(await isRejected(1), true);
  assert.is(await isRejected(2), false);
  overs[0]?.();
  overs[0]?.(); // reported twice, counted once
  assert.is(await isRejected(1), false);
  overs[0] = await beginDownload(1);
  assert.is(await isRejected(1), true);
  for (const over of overs) over();
});

test('limits downloads of all people, and frees the slot of an unread one in time', async () => {
  const overs = [];
  for (let nth = 0; nth < downloadLimits.total; nth += 1) overs.push(await beginDownload(nth));
  assert.is(await isRejected(1000), true);
  now += downloadLimits.milliseconds;
  assert.is(await isRejected(1000), false);
  for (const over of overs) over();
});

test('frees the slot of a download that fails early', async () => {
  for (let nth = 0; nth <= downloadLimits.perPerson; nth += 1) {
    const failing = limitDownloads(3, server.services.db, () => Promise.reject(new Error('no')));
    assert.is(await failing.catch((error: Error) => error.message), 'no');
  }
});

test('creates one piece at a time across all downloads', async () => {
  let running = 0;
  let maxRunning = 0;
  async function* pieces(): AsyncGenerator<string> {
    for (let nth = 0; nth < 5; nth += 1) {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      yield `${nth}`;
    }
  }
  const bodies = Array.from({ length: 20 }, () =>
    streamPieces(pieces(), { ...noCallbacks, db: server.services.db, release: () => undefined }),
  );
  const texts = await Promise.all(bodies.map(async (body) => new Response(await body).text()));
  assert.ok(texts.every((text) => text === '01234'));
  assert.is(maxRunning, 1);
});

test('ends a download when it is read, breaks off or is canceled', async () => {
  const { db } = server.services;
  async function* pieces(): AsyncGenerator<string> {
    yield 'a';
    yield 'b';
  }
  let remainingCount = 0;
  const release = (): void => void (remainingCount += 1);
  await new Response(await streamPieces(pieces(), { ...noCallbacks, db, release })).text();
  assert.is(remainingCount, 1);
  const reauthorize = () => Promise.reject(new Error('signed out'));
  let cuts = 0;
  const closeConnection = (): void => void (cuts += 1);
  const brokenResponse = new Response(
    await streamPieces(pieces(), { ...noCallbacks, reauthorize, closeConnection, db, release }),
  );
  await brokenResponse.text().catch(() => undefined);
  assert.equal([remainingCount, cuts], [2, 1], 'half of it is not to be taken for the whole');
  const reader = (await streamPieces(pieces(), { ...noCallbacks, db, release })).getReader();
  await reader.read();
  await reader.cancel();
  assert.equal([remainingCount, cuts], [3, 1]);
});

test.run();
