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
      .map((title, index) => ({ ...createTopic(index + 1, { title }), subscribers: 12 - index }))
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
const options = () => [...document.querySelectorAll('[role="option"]')].map(readOption);
/** Without the decoration, as screen readers read it. */
const readOption = (option: Element | null) =>
  [...(option?.childNodes ?? [])]
    .filter((part) => !(part instanceof Element && part.matches('[aria-hidden]')))
    .map(({ textContent }) => textContent)
    .join('')
    .trim();
const activeOption = () =>
  readOption(document.getElementById(box().getAttribute('aria-activedescendant') ?? ''));
async function search(text: string, ...found: string[]): Promise<void> {
  typeInto(box(), text);
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), found));
}
const [EAST, USER] = ['North east Topic · 11 people', 'user1 user1@northgrid.example'];
const SOUTH = 'South Topic · 10 people';
const NORTH = ['North Topic · 12 people', EAST, USER];

test('starts another search at its first result, and ignores Enter before the response', async () => {
  openBox();
  await search('north', ...NORTH);
  key('ArrowDown');
  assert.is(activeOption(), EAST);
  typeInto(box(), 'south');
  key('Enter');
  assert.equal([pickedNames, options()], [[], []]);
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), [SOUTH, USER]));
  assert.is(activeOption(), SOUTH);
  key('Enter');
  assert.equal(pickedNames, ['topic 3']);
});

test('wraps the arrow keys, and opens a closed list with them', async () => {
  openBox();
  await search('north', ...NORTH);
  for (const text of [EAST, USER, NORTH[0]]) {
    key('ArrowDown');
    assert.is(activeOption(), text);
  }
  key('Escape');
  assert.equal(options(), []);
  key('ArrowDown');
  await waitFor(() => assert.equal(options(), NORTH));
  assert.is(activeOption(), NORTH[0]);
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

test('lists names before matches in an email, a domain or a description', async () => {
  openBox();
  const people = ['domain', 'local', 'anorth', 'k.north', 'northan'].map((username, index) =>
    createUser(index + 11, {
      username,
      email: username === 'local' ? 'far.north@grid.example' : `${username}@north.example`,
    }),
  );
  fakeApi.reply('GET /api/admin/users', { users: people, total: 5, page: 1, limit: 25 });
  fakeApi.reply(TOPICS, {
    topics: [createTopic(1, { title: 'Ice', description: 'Roads in the north' })],
    total: 1,
    page: 1,
    limit: 25,
  });
  await search(
    'North',
    'northan northan@north.example',
    'k.north k.north@north.example',
    'anorth anorth@north.example',
    'local far.north@grid.example',
    'Ice Topic',
  );
  fireEvent.click(screen.getAllByRole('option')[1]!);
  assert.equal(pickedNames, ['person 14']);
});

test.run();
