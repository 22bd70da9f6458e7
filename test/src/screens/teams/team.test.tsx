import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { TeamScreen } from '../../../../src/screens/teams/TeamScreen';
import {
  button,
  clock,
  dialog,
  fakeApi,
  fireEvent,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import {
  createTopic,
  createUser,
  topicPages,
  userPages,
} from '../../../support/app/factories/people';
import { createMember, createTeam, memberPages } from '../../../support/app/factories/teams';

const test = screenSuite('team');
const TEAM = 'GET /api/admin/teams/:id';
const MEMBERS = 'GET /api/admin/teams/:id/members';
const JOIN = 'POST /api/admin/teams/:id/members';
const LEAVE = 'DELETE /api/admin/teams/:id/members';
const SUBSCRIBE = 'POST /api/admin/topics/:id/teams';
const UNSUBSCRIBE = 'DELETE /api/admin/topics/:id/teams';
const north = createTeam(1, {
  name: 'North crew',
  members: 2,
  topics: [{ id: 7, title: 'Outages' }],
});
const members = [
  createMember(2, { username: 'm.okafor' }),
  createMember(3, { username: 'sana.rahimi', status: 'PENDING' }),
];
const nothingSubscribed = { changed: 1, unchanged: 0 };

async function open() {
  fakeApi.reply(TEAM, north);
  fakeApi.reply(MEMBERS, memberPages(members));
  showScreen(<Route path="/admin/teams/:teamId" component={TeamScreen} />, '/admin/teams/1');
  await screen.findByRole('table');
}
const region = (name: string | RegExp) => within(screen.getByRole('region', { name }));
const ids = (endpoint: typeof JOIN | typeof LEAVE) =>
  fakeApi.requestsTo(endpoint).map(({ params, body }) => [params.id, body]);

test('shows a team’s members and topics', async () => {
  await open();
  assert.is(screen.getByRole('heading', { level: 1 }).textContent, 'North crew');
  assert.equal(
    tableRows().map((row) => row.slice(0, 4)),
    [
      ['m.okafor', 'Technician', 'Active', '–'],
      ['sana.rahimi', 'Technician', 'Pending', '–'],
    ],
  );
  assert.ok(screen.getByRole('heading', { name: 'Members (2)' }));
  assert.ok(region('Topics (1)').getByText('All 2 people are subscribed'));
});

test('adds several people found by name at once', async () => {
  await open();
  pressElement(button('Add people'));
  await screen.findByRole('dialog', { name: 'Add people to North crew' });
  fakeApi.reply('GET /api/admin/users', userPages([createUser(8), createUser(9)]));
  for (const name of ['user8', 'user9']) {
    typeInto(dialog().getByRole('combobox'), name);
    await clock.advance(250);
    fireEvent.click(await dialog().findByRole('option', { name: new RegExp(name) }));
  }
  fakeApi.reply(JOIN, { changed: 1, unchanged: 1 });
  pressInDialog('Add');
  await notices().findByText('2 people added to North crew, 1 already in the team.');
  assert.equal(ids(JOIN), [['1', { userIds: [8, 9] }]]);
});

test('removes selected members, and adds them again with Undo', async () => {
  await open();
  pressElement(screen.getByRole('checkbox', { name: 'Select all on this page' }));
  fakeApi.reply(LEAVE, nothingSubscribed);
  pressElement(button('Remove 2 people from team'));
  await notices().findByText('2 people removed from North crew.');
  assert.is(screen.queryByRole('button', { name: 'Remove 2 people from team' }), null);
  fakeApi.reply(JOIN, nothingSubscribed);
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  await waitFor(() => assert.equal(ids(JOIN), [['1', { userIds: [2, 3] }]]));
  assert.equal(ids(LEAVE), [['1', { userIds: [2, 3] }]]);
});

test('keeps members selected when the server rejects their removal', async () => {
  await open();
  pressElement(screen.getByRole('checkbox', { name: 'Select m.okafor' }));
  fakeApi.reject(LEAVE, 503);
  pressElement(button('Remove 1 person from team'));
  await notices().findByText('Failed to remove people from the team.');
  assert.ok(button('Remove 1 person from team'));
});

test('adds and removes topics', async () => {
  await open();
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages([createTopic(7, { title: 'Outages' }), createTopic(8, { title: 'Safety' })]),
  );
  pressElement(button('Add topics'));
  const safety = await screen.findByRole('checkbox', { name: 'Safety' });
  assert.is(screen.queryByRole('checkbox', { name: 'Outages' }), null);
  pressElement(safety);
  fakeApi.reply(SUBSCRIBE, nothingSubscribed);
  pressInDialog('Add topics');
  await notices().findByText('North crew subscribed to 1 topic.');
  const [sentRequest] = fakeApi.requestsTo(SUBSCRIBE);
  assert.equal([sentRequest?.params.id, sentRequest?.body], ['8', { teamIds: [1] }]);
  fakeApi.reply(UNSUBSCRIBE, nothingSubscribed);
  fireEvent.click(region('Topics (1)').getByText('Remove from team'));
  await notices().findByText('North crew unsubscribed from Outages.');
  assert.is(fakeApi.requestsTo(UNSUBSCRIBE)[0]?.params.id, '7');
});

test('leads back to all teams from one that was deleted', async () => {
  fakeApi.reject(TEAM, 404, 'This team does not exist.');
  showScreen(<Route path="/admin/teams/:teamId" component={TeamScreen} />, '/admin/teams/1');
  await screen.findByRole('alert');
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null);
  assert.ok(screen.getByRole('link', { name: /Teams/ }));
});

test.run();
