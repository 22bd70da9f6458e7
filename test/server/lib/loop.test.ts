import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPause, yieldToEventLoop, type Pause } from '../../../server/lib/loop';

const test = suite('a sleep that can be cut short');
const ENDLESS_WAIT_MS = 2 ** 30;

/** Whether the sleep ends within a few turns of the event loop. */
async function isShort(pause: Pause): Promise<boolean> {
  let isOver = false;
  void pause.for(ENDLESS_WAIT_MS).then(() => (isOver = true));
  for (let turn = 0; turn < 5; turn += 1) await yieldToEventLoop();
  return isOver;
}

test('skips the next sleep when woken before it, then sleeps again', async () => {
  const pause = createPause();
  for (let round = 1; round <= 2; round += 1) {
    pause.end();
    pause.end();
    assert.is(await isShort(pause), true, `round ${round}: woken before`);
    assert.is(await isShort(pause), false, `round ${round}: not woken`);
    pause.end();
    await yieldToEventLoop();
    assert.is(await isShort(pause), false, `round ${round}: what ended one sleep ends no other`);
    pause.end();
    await yieldToEventLoop();
  }
});

test.run();
