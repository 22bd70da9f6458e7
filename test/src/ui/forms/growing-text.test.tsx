import * as assert from 'uvu/assert';
import { useState } from 'react';
import { GrowingText } from '../../../../src/ui/forms/GrowingText';
import { clock, screen, screenSuite, showScreen, typeInto } from '../../../support/app/app';

const test = screenSuite('growing text');
const ROW = 24;
const { supports } = CSS;
const heights = ['clientHeight', 'scrollHeight'] as const;

/** A browser with lines of one row's height, which may size fields itself. */
function fakeTextHeights({ itself }: { itself: boolean }): void {
  CSS.supports = () => itself;
  Object.defineProperty(HTMLTextAreaElement.prototype, 'clientHeight', {
    configurable: true,
    get: (): number => ROW * Number(screen.getByRole<HTMLTextAreaElement>('textbox').rows),
  });
  Object.defineProperty(HTMLTextAreaElement.prototype, 'scrollHeight', {
    configurable: true,
    get: (): number =>
      ROW * screen.getByRole<HTMLTextAreaElement>('textbox').value.split('\n').length,
  });
}
test.after.each(() => {
  CSS.supports = supports;
  for (const name of heights) Reflect.deleteProperty(HTMLTextAreaElement.prototype, name);
});

function Message() {
  const [text, setText] = useState('');
  return <GrowingText aria-label="Message" rows={[3, 6]} value={text} onText={setText} />;
}
const rows = () => Number(screen.getByRole<HTMLTextAreaElement>('textbox').rows);
async function write(lines: number): Promise<void> {
  typeInto(screen.getByRole('textbox'), Array(lines).fill('Feeder 12').join('\n'));
  await clock.advance(0); // effects run after the paint
}

test('grows a message box from three to six rows, and shrinks it again', async () => {
  fakeTextHeights({ itself: false });
  showScreen(<Message />, '/');
  assert.is(rows(), 3);
  for (const [lines, high] of [
    [4, 4],
    [6, 6],
    [12, 6],
    [1, 3],
  ] as const) {
    await write(lines);
    assert.is(rows(), high, `${lines} lines`);
  }
});

test('leaves sizing to browsers that can do it', async () => {
  fakeTextHeights({ itself: true });
  showScreen(<Message />, '/');
  await write(6);
  assert.is(rows(), 3);
});

test.run();
