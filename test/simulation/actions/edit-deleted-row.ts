/** Two administrators change the same row. */
import { equal } from 'node:assert/strict';
import { countedNoun } from '../../../src/ui/lists/Pager';
import type { SimulatedDay, Workplace } from '../day';
import { waitForScreen, goUnlessThere, goToScreen } from './lists';
import { confirmRemoval, dismissDialog, pickTopic, composeMessage } from './topics';
import { pickUser, seeSubscriptions, tickTopics } from './users';

/** One administrator cannot change a row that the other deleted, and no change is done in part. */
export async function editDeletedRow(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const otherOffice = day.workplaces.find(
    (office) => office.kind === 'office' && office !== workplace,
  )!;
  if (day.expectedData.topics.size < 8 || day.expectedData.users.size < 45) return false;
  day.networkFaults.isPaused = true;
  const attempt = day.random.pick(['edit', 'delete', 'send', 'role', 'subscribe'] as const);
  if (attempt === 'role' || attempt === 'subscribe')
    await meetAtAUser(day, workplace, otherOffice, attempt);
  else await meetAtATopic(day, workplace, otherOffice, attempt);
  day.networkFaults.isPaused = false;
  return true;
}

async function meetAtATopic(
  day: SimulatedDay,
  workplace: Workplace,
  otherOffice: Workplace,
  attempt: 'edit' | 'delete' | 'send',
): Promise<void> {
  for (const office of [workplace, otherOffice]) {
    await goUnlessThere(day, office, 'Dashboard');
    await goToScreen(day, office, 'Topics');
  }
  const topic = await pickTopic(day, workplace);
  await workplace.driver.openDialog(
    `${{ edit: 'Edit', delete: 'Delete', send: 'Send notification to' }[attempt]} ${topic.title}`,
  );
  if (attempt === 'send')
    await workplace.driver.see(
      countedNoun(day.expectedData.subscribersOf(topic.id).length, 'subscriber'),
    );
  await otherOffice.driver.openDialog(`Delete ${topic.title}`);
  await confirmRemoval(day, otherOffice, topic.id);
  if (attempt === 'send') await composeMessage(day, workplace, topic, 404);
  else if (attempt === 'delete') await confirmRemoval(day, workplace, topic.id, 404);
  else {
    await workplace.driver.fill('Title', day.createWord());
    const { text } = await day.runChecked({
      workplace,
      request: '',
      act: () => workplace.driver.press('button', 'Save Changes'),
      successText: /$^/,
      changes: [],
      rejectedWith: 404,
    });
    equal(text, 'This topic does not exist.');
    await dismissDialog(workplace);
  }
  await goToScreen(day, workplace, 'Dashboard');
}

async function meetAtAUser(
  day: SimulatedDay,
  workplace: Workplace,
  otherOffice: Workplace,
  attempt: 'role' | 'subscribe',
): Promise<void> {
  for (const office of [workplace, otherOffice]) {
    await goUnlessThere(day, office, 'Dashboard');
    await goToScreen(day, office, 'Users');
  }
  const id = await pickUser(
    day,
    workplace,
    (office) =>
      day.expectedData.users.get(office)?.role !== 'ADMIN' &&
      !day.workplaces.some(({ person }) => person === office),
  );
  if (id === undefined) return;
  const username = day.usernameOf(id);
  if (attempt === 'role') await workplace.driver.openDialog(`Change role of ${username}`);
  else await workplace.driver.press('link', `Manage Subscriptions of ${username}`);
  if (attempt === 'subscribe') await seeSubscriptions(day, workplace, id);
  await otherOffice.driver.openDialog(`Delete ${username}`);
  await day.runChecked({
    workplace: otherOffice,
    request: '',
    act: () => otherOffice.driver.press('button', 'Delete'),
    successText: /User deleted\./,
    changes: [(expectedData) => expectedData.deleteUser(id)],
  });
  await waitForScreen(day, otherOffice, 'Users');
  if (attempt === 'subscribe') await tickTopics(day, workplace, id, 404);
  else {
    await workplace.driver.choose('Role', day.random.pick(['ADMIN', 'TECHNICIAN', 'CUSTOMER']));
    if (await workplace.driver.query('find', 'button', 'Change role')) {
      await day.runChecked({
        workplace,
        request: '',
        act: () => workplace.driver.press('button', 'Change role'),
        successText: /$^/,
        changes: [],
        rejectedWith: 404,
      });
    }
    await dismissDialog(workplace);
  }
  await goToScreen(day, workplace, 'Dashboard');
}
