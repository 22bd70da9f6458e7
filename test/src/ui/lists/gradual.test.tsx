import { useState } from 'react';
import * as assert from 'uvu/assert';
import { reuseEqualRows } from '../../../../src/state/reuse-equal-rows';
import { GradualRows } from '../../../../src/ui/lists/GradualRows';
import { screen, screenSuite, showScreen, waitFor } from '../../../support/app/app';

const test = screenSuite('gradual');

interface Item {
  id: number;
  text: string;
}
let drawn: number[] = [];
function Item({ item }: { item: Item }) {
  drawn.push(item.id);
  return <li>{item.text}</li>;
}
const draw = (item: Item) => <Item key={item.id} item={item} />;
const list = (rows: readonly Item[]) => (
  <ul>
    <GradualRows rows={rows} draw={draw} />
  </ul>
);
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: `Row ${id}` }));
const texts = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent);

test.before.each(() => void (drawn = []));

test('draws fifteen rows at once, then the rest in order', async () => {
  const rows = items(130);
  showScreen(list(rows), '/');
  assert.is(texts().length, 15);
  await waitFor(() => assert.is(texts().length, 130));
  assert.equal(
    texts(),
    rows.map(({ text }) => text),
  );
  assert.is(drawn.length, 130, 'each once');
});

test('draws a list that grew to its end', async () => {
  function Growing() {
    const [count, setCount] = useState(3);
    return (
      <>
        <button type="button" onClick={() => setCount(60)}>
          More
        </button>
        <GradualRows rows={items(count)} draw={draw} />
      </>
    );
  }
  showScreen(<Growing />, '/');
  await waitFor(() => assert.is(texts().length, 3));
  screen.getByRole('button').click();
  await waitFor(() => assert.is(texts().length, 60));
});

test('redraws only changed rows', async () => {
  const rows = items(3);
  const draws = [draw, draw, (item: Item) => <li key={item.id}>{item.text} again</li>];
  function Turning() {
    const [turn, setTurn] = useState(0);
    return (
      <>
        <button type="button" onClick={() => setTurn(turn + 1)}>
          {turn}
        </button>
        <GradualRows rows={rows} draw={draws[turn] ?? draw} />
      </>
    );
  }
  showScreen(<Turning />, '/');
  const turn = async (to: string) => {
    screen.getByRole('button').click();
    await screen.findByText(to);
  };
  await turn('1');
  assert.equal(drawn, [0, 1, 2], 'each once');
  await turn('2');
  assert.equal(texts(), ['Row 0 again', 'Row 1 again', 'Row 2 again']);
});

test('keeps equal rows, and separates duplicates', () => {
  const [first, second, third] = items(3) as [Item, Item, Item];
  const fresh = reuseEqualRows(
    [first, second],
    [{ ...third }, { ...second }, { ...first, text: 'New' }],
  );
  assert.is(fresh[1], second);
  assert.is(fresh[0] === third || fresh[2] === first, false);
  assert.equal(
    fresh.map(({ text }) => text),
    ['Row 2', 'Row 1', 'New'],
  );
  const twins = reuseEqualRows([first], [{ ...first }, { ...first }]);
  assert.is(twins[0], first);
  assert.is(twins[1] === first, false);
});

test.run();
