import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutput, MAX_BUFFERED_BYTES, OutputError } from '../../../server/lib/output';

const test = suite('standard output');

/** @param fault how each write fails, like a closed pipe or a full disk */
function createStream(fault?: string): { stream: NodeJS.WriteStream; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      if (fault !== undefined) return done(Object.assign(new Error('write'), { code: fault }));
      text += String(chunk);
      done();
    },
  });
  return { stream: stream as NodeJS.WriteStream, text: () => text };
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('survives a log without a reader, and reports it once on standard error', async () => {
  const other = createStream();
  const { log } = createOutput(createStream('EPIPE').stream, other.stream);
  for (let line = 0; line < 3; line += 1) {
    log.info('something');
    await nextTurn();
  }
  const [line = '', ...more] = other.text().trim().split('\n');
  assert.equal(more, []);
  const { level, code } = JSON.parse(line) as Record<string, string>;
  assert.equal([level, code], ['error', 'EPIPE']);
});

test('throws each time for a text that could not be printed', async () => {
  const { print } = createOutput(createStream('ENOSPC').stream, createStream().stream);
  for (let time = 0; time < 2; time += 1) {
    const outcome = await print('a password\n').catch((error: unknown) => error);
    assert.instance(outcome, OutputError);
  }
});

test('prints a text unchanged', async () => {
  const fakeOutput = createStream();
  const { print, log } = createOutput(fakeOutput.stream, createStream().stream);
  await print('  Hello\n');
  log.info('something', { count: 1 });
  await nextTurn();
  const [first, second = ''] = fakeOutput.text().split('\n');
  assert.is(first, '  Hello');
  assert.is((JSON.parse(second) as { count: number }).count, 1);
});

test('writes readable lines at a terminal, of the level that was set', async () => {
  const fakeOutput = createStream();
  const { log, setLevel } = createOutput(
    Object.assign(fakeOutput.stream, { isTTY: true as const }),
    createStream().stream,
  );
  log.debug('hidden');
  log.info('request', { id: 'a-1', route: 'GET /', user: undefined });
  setLevel('warn');
  log.info('hidden');
  log.warn('slow', { text: 'two\nlines' });
  await nextTurn();
  assert.match(
    fakeOutput.text(),
    /^\d\d:\d\d:\d\d info {2}request id=a-1 route="GET \/"\n[\d:]+ warn {2}slow text="two\\nlines"\n$/,
  );
});

test('keeps a megabyte for a reader that stalls, and counts dropped lines', async () => {
  let text = '';
  let read = (): void => undefined;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      read = done;
    },
  });
  const { log } = createOutput(stream as NodeJS.WriteStream, createStream().stream);
  for (let line = 0; line < 20_000; line += 1) log.info('something', { line });
  assert.ok(stream.writableLength > MAX_BUFFERED_BYTES / 2, String(stream.writableLength));
  assert.ok(stream.writableLength <= MAX_BUFFERED_BYTES, String(stream.writableLength));
  while (stream.writableLength > 0) {
    read();
    await nextTurn();
  }
  log.info('something', { line: 20_000 });
  read();
  await nextTurn();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; line?: number; lines?: number });
  const note = lines.find(({ lines: count }) => count !== undefined);
  assert.is(lines.length - 1 + (note?.lines ?? 0), 20_001, 'each is either written or counted');
  assert.is(lines.at(-1)?.line, 20_000);
});

test.run();
