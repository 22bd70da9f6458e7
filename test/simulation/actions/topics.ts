/** An administrator's changes of topics, each followed to the database. */
import { deepEqual, equal } from 'node:assert/strict';
import { describeDevices } from '../../../server/topics/subscribers';
import { NOTIFICATION_STATUSES, ROLE_NAMES } from '../../../src/screens/user-labels';
import { countedNoun } from '../../../src/ui/lists/Pager';
import { eventually } from '../../support/eventually';
import type { ExpectedChange, SimulatedDay, Workplace } from '../day';
import { waitForScreen, goUnlessThere, goToScreen, readList, uniqueNames } from './lists';
import { waitForNotification } from './notifications';

export interface Picked {
  id: number;
  title: string;
}

/** A visible topic with a unique title. */
export async function pickTopic(day: SimulatedDay, workplace: Workplace): Promise<Picked> {
  for (;;) {
    const knownTitles = uniqueNames(
      [...day.expectedData.topics.values()].map(({ title }) => title),
    );
    const shownTitles = uniqueNames(
      (await readList(day, workplace)).map(([title = '']) => title),
    ).filter((title) => knownTitles.includes(title));
    if (shownTitles.length > 0) {
      const title = day.random.pick(shownTitles);
      return {
        id: [...day.expectedData.topics].find(([, topic]) => topic.title === title)![0],
        title,
      };
    }
    await goToScreen(day, workplace, 'Dashboard'); // the page shows yesterday's rows
    await goToScreen(day, workplace, 'Topics');
  }
}

export async function dismissDialog({ driver }: Workplace): Promise<void> {
  if (await driver.page.evaluate(() => document.querySelector('dialog[open]') !== null))
    await driver.closeDialog();
}

/** Now and then pressed twice; each must work once. */
const presses = (day: SimulatedDay): number => (day.random.happens(25) ? 2 : 1);

export async function addTopic(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Topics');
  await driver.openDialog('Add Topic');
  const [title, description] = [day.createWord(), `What happens at ${day.createWord()}`];
  await driver.fill('Title', title);
  await driver.fill('Description', description);
  const adds: ExpectedChange = (expectedData, now) => {
    const [id = -1] =
      [...now.topics].find(
        ([each, topic]) => !expectedData.topics.has(each) && topic.title === title,
      ) ?? [];
    expectedData.topics.set(id, { title, description });
  };
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'POST /api/admin/topics',
    act: () => driver.press('button', 'Add Topic', presses(day)),
    successText: /Topic added\./,
    changes: [adds],
    possibleChanges: [adds],
  });
  if (done) await waitForScreen(day, workplace, 'Topics');
  else await dismissDialog(workplace);
}

export async function editTopic(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Topics');
  const { id, title } = await pickTopic(day, workplace);
  await driver.openDialog(`Edit ${title}`);
  const topic = {
    title: day.random.happens(50) ? title : day.createWord(),
    description: `Changed to ${day.createWord()}`,
  };
  await driver.fill('Title', topic.title);
  await driver.fill('Description', topic.description);
  const changes: ExpectedChange[] = [(expectedData) => expectedData.topics.set(id, topic)];
  const pressSave = () => driver.press('button', 'Save Changes', presses(day));
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'PUT /api/admin/topics/',
    act: pressSave,
    successText: /Changes saved\./,
    changes,
  });
  if (done) await waitForScreen(day, workplace, 'Topics');
  else await dismissDialog(workplace);
}

export async function deleteTopic(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  if (day.expectedData.topics.size < 8) return false;
  await goUnlessThere(day, workplace, 'Topics');
  const { id, title } = await pickTopic(day, workplace);
  await workplace.driver.openDialog(`Delete ${title}`);
  await confirmRemoval(day, workplace, id);
  return true;
}

/** @param rejected the status if someone else was first */
export async function confirmRemoval(
  day: SimulatedDay,
  workplace: Workplace,
  id: number,
  refused?: number,
): Promise<void> {
  const { driver } = workplace;
  const changes: ExpectedChange[] = [(expectedData) => expectedData.deleteTopic(id)];
  const pressDelete = () => driver.press('button', 'Delete', refused ? 1 : presses(day));
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'DELETE /api/admin/topics/',
    act: pressDelete,
    successText: /Topic deleted\./,
    changes,
    rejectedWith: refused,
  });
  if (done) await waitForScreen(day, workplace, 'Topics');
  else await dismissDialog(workplace);
}

export async function viewSubscribers(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Topics');
  const { id, title } = await pickTopic(day, workplace);
  await driver.openDialog(`Subscribers of ${title}`);
  const { expectedData } = day;
  const expectedIds = expectedData.subscribersOf(id).map((user) => {
    const { username, role } = expectedData.users.get(user)!;
    const devices = expectedData.devicesOf(user);
    const counts = {
      totalDevices: devices.length,
      enabledDevices: devices.filter((device) => expectedData.isEnabled(user, id, device)).length,
    };
    return [
      username,
      ROLE_NAMES[role],
      NOTIFICATION_STATUSES[describeDevices(counts)].name,
      `${counts.enabledDevices}/${counts.totalDevices}`,
    ].join();
  });
  if (expectedIds.length === 0) await driver.see('No subscribers for this topic.');
  else {
    const shownTexts = await driver.waitUntil(() => {
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
    }, `${day.monitor.currentAction}: to see the subscribers of ${title}`);
    deepEqual(
      shownTexts.sort(),
      expectedIds.sort().slice(0, 50),
      `${day.monitor.currentAction}: subscribers of ${title}`,
    );
  }
  await driver.press('button', 'Close');
}

export async function openAndCancelDialogs(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Topics');
  const { title } = await pickTopic(day, workplace);
  const dialogs = {
    'Add Topic': 'Title',
    [`Edit ${title}`]: 'Title',
    [`Send notification to ${title}`]: 'Message',
    [`Delete ${title}`]: '',
    [`Subscribers of ${title}`]: '',
  };
  const [button, field] = day.random.pick(Object.entries(dialogs));
  await driver.openDialog(button);
  if (field) await driver.fill(field, 'never mind');
  await driver.closeDialog();
  await day.waitForDatabase();
}

export async function sendMessage(day: SimulatedDay, workplace: Workplace): Promise<void> {
  await goUnlessThere(day, workplace, 'Topics');
  const topic = await pickTopic(day, workplace);
  await workplace.driver.openDialog(`Send notification to ${topic.title}`);
  await composeMessage(day, workplace, topic);
}

/** @param rejected as above */
export async function composeMessage(
  day: SimulatedDay,
  workplace: Workplace,
  { id }: Picked,
  refused?: number,
): Promise<void> {
  const { driver } = workplace;
  const text = `${day.createWord()} is down. Grüße 👷🏽`;
  if (!refused)
    await driver.see(countedNoun(day.expectedData.subscribersOf(id).length, 'subscriber'));
  await driver.fill('Message', text);
  const reached = day.expectedData.listReachedDevices(id);
  const people = new Set(reached.map((device) => day.expectedData.devices.get(device)!.user)).size;
  const phones = reached.map((device) => day.expectedData.devices.get(device)!.phone);
  const sender = day.personAt(workplace);
  const sends: ExpectedChange = (expectedData, now) => {
    if ([...expectedData.messages.values()].some((each) => each.text === text)) return; // the same press, once more
    const [message = 'none'] = [...now.messages].find(([, each]) => each.text === text) ?? [];
    expectedData.messages.set(message, { text, topic: id, sender, devices: reached.length });
    for (const device of reached)
      if (day.phones.isGone(expectedData.devices.get(device)?.phone ?? ''))
        expectedData.deleteDevice(device);
  };
  const pressSend = () => driver.press('button', 'Send', presses(day));
  const sendAndFollow = () =>
    day.runChecked({
      workplace,
      request: 'POST /api/admin/notifications/send-topic/',
      act: pressSend,
      successText: /^Sent/,
      changes: [sends],
      rejectedWith: refused,
    });
  let outcome = await sendAndFollow();
  const sentence = people ? `Sent. ${people} of ` : 'Sent, but no one is being notified:';
  if (outcome.isDone && outcome.isClear)
    equal(
      outcome.text.startsWith(sentence),
      true,
      `${day.monitor.currentAction}: "${outcome.text}" instead of "${sentence}"`,
    );
  // The app says that pressing again notifies no one twice.
  while (
    !outcome.isDone &&
    !refused &&
    day.random.happens(60) &&
    (await driver.query('find', 'button', 'Send'))
  )
    outcome = await sendAndFollow();
  if (outcome.isDone && day.random.happens(80)) await driver.press('button', 'Close');
  else if (outcome.isDone)
    await driver.waitUntil(
      () => !document.querySelector('dialog[open]'),
      'the dialog to close by itself',
    );
  else await dismissDialog(workplace);
  await eventually(
    async () => !(await day.database.countDeliveries()).get('pending'),
    'the message to be delivered',
  );
  await day.waitForDatabase();
  if (![...day.expectedData.messages.values()].some((message) => message.text === text)) return;
  day.phones.recordSentMessage(phones, text);
  await waitForNotification(day, reached, text);
}
