/** Two administrators change the same row. */
import { equal } from 'node:assert/strict';
import { countedNoun } from '../../../src/ui/lists/Pager';
import type { Day, Workplace } from '../day';
import { waitForScreen, goUnlessThere, goToScreen } from './lists';
import { confirmRemoval, dismissDialog, pickTopic, writeMessage } from './topics';
import { pickUser, seeSubscriptions, tickTopics } from './users';

/** What one deleted the other cannot change, and nothing is half done. */
export async function editDeletedRow(day: Day, workplace: Workplace): Promise<boolean> {
  const other = day.workplaces.find((each) => each.kind === 'office' && each !== workplace)!;
  if (day.expectedData.topics.size < 8 || day.expectedData.users.size < 45) return false;
  day.networkFaults.calm = true;
  const what = day.random.pick(['edit', 'delete', 'send', 'role', 'subscribe'] as const);
  if (what === 'role' || what === 'subscribe') await meetAtAUser(day, workplace, other, what);
  else await meetAtATopic(day, workplace, other, what);
  day.networkFaults.calm = false;
  return true;
}

async function meetAtATopic(
  day: Day,
  workplace: Workplace,
  other: Workplace,
  what: 'edit' | 'delete' | 'send',
): Promise<void> {
  for (const each of [workplace, other]) {
    await goUnlessThere(day, each, 'Dashboard');
    await goToScreen(day, each, 'Topics');
  }
  const topic = await pickTopic(day, workplace);
  await workplace.driver.ask(
    `${{ edit: 'Edit', delete: 'Delete', send: 'Send notification to' }[what]} ${topic.title}`,
  );
  if (what === 'send')
    await workplace.driver.see(
      countedNoun(day.expectedData.subscribersOf(topic.id).length, 'subscriber'),
    );
  await other.driver.ask(`Delete ${topic.title}`);
  await confirmRemoval(day, other, topic.id);
  if (what === 'send') await writeMessage(day, workplace, topic, 404);
  else if (what === 'delete') await confirmRemoval(day, workplace, topic.id, 404);
  else {
    await workplace.driver.fill('Title', day.word());
    const { text } = await day.change({
      workplace,
      request: '',
      act: () => workplace.driver.press('button', 'Save Changes'),
      says: /$^/,
      changes: [],
      refused: 404,
    });
    equal(text, 'This topic does not exist.');
    await dismissDialog(workplace);
  }
  await goToScreen(day, workplace, 'Dashboard');
}

async function meetAtAUser(
  day: Day,
  workplace: Workplace,
  other: Workplace,
  what: 'role' | 'subscribe',
): Promise<void> {
  for (const each of [workplace, other]) {
    await goUnlessThere(day, each, 'Dashboard');
    await goToScreen(day, each, 'Users');
  }
  const id = await pickUser(
    day,
    workplace,
    (each) =>
      day.expectedData.users.get(each)?.role !== 'ADMIN' &&
      !day.workplaces.some(({ person }) => person === each),
  );
  if (id === undefined) return;
  const username = day.usernameOf(id);
  if (what === 'role') await workplace.driver.ask(`Change role of ${username}`);
  else await workplace.driver.press('link', `Manage Subscriptions of ${username}`);
  if (what === 'subscribe') await seeSubscriptions(day, workplace, id);
  await other.driver.ask(`Delete ${username}`);
  await day.change({
    workplace: other,
    request: '',
    act: () => other.driver.press('button', 'Delete'),
    says: /User deleted\./,
    changes: [(expectedData) => expectedData.deleteUser(id)],
  });
  await waitForScreen(day, other, 'Users');
  if (what === 'subscribe') await tickTopics(day, workplace, id, 404);
  else {
    await workplace.driver.choose('Role', day.random.pick(['ADMIN', 'TECHNICIAN', 'CUSTOMER']));
    if (await workplace.driver.look('find', 'button', 'Change role')) {
      await day.change({
        workplace,
        request: '',
        act: () => workplace.driver.press('button', 'Change role'),
        says: /$^/,
        changes: [],
        refused: 404,
      });
    }
    await dismissDialog(workplace);
  }
  await goToScreen(day, workplace, 'Dashboard');
}
