import * as assert from 'uvu/assert';
import {
  HOUR_MS,
  MORNING,
  NIGHT,
  daily,
  createQuietHoursHelpers,
} from '../../../support/server/quiet-hours';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('held recipients');
let quietHours: ReturnType<typeof createQuietHoursHelpers>;
test.before.each(() => {
  server.clock.now = NIGHT;
  quietHours = createQuietHoursHelpers(server);
});

test('shows when held recipients will be notified', async () => {
  const { createSleeper, createMember, setHours, sendInfo } = quietHours;
  const topic = await server.createTopic();
  const asleep = await createSleeper(1, topic);
  const latePerson = await createMember(1, topic);
  await setHours([latePerson.id], [daily('20:00', '08:00')]);
  const awake = await createMember(1, topic);
  const id = await sendInfo({ topicIds: [topic] });
  const as = await server.createPerson('ADMIN');
  const { body } = await server.call('GET /api/admin/messages/:id/recipients', {
    as,
    params: { id },
  });
  assert.equal(
    body.recipients.map(({ user, state, heldUntil }) => [user?.id, state, heldUntil]),
    [
      [asleep.id, 'held', new Date(MORNING).toISOString()],
      [latePerson.id, 'held', new Date(MORNING + 2 * HOUR_MS).toISOString()],
      [awake.id, 'pending', undefined],
    ],
  );
});

test.run();
