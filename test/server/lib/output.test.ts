import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutput, OutputError } from '../../../server/lib/output';

const test = suite('standard output');

/** @param fault what each write ends with, as a pipe without a reader or a full disk does */
function makeStream(fault?: string): { stream: NodeJS.WriteStream; text(): string } {
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
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a log without a reader ends nothing, and standard error hears of it once', async () => {
  const other = makeStream();
  const { log } = createOutput(makeStream('EPIPE').stream, other.stream);
  for (let line = 0; line < 3; line += 1) {
    log.info('something');
    await turn();
  }
  const [said = '', ...more] = other.text().trim().split('\n');
  assert.equal(more, []);
  const { level, code } = JSON.parse(said) as Record<string, string>;
  assert.equal([level, code], ['error', 'EPIPE']);
});

test('neither does a second closed output', async () => {
  const { log } = createOutput(makeStream('EPIPE').stream, makeStream('EPIPE').stream);
  log.info('something');
  await turn();
  log.info('something else');
  await turn();
});

test('what had to be seen and was not is an error, each time', async () => {
  const { print } = createOutput(makeStream('ENOSPC').stream, makeStream().stream);
  for (let time = 0; time < 2; time += 1) {
    const outcome = await print('a password\n').catch((error: unknown) => error);
    assert.instance(outcome, OutputError);
  }
});

test('what was written was written as it is', async () => {
  const out = makeStream();
  const { print, log } = createOutput(out.stream, makeStream().stream);
  await print('  Hello\n');
  log.info('something', { count: 1 });
  await turn();
  const [first, second = ''] = out.text().split('\n');
  assert.is(first, '  Hello');
  assert.is((JSON.parse(second) as { count: number }).count, 1);
});

test.run();
