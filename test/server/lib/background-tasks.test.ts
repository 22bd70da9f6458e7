import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Background } from '../../../server/lib/background-tasks';
import { createLog } from '../../../server/lib/log';

const test = suite('work behind the answer');
const lines: string[] = [];
const log = createLog((line) => lines.push(line));

test('all of it is done, and what fails is logged', async () => {
  const background = new Background(log);
  const done: string[] = [];
  background.run(async () => void done.push('one'));
  background.run(() => Promise.reject(new TypeError('no')));
  background.run(async () => void done.push('three'));
  await background.settle();
  assert.equal(done, ['one', 'three']);
  assert.ok(
    lines.some((line) => line.includes('background work failed') && line.includes('TypeError')),
  );
});

test('once all of it is done no timer is left that would keep the process', async () => {
  const count = (): number =>
    process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const before = count();
  const background = new Background(log);
  background.run(async () => undefined);
  assert.is(count(), before + 1);
  await background.settle();
  assert.is(count(), before);
});

test('a stop does not wait for ever for work that never ends', async () => {
  const background = new Background(log);
  let began = false;
  background.run(() => {
    began = true;
    return new Promise<void>(() => undefined);
  });
  await background.settle(20);
  assert.ok(began);
});

test.run();
