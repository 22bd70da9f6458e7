/** Two administrators change the same row. */
import { equal } from 'node:assert/strict';
import { countedNoun } from '../../../src/ui/lists/Pager';
import type { Day, Seat } from '../day';
import { arrive, be, go } from './lists';
import { confirmRemoval, dismiss, pickTopic, write } from './topics';
import { pickUser, seeSubscriptions, tick } from './users';

/** What one deleted the other cannot change, and nothing is half done. */
export async function meetAtARow(day: Day, seat: Seat): Promise<boolean> {
  const other = day.seats.find((each) => each.kind === 'office' && each !== seat)!;
  if (day.books.topics.size < 8 || day.books.users.size < 45) return false;
  day.weather.calm = true;
  const what = day.dice.pick(['edit', 'delete', 'send', 'role', 'subscribe'] as const);
  if (what === 'role' || what === 'subscribe') await meetAtAUser(day, seat, other, what);
  else await meetAtATopic(day, seat, other, what);
  day.weather.calm = false;
  return true;
}

async function meetAtATopic(
  day: Day,
  seat: Seat,
  other: Seat,
  what: 'edit' | 'delete' | 'send',
): Promise<void> {
  for (const each of [seat, other]) {
    await be(day, each, 'Dashboard');
    await go(day, each, 'Topics');
  }
  const topic = await pickTopic(day, seat);
  await seat.hand.ask(
    `${{ edit: 'Edit', delete: 'Delete', send: 'Send notification to' }[what]} ${topic.title}`,
  );
  if (what === 'send')
    await seat.hand.see(countedNoun(day.books.subscribersOf(topic.id).length, 'subscriber'));
  await other.hand.ask(`Delete ${topic.title}`);
  await confirmRemoval(day, other, topic.id);
  if (what === 'send') await write(day, seat, topic, 404);
  else if (what === 'delete') await confirmRemoval(day, seat, topic.id, 404);
  else {
    await seat.hand.fill('Title', day.word());
    const { text } = await day.change({
      seat,
      request: '',
      act: () => seat.hand.press('button', 'Save Changes'),
      says: /$^/,
      changes: [],
      refused: 404,
    });
    equal(text, 'This topic does not exist.');
    await dismiss(seat);
  }
  await go(day, seat, 'Dashboard');
}

async function meetAtAUser(
  day: Day,
  seat: Seat,
  other: Seat,
  what: 'role' | 'subscribe',
): Promise<void> {
  for (const each of [seat, other]) {
    await be(day, each, 'Dashboard');
    await go(day, each, 'Users');
  }
  const id = await pickUser(
    day,
    seat,
    (each) =>
      day.books.users.get(each)?.role !== 'ADMIN' &&
      !day.seats.some(({ person }) => person === each),
  );
  if (id === undefined) return;
  const username = day.usernameOf(id);
  if (what === 'role') await seat.hand.ask(`Change role of ${username}`);
  else await seat.hand.press('link', `Manage Subscriptions of ${username}`);
  if (what === 'subscribe') await seeSubscriptions(day, seat, id);
  await other.hand.ask(`Delete ${username}`);
  await day.change({
    seat: other,
    request: '',
    act: () => other.hand.press('button', 'Delete'),
    says: /User deleted\./,
    changes: [(books) => books.deleteUser(id)],
  });
  await arrive(day, other, 'Users');
  if (what === 'subscribe') await tick(day, seat, id, 404);
  else {
    await seat.hand.choose('Role', day.dice.pick(['ADMIN', 'TECHNICIAN', 'CUSTOMER']));
    if (await seat.hand.look('find', 'button', 'Change role')) {
      await day.change({
        seat,
        request: '',
        act: () => seat.hand.press('button', 'Change role'),
        says: /$^/,
        changes: [],
        refused: 404,
      });
    }
    await dismiss(seat);
  }
  await go(day, seat, 'Dashboard');
}
