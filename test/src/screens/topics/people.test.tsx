import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { TopicScreen } from '../../../../src/screens/topics/people/TopicScreen';
import type { Senders } from '../../../../src/shared/contract';
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
  createSubscriber,
  createTopic,
  createUser,
  userPages,
} from '../../../support/app/factories/people';
import { createTeam, teamPages } from '../../../support/app/factories/teams';

const test = screenSuite('topic people');
const TEAMS = 'GET /api/admin/topics/:id/teams';
const PEOPLE = 'GET /api/admin/topics/:id/subscribers';
const SENDERS = 'GET /api/admin/topics/:id/senders';
const SET_SENDERS = 'PUT /api/admin/topics/:id/senders';
const SUBSCRIBE_TEAMS = 'POST /api/admin/topics/:id/teams';
const north = { id: 1, name: 'North crew' };
const storm = createTopic(7, { title: 'Storm' });

async function open(senders: Senders = { users: [], teams: [] }) {
  fakeApi.reply('GET /api/admin/topics/:id', storm);
  fakeApi.reply(TEAMS, { teams: [{ ...north, members: 14 }] });
  fakeApi.reply(PEOPLE, [
    createSubscriber(2, { byName: false, teams: [north] }),
    createSubscriber(3, { byName: true, teams: [north] }),
    createSubscriber(4),
  ]);
  fakeApi.reply(SENDERS, senders);
  showScreen(<Route path="/admin/topics/:topicId" component={TopicScreen} />, '/admin/topics/7');
  await screen.findByRole('table');
}
const region = (name: string | RegExp) => within(screen.getByRole('region', { name }));

test('tells subscriptions by name from those by a team', async () => {
  await open();
  assert.equal(
    tableRows().map((row) => row.slice(0, 4)),
    [
      ['user2', 'North crew', 'Enabled', '1/1'],
      ['user3', 'North crewBy name', 'Enabled', '1/1'],
      ['user4', 'By name', 'Enabled', '1/1'],
    ],
  );
  assert.ok(region('Teams (1)').getByText('14 people'));
});

test('says why a member of a team cannot be unsubscribed', async () => {
  await open();
  fakeApi.reject('DELETE /api/admin/subscriptions', 409, 'user2 is subscribed through North crew.');
  fireEvent.click(screen.getAllByRole('button', { name: 'Unsubscribe', hidden: true })[0]!);
  await notices().findByText('user2 is subscribed through North crew.');
});

test('subscribes a team, and reads the people again', async () => {
  await open();
  fakeApi.reply(
    'GET /api/admin/teams',
    teamPages([createTeam(1), createTeam(2, { name: 'Depot' })]),
  );
  pressElement(button('Add teams'));
  pressElement(await screen.findByRole('checkbox', { name: 'Depot' }));
  fakeApi.reply(SUBSCRIBE_TEAMS, { changed: 1, unchanged: 0 });
  pressInDialog('Add teams');
  await notices().findByText('1 team subscribed to Storm.');
  assert.equal(fakeApi.requestsTo(SUBSCRIBE_TEAMS)[0]?.body, { teamIds: [2] });
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).length, 2));
});

test('keeps senders that another administrator added meanwhile', async () => {
  await open();
  assert.ok(screen.getByText('Only administrators can send to this topic.'));
  pressElement(button('Add senders'));
  await screen.findByRole('dialog', { name: 'Add senders to Storm' });
  fakeApi.reply('GET /api/admin/users', userPages([createUser(8)]));
  fakeApi.reply('GET /api/admin/teams', teamPages([createTeam(5, { name: 'Control room' })]));
  typeInto(dialog().getByRole('combobox'), 'r');
  await clock.advance(250);
  fireEvent.click(await dialog().findByRole('option', { name: /Control room/ }));
  fakeApi.reply(SENDERS, { users: [{ id: 9, username: 'j.petrov' }], teams: [] });
  fakeApi.reply(SET_SENDERS, { users: [], teams: [] });
  pressInDialog('Add');
  await notices().findByText('Senders added.');
  assert.equal(fakeApi.requestsTo(SET_SENDERS)[0]?.body, { userIds: [9], teamIds: [5] });
});

test('removes a sender', async () => {
  await open({ users: [{ id: 9, username: 'j.petrov' }], teams: [north] });
  fakeApi.reply(SET_SENDERS, { users: [], teams: [] });
  fireEvent.click(screen.getAllByRole('button', { name: 'Remove sender', hidden: true })[0]!);
  await notices().findByText('j.petrov was removed from the senders of Storm.');
  assert.equal(fakeApi.requestsTo(SET_SENDERS)[0]?.body, { userIds: [], teamIds: [1] });
});

test.run();
