/** An administrator's changes of topics, each followed to the database. */
import { deepEqual, equal } from 'node:assert/strict';
import { describeDevices } from '../../../server/topics/subscribers';
import { NOTIFICATION_STATUSES, ROLE_NAMES } from '../../../src/screens/user-labels';
import { countedNoun } from '../../../src/ui/lists/Pager';
import { eventually } from '../../support/eventually';
import type { Change, Day, Seat } from '../day';
import { arrive, be, go, listed, unique } from './lists';
import { seeNotified } from './notifications';

export interface Picked {
  id: number;
  title: string;
}

/** A visible topic with a unique title. */
export async function pickTopic(day: Day, seat: Seat): Promise<Picked> {
  for (;;) {
    const known = unique([...day.books.topics.values()].map(({ title }) => title));
    const shown = unique((await listed(day, seat)).map(([title = '']) => title)).filter((title) =>
      known.includes(title),
    );
    if (shown.length > 0) {
      const title = day.dice.pick(shown);
      return { id: [...day.books.topics].find(([, topic]) => topic.title === title)![0], title };
    }
    await go(day, seat, 'Dashboard'); // the page shows yesterday's rows
    await go(day, seat, 'Topics');
  }
}

export async function dismiss({ hand }: Seat): Promise<void> {
  if (await hand.page.evaluate(() => document.querySelector('dialog[open]') !== null))
    await hand.escape();
}

/** Now and then pressed twice; each must work once. */
const presses = (day: Day): number => (day.dice.chance(25) ? 2 : 1);

export async function addTopic(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Topics');
  await hand.ask('Add Topic');
  const [title, description] = [day.word(), `What happens at ${day.word()}`];
  await hand.fill('Title', title);
  await hand.fill('Description', description);
  const adds: Change = (books, now) => {
    const [id = -1] =
      [...now.topics].find(([each, topic]) => !books.topics.has(each) && topic.title === title) ??
      [];
    books.topics.set(id, { title, description });
  };
  const { done } = await day.change({
    seat,
    request: 'POST /api/admin/topics',
    act: () => hand.press('button', 'Add Topic', presses(day)),
    says: /Topic added\./,
    changes: [adds],
    perhaps: [adds],
  });
  if (done) await arrive(day, seat, 'Topics');
  else await dismiss(seat);
}

export async function editTopic(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Topics');
  const { id, title } = await pickTopic(day, seat);
  await hand.ask(`Edit ${title}`);
  const topic = {
    title: day.dice.chance(50) ? title : day.word(),
    description: `Changed to ${day.word()}`,
  };
  await hand.fill('Title', topic.title);
  await hand.fill('Description', topic.description);
  const changes: Change[] = [(books) => books.topics.set(id, topic)];
  const act = () => hand.press('button', 'Save Changes', presses(day));
  const { done } = await day.change({
    seat,
    request: 'PUT /api/admin/topics/',
    act,
    says: /Changes saved\./,
    changes,
  });
  if (done) await arrive(day, seat, 'Topics');
  else await dismiss(seat);
}

export async function deleteTopic(day: Day, seat: Seat): Promise<boolean> {
  if (day.books.topics.size < 8) return false;
  await be(day, seat, 'Topics');
  const { id, title } = await pickTopic(day, seat);
  await seat.hand.ask(`Delete ${title}`);
  await confirmRemoval(day, seat, id);
  return true;
}

/** @param rejected the status if someone else was first */
export async function confirmRemoval(
  day: Day,
  seat: Seat,
  id: number,
  refused?: number,
): Promise<void> {
  const { hand } = seat;
  const changes: Change[] = [(books) => books.deleteTopic(id)];
  const act = () => hand.press('button', 'Delete', refused ? 1 : presses(day));
  const { done } = await day.change({
    seat,
    request: 'DELETE /api/admin/topics/',
    act,
    says: /Topic deleted\./,
    changes,
    refused,
  });
  if (done) await arrive(day, seat, 'Topics');
  else await dismiss(seat);
}

export async function viewSubscribers(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Topics');
  const { id, title } = await pickTopic(day, seat);
  await hand.ask(`Subscribers of ${title}`);
  const { books } = day;
  const expected = books.subscribersOf(id).map((user) => {
    const { username, role } = books.users.get(user)!;
    const devices = books.devicesOf(user);
    const counts = {
      totalDevices: devices.length,
      enabledDevices: devices.filter((device) => books.isEnabled(user, id, device)).length,
    };
    return [
      username,
      ROLE_NAMES[role],
      NOTIFICATION_STATUSES[describeDevices(counts)].name,
      `${counts.enabledDevices}/${counts.totalDevices}`,
    ].join();
  });
  if (expected.length === 0) await hand.see('No subscribers for this topic.');
  else {
    const shown = await hand.until(() => {
      const rows = [...document.querySelectorAll<HTMLTableRowElement>('dialog tbody tr')];
      return (
        rows.length > 0 &&
        rows.map(({ cells }) =>
          [...cells]
            .slice(1, 5) // behind its checkbox
            .map((cell) => cell.textContent?.trim())
            .join(),
        )
      );
    }, `${day.watch.doing}: to see the subscribers of ${title}`);
    deepEqual(
      shown.sort(),
      expected.sort().slice(0, 50),
      `${day.watch.doing}: subscribers of ${title}`,
    );
  }
  await hand.press('button', 'Close');
}

export async function openAndThinkBetter(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Topics');
  const { title } = await pickTopic(day, seat);
  const dialogs = {
    'Add Topic': 'Title',
    [`Edit ${title}`]: 'Title',
    [`Send notification to ${title}`]: 'Message',
    [`Delete ${title}`]: '',
    [`Subscribers of ${title}`]: '',
  };
  const [button, field] = day.dice.pick(Object.entries(dialogs));
  await hand.ask(button);
  if (field) await hand.fill(field, 'never mind');
  await hand.escape();
  await day.settle();
}

export async function send(day: Day, seat: Seat): Promise<void> {
  await be(day, seat, 'Topics');
  const topic = await pickTopic(day, seat);
  await seat.hand.ask(`Send notification to ${topic.title}`);
  await write(day, seat, topic);
}

/** @param rejected as above */
export async function write(day: Day, seat: Seat, { id }: Picked, refused?: number): Promise<void> {
  const { hand } = seat;
  const text = `${day.word()} is down. Grüße 👷🏽`;
  if (!refused) await hand.see(countedNoun(day.books.subscribersOf(id).length, 'subscriber'));
  await hand.fill('Message', text);
  const reached = day.books.reach(id);
  const people = new Set(reached.map((device) => day.books.devices.get(device)!.user)).size;
  const phones = reached.map((device) => day.books.devices.get(device)!.phone);
  const sender = day.sitter(seat);
  const sends: Change = (books, now) => {
    if ([...books.messages.values()].some((each) => each.text === text)) return; // the same press, once more
    const [message = 'none'] = [...now.messages].find(([, each]) => each.text === text) ?? [];
    books.messages.set(message, { text, topic: id, sender, devices: reached.length });
    for (const device of reached)
      if (day.phones.isGone(books.devices.get(device)?.phone ?? '')) books.deleteDevice(device);
  };
  const act = () => hand.press('button', 'Send', presses(day));
  const press = () =>
    day.change({
      seat,
      request: 'POST /api/admin/notifications/send-topic/',
      act,
      says: /^Sent/,
      changes: [sends],
      refused,
    });
  let outcome = await press();
  const sentence = people ? `Sent. ${people} of ` : 'Sent, but no one is being notified:';
  if (outcome.done && outcome.clear)
    equal(
      outcome.text.startsWith(sentence),
      true,
      `${day.watch.doing}: "${outcome.text}" instead of "${sentence}"`,
    );
  // The app says that pressing again notifies no one twice.
  while (
    !outcome.done &&
    !refused &&
    day.dice.chance(60) &&
    (await hand.look('find', 'button', 'Send'))
  )
    outcome = await press();
  if (outcome.done && day.dice.chance(80)) await hand.press('button', 'Close');
  else if (outcome.done)
    await hand.until(
      () => !document.querySelector('dialog[open]'),
      'the dialog to close by itself',
    );
  else await dismiss(seat);
  await eventually(
    async () => !(await day.database.deliveries()).get('pending'),
    'the message to be delivered',
  );
  await day.settle();
  if (![...day.books.messages.values()].some((message) => message.text === text)) return;
  day.phones.note(phones, text);
  await seeNotified(day, reached, text);
}
