import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { Heartbeats } from '../../../../src/screens/topics/heartbeats/Heartbeats';
import type { Heartbeat } from '../../../../src/shared/contract';
import { createFormats } from '../../../../src/ui/values/create-formats';
import {
  button,
  clock,
  fakeApi,
  findButton,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
  within,
} from '../../../support/app/app';
import { createTopic } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('heartbeats of a topic');
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const LIST = 'GET /api/admin/topics/:id/heartbeats';
const PAUSE = 'PUT /api/admin/heartbeats/:id';
const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
const createHeartbeat = (
  state: Heartbeat['state'],
  change: Partial<Heartbeat> = {},
): Heartbeat => ({
  id: 1,
  name: state,
  every: 3600,
  grace: 1800,
  lastAt: at(-90),
  dueAt: at(-30),
  state,
  ...change,
});

async function open(...heartbeats: Heartbeat[]): Promise<void> {
  createFormats('en-GB');
  fakeApi.reply('GET /api/admin/topics/:id', createTopic(7, { title: 'Server room' }));
  fakeApi.reply(LIST, { heartbeats });
  showScreen(
    <Route path="/admin/topics/:topicId/heartbeats" component={Heartbeats} />,
    '/admin/topics/7/heartbeats',
  );
  await screen.findByRole('heading', { name: 'Server room' });
}
/** Name, state and interval of each row. */
const shownRows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      [...row.querySelectorAll('th, td')]
        .slice(0, 3)
        .map((cell) => cell.textContent?.replace(/(yesterday )?\d\d:\d\d$/, 'TIME')),
    );

test('shows silent heartbeats first, with their details', async () => {
  await open(
    createHeartbeat('alive', { every: 90 }),
    createHeartbeat('waiting', { every: 86_400 }),
    createHeartbeat('late'),
    createHeartbeat('paused'),
    createHeartbeat('silent', { isKeyRevoked: true, alert: { messageId: 'm1', at: at(0) } }),
  );
  await screen.findByText(/^curl -fsS -m 30 --retry 8 --retry-connrefused --retry-max-time 120 /);
  assert.equal(shownRows(), [
    ['silent Its key was revoked. Give the machine another key.', 'Silent since TIME', '1 hr'],
    ['late', 'Late since TIME', '1 hr'],
    ['waiting', 'Waiting for the next heartbeat', '1 day'],
    ['alive', 'On time', '90 sec'],
    ['paused', 'Paused', '1 hr'],
  ]);
  const alert = screen.getByRole('link', { name: 'Open alert' });
  assert.match(alert.getAttribute('href') ?? '', /messages\/m1$/);
});

test('pauses, deletes, and reads again by itself', async () => {
  await open(createHeartbeat('alive'));
  fakeApi.reply(PAUSE, createHeartbeat('paused'));
  fakeApi.reply(LIST, { heartbeats: [createHeartbeat('paused')] });
  pressElement(await findButton('Pause'));
  await screen.findByText('Paused');
  assert.equal(fakeApi.requestsTo(PAUSE)[0].body, { paused: true });
  fakeApi.reply(LIST, { heartbeats: [createHeartbeat('late')] });
  await clock.advance(10_000);
  await waitFor(() => assert.is(shownRows()[0]?.[1], 'Late since TIME'));
  fakeApi.reply('DELETE /api/admin/heartbeats/:id', { message: 'Deleted.' });
  fakeApi.reply(LIST, { heartbeats: [] });
  pressElement(button('Delete heartbeat'));
  const dialog = await screen.findByRole('dialog', { name: 'Delete late' });
  pressElement(within(dialog).getByRole('button', { name: 'Delete heartbeat' }));
  await screen.findByText('No heartbeats yet');
});

test.run();
