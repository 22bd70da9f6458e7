import { useState } from 'react';
import * as assert from 'uvu/assert';
import { rowsInView, useKeepScroll } from '../../../../src/ui/lists/keep-scroll';
import { screen, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('keeping the scroll position');

/** Pixels of each row. */
const HEIGHT = 40;
const START = 100;
const real = { scrollBy: globalThis.scrollBy, measure: Element.prototype.getBoundingClientRect };
let scrolled: number[] = [];

test.before.each(() => {
  scrolled = [];
  const left = new Map<Element, DOMRect>();
  Object.assign(globalThis, {
    scrollBy: (_: number, scrolledBy: number) => scrolled.push(scrolledBy),
  });
  // A removed row measures as before.
  Element.prototype.getBoundingClientRect = function (this: Element) {
    const nth = [...document.querySelectorAll('li')].indexOf(this as HTMLLIElement);
    const scrolledBy = scrolled.reduce((sum, each) => sum + each, 0);
    const top = START + nth * HEIGHT - scrolledBy;
    const rectangle = nth < 0 ? left.get(this) : ({ top, bottom: top + HEIGHT } as DOMRect);
    if (rectangle) left.set(this, rectangle);
    return rectangle ?? ({ top: 0, bottom: 0 } as DOMRect);
  };
});
test.after.each(() => {
  Object.assign(globalThis, { scrollBy: real.scrollBy });
  Element.prototype.getBoundingClientRect = real.measure;
});

function Rows({ of, unless }: { of: string[][]; unless?: (moved: number) => boolean }) {
  const [turn, setTurn] = useState(0);
  useKeepScroll(rowsInView('li'), undefined, unless);
  return (
    <>
      <button type="button" onClick={() => setTurn(turn + 1)}>
        {turn}
      </button>
      {of[turn]?.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </>
  );
}

async function drawNext(): Promise<void> {
  screen.getByRole('button').click();
  await screen.findByText('1');
}

for (const [what, before, after, scrolledBy] of [
  ['rows come on top', ['c', 'd'], ['a', 'b', 'c', 'd'], [2 * HEIGHT]],
  ['the first goes', ['a', 'b', 'c'], ['b', 'c'], [-HEIGHT]],
  ['the first go, and others come before', ['b', 'c', 'd'], ['a', 'x', 'd'], []],
  ['rows come below', ['a', 'b'], ['a', 'b', 'c'], []],
  ['all go', ['a', 'b'], ['x', 'y', 'z'], []],
] as const)
  test(`keeps the first remaining row in place where ${what}`, async () => {
    showScreen(<Rows of={[[...before], [...after]]} />, '/');
    await drawNext();
    assert.equal(scrolled, scrolledBy);
  });

test('does not scroll when `unless` accepts a row’s move', async () => {
  const moves: number[] = [];
  const unless = (moved: number) => moves.push(moved) > 0;
  showScreen(<Rows of={[['b'], ['a', 'b']]} unless={unless} />, '/');
  await drawNext();
  assert.equal(scrolled, []);
  assert.equal(moves, [HEIGHT]);
});

test.run();
