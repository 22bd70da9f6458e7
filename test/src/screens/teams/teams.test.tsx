import * as assert from 'uvu/assert';
import { Teams } from '../../../../src/screens/teams/Teams';
import { composedMessage, discardComposed } from '../../../../src/state/messages/composing';
import {
  dialog,
  fakeApi,
  findNoDialog,
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
} from '../../../support/app/app';
import { createTeam, teamPages } from '../../../support/app/factories/teams';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('teams');
const LIST = 'GET /api/admin/teams';
const ADD = 'POST /api/admin/teams';
const topics = [1, 2, 3, 4, 5].map((id) => ({ id, title: `Topic ${id}` }));
const north = createTeam(1, { name: 'North crew', description: 'Poles', members: 14, topics });
const depot = createTeam(2, { name: 'Depot', description: '', members: 1 });

test.before.each(() => void signInAs('ADMIN'));
test.after.each(() => {
  discardComposed();
  endSession();
});

async function open() {
  fakeApi.reply(LIST, teamPages([north, depot]));
  showScreen(<Teams />, '/admin/teams');
  await screen.findByRole('table');
}

test('lists teams with members and the first of many topics', async () => {
  await open();
  assert.equal(
    tableRows().map((row) => row.slice(0, 4)),
    [
      ['North crew', 'Poles', '14', 'Topic 1Topic 2Topic 3+2'],
      ['Depot', '–', '1', 'None yet'],
    ],
  );
  assert.is(screen.getByText('North crew').closest('a')?.getAttribute('href'), '/admin/teams/1');
});

test('adds the first team, and keeps a rejected name in the dialog', async () => {
  fakeApi.reply(LIST, teamPages([]));
  showScreen(<Teams />, '/admin/teams');
  pressElement(await screen.findByRole('button', { name: 'Add your first team' }));
  await screen.findByRole('dialog', { name: 'Add team' });
  fakeApi.reject(ADD, 409, 'Another team has this name.');
  typeInto(dialog().getByLabelText('Name'), ' Depot ');
  pressInDialog('Add team');
  await dialog().findByText('Another team has this name.');
  fakeApi.reply(ADD, depot);
  fakeApi.reply(LIST, teamPages([depot]));
  pressInDialog('Add team');
  await notices().findByText('Team added.');
  await findNoDialog();
  assert.equal(fakeApi.requestsTo(ADD).at(-1)?.body, { name: 'Depot', description: '' });
  await screen.findByRole('table');
});

test('says what ends before it deletes a team', async () => {
  await open();
  fireEvent.click(screen.getAllByRole('button', { name: 'Delete team', hidden: true })[0]!);
  await screen.findByRole('dialog', { name: 'Delete team' });
  assert.match(
    screen.getByRole('dialog').textContent ?? '',
    /"North crew"\? This action cannot be undone\. Members lose topics and sending rights that they have only through this team/,
  );
  fakeApi.reply('DELETE /api/admin/teams/:id', { message: 'The team was deleted.' });
  pressInDialog('Delete');
  await notices().findByText('Team deleted.');
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST).length, 2));
});

test('opens the composer with only this team, and keeps the draft’s text', async () => {
  await open();
  composedMessage.value = {
    ...composedMessage.value,
    message: 'Come back.',
    to: [{ kind: 'topic', id: 9, name: 'Everybody' }],
  };
  fireEvent.click(screen.getByRole('link', { name: 'Message team North crew' }));
  assert.is(location.pathname, '/admin/messages/new');
  assert.equal(composedMessage.value.to, [{ kind: 'team', id: 1, name: 'North crew', people: 14 }]);
});

test('changes a team’s description', async () => {
  await open();
  fireEvent.click(screen.getAllByRole('button', { name: 'Edit', hidden: true })[1]!);
  await screen.findByRole('dialog', { name: 'Edit team' });
  fakeApi.reply('PUT /api/admin/teams/:id', depot);
  typeInto(dialog().getByLabelText(/^Description/), 'Parts');
  pressInDialog('Save Changes');
  await notices().findByText('Changes saved.');
  assert.equal(fakeApi.requestsTo('PUT /api/admin/teams/:id')[0]?.body, {
    name: 'Depot',
    description: 'Parts',
  });
});

test.run();
