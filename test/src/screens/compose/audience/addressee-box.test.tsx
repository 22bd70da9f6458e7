import * as assert from 'uvu/assert';
import { AddresseeBox } from '../../../../../src/screens/compose/audience/AddresseeBox';
import {
  clock,
  fakeApi,
  fireEvent,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../../support/app/app';
import { createTopic, createUser } from '../../../../support/app/factories/people';

const test = screenSuite('adding recipients');
const TOPICS = 'GET /api/admin/topics';

let pickedNames: string[] = [];
function openBox(): void {
  pickedNames = [];
  const titles = ['North', 'North east', 'South'];
  fakeApi.reply(TOPICS, ({ query }) => {
    const topics = titles
      .map((title, index) => createTopic(index + 1, { title }))
      .filter(({ title }) => title.toLowerCase().includes(query.query ?? ''));
    return { topics, total: topics.length, page: 1, limit: 5 };
  });
  fakeApi.reply('GET /api/admin/users', { users: [createUser(1)], total: 1, page: 1, limit: 5 });
  showScreen(
    <AddresseeBox
      label="Add"
      pickedAddressees={[{ kind: 'person', id: 2, name: 'North' }]}
      onPick={({ kind, id }) => pickedNames.push(`${kind} ${id}`)}
    />,
    '/',
  );
}
const box = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Add' });
const key = (name: string) => fireEvent.keyDown(box(), { key: name });
const options = () =>
  [...document.querySelectorAll('[role="option"]')].map(({ textContent }) => textContent);
const activeOption = () =>
  document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent;
async function search(text: string, ...found: string[]): Promise<void> {
  typeInto(box(), text);
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), found));
}
const NORTH = ['North Topic', 'North east Topic', 'user1 Person'];

test('starts another search at its first result, and ignores Enter before the response', async () => {
  openBox();
  await search('north', ...NORTH);
  key('ArrowDown');
  assert.is(activeOption(), 'North east Topic');
  typeInto(box(), 'south');
  key('Enter');
  assert.equal([pickedNames, options()], [[], []]);
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), ['South Topic', 'user1 Person']));
  assert.is(activeOption(), 'South Topic');
  key('Enter');
  assert.equal(pickedNames, ['topic 3']);
});

test('wraps the arrow keys, and opens a closed list with them', async () => {
  openBox();
  await search('north', ...NORTH);
  for (const text of ['North east Topic', 'user1 Person', 'North Topic']) {
    key('ArrowDown');
    assert.is(activeOption(), text);
  }
  key('Escape');
  assert.equal(options(), []);
  key('ArrowDown');
  await waitFor(() => assert.equal(options(), NORTH));
  assert.is(activeOption(), 'North Topic');
});

test('closes the list on leaving, keeps the text, and opens it again on a press', async () => {
  openBox();
  await search('north', ...NORTH);
  fireEvent.blur(box());
  await waitFor(() => assert.equal(options(), []));
  assert.is(box().value, 'north');
  fireEvent.click(box());
  await waitFor(() => assert.equal(options(), NORTH));
  fireEvent.click(screen.getByRole('option', { name: /user1/ }));
  assert.equal(pickedNames, ['person 1']);
  assert.equal([box().value, options()], ['', []]);
});

test.run();
