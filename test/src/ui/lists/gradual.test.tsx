import * as assert from 'uvu/assert';
import { keepSame } from '../../../../src/state/same';
import { Gradual } from '../../../../src/ui/lists/Gradual';
import { screenSuite, show, waitFor } from '../../../support/app/app';

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
    <Gradual rows={rows} draw={draw} />
  </ul>
);
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: `Row ${id}` }));
const texts = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent);

test.before.each(() => void (drawn = []));

test('of a long list fifteen rows are drawn at once, and soon all, in their order', async () => {
  const rows = items(130);
  show(list(rows), '/');
  assert.is(texts().length, 15);
  await waitFor(() => assert.is(texts().length, 130));
  assert.equal(
    texts(),
    rows.map(({ text }) => text),
  );
  assert.is(drawn.length, 130, 'each once');
});

test('what is told anew as it was is kept as it was, and of two that are alike each is one of its own', () => {
  const [first, second, third] = items(3) as [Item, Item, Item];
  const fresh = keepSame([first, second], [{ ...third }, { ...second }, { ...first, text: 'New' }]);
  assert.is(fresh[1], second);
  assert.is(fresh[0] === third || fresh[2] === first, false);
  assert.equal(
    fresh.map(({ text }) => text),
    ['Row 2', 'Row 1', 'New'],
  );
  const twins = keepSame([first], [{ ...first }, { ...first }]);
  assert.is(twins[0], first);
  assert.is(twins[1] === first, false);
});

test.run();
