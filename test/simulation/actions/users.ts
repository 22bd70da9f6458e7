/** An administrator's changes of accounts, roles and subscriptions. */
import { ok } from 'node:assert/strict';
import type { Role } from '../../../src/shared/contract';
import { ROLE_NAMES } from '../../../src/screens/user-labels';
import { countedNoun } from '../../../src/ui/lists/Pager';
import { pairKey } from '../expected-data';
import type { ExpectedChange, SimulatedDay, Workplace } from '../day';
import { waitForScreen, goUnlessThere, goToScreen, readList, uniqueNames } from './lists';
import { dismissDialog } from './topics';

/** Someone who is shown as they are; never the first administrator. */
export async function pickUser(
  day: SimulatedDay,
  workplace: Workplace,
  which: (id: number) => boolean = () => true,
): Promise<number | undefined> {
  await goUnlessThere(day, workplace, 'Users');
  const upToDateRows = (await readList(day, workplace)).filter(
    ([id, , , role]) => day.expectedData.users.get(Number(id))?.role === role?.toUpperCase(),
  );
  const candidates = upToDateRows
    .map(([id]) => Number(id))
    .filter((id) => day.usernameOf(id) !== 'admin' && id !== workplace.person && which(id));
  if (candidates.length > 0) return day.random.pick(candidates);
  await goToScreen(day, workplace, 'Dashboard');
  await goToScreen(day, workplace, 'Users');
  return undefined;
}

export async function addUser(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Users');
  await driver.openDialog('Add User');
  const isTaken = day.random.happens(10);
  const username = isTaken
    ? day.random.pick([...day.expectedData.users.values()]).username.toUpperCase()
    : day.createWord().toLowerCase();
  const email = day.random.happens(50) ? `${day.createWord()}@northgrid.example` : null;
  const role: Role = day.random.pick(['CUSTOMER', 'TECHNICIAN', 'TECHNICIAN']);
  await driver.fill('Username', username);
  await driver.fill('Email', email ?? '');
  await driver.choose('Role', role);
  const adds: ExpectedChange = (expectedData, now) => {
    const [id = -1] = [...now.users].find(([, user]) => user.username === username) ?? [];
    expectedData.users.set(id, { username, email, role, status: 'PENDING' });
  };
  const { isDone: done, text } = await day.runChecked({
    workplace,
    request: 'POST /api/admin/users',
    act: () => driver.press('button', 'Add User'),
    successText: /Registration link created!/,
    changes: [adds],
    rejectedWith: isTaken ? 409 : undefined,
  });
  if (!done) return dismissDialog(workplace);
  await waitForScreen(day, workplace, 'Users');
  const [, link = ''] = /\/register\/([\w-]+)/.exec(text) ?? [];
  ok(link, `${day.monitor.currentAction}: the notice shows the link: ${text}`);
  const corner = day.workplaces.find(({ kind, keepsPage: long }) => kind === 'field' && !long);
  if (corner && day.random.happens(60)) await register(day, corner, username, link);
}

/** The new person opens the link at a browser that someone has just left. */
async function register(
  day: SimulatedDay,
  workplace: Workplace,
  username: string,
  link: string,
): Promise<void> {
  const { driver } = workplace;
  const [id = -1] =
    [...day.expectedData.users].find(([, user]) => user.username === username) ?? [];
  await day.signOut(workplace);
  await driver.page.goto(`${driver.origin}/register/${link}`);
  const email = `${username}.${id}@field.example`;
  await driver.fill('Email', email);
  await driver.fill('New password', day.passwordOf(id));
  await driver.fill('Confirm password', day.passwordOf(id));
  const period = await day.networkFaults.startRandomFault(
    driver,
    'POST /api/auth/complete-registration',
  );
  if (period) day.monitor.allowedStatuses.add(400); // sent again by Chromium, the link is used up
  await driver.press('button', 'Set Password & Activate');
  const outcome = await driver.waitUntil(
    () =>
      window.pageQueries.failure() ||
      (window.pageQueries.text().includes('Registration complete! You can now log in.') && 'done'),
    `${username} to be registered`,
  );
  await period?.lift();
  ok(outcome === 'done' || period, outcome);
  const activates: ExpectedChange = (expectedData) =>
    expectedData.users.set(id, { ...expectedData.users.get(id)!, email, status: 'ACTIVE' });
  await (outcome === 'done'
    ? day.waitForDatabase([activates])
    : day.waitForDatabase([], [activates]));
  await driver.page.goto(`${driver.origin}/login`);
  const { status, role } = day.expectedData.users.get(id)!;
  await day.signIn(
    workplace,
    status === 'ACTIVE' && role !== 'ADMIN' ? id : day.random.pick(day.listCandidates('field')),
  );
}

export async function deleteUser(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  if (day.expectedData.users.size < 45) return false;
  const id = await pickUser(
    day,
    workplace,
    (each) => day.expectedData.users.get(each)?.role !== 'ADMIN',
  );
  if (id === undefined) return false;
  const { driver } = workplace;
  await driver.openDialog(`Delete ${day.usernameOf(id)}`);
  const changes: ExpectedChange[] = [(expectedData) => expectedData.deleteUser(id)];
  const pressDelete = () => driver.press('button', 'Delete');
  day.monitor.allowedStatuses.add(401); // their own page may ask for something at the same moment
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'DELETE /api/admin/users/',
    act: pressDelete,
    successText: /User deleted\./,
    changes,
  });
  if (done) await waitForScreen(day, workplace, 'Users');
  else await dismissDialog(workplace);
  if (!day.expectedData.users.has(id)) await day.expectSignedOut(id);
  return true;
}

export async function changeRole(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const id = await pickUser(day, workplace);
  if (id === undefined) return false;
  const { driver } = workplace;
  const before = day.expectedData.users.get(id)!;
  const admins = day.listCandidates('office').length;
  const roles = (Object.keys(ROLE_NAMES) as Role[]).filter(
    (each) => each !== before.role && (each !== 'ADMIN' || admins < 6),
  );
  const role = day.random.pick(roles);
  await driver.openDialog(`Change role of ${before.username}`);
  await driver.choose('Role', role);
  const changes: ExpectedChange[] = [
    (expectedData) => expectedData.users.set(id, { ...before, role }),
  ];
  day.monitor.allowedStatuses.add(401); // as above
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'PUT /api/admin/users/',
    act: () => driver.press('button', 'Change role'),
    successText: new RegExp(`now has the role ${ROLE_NAMES[role]}`),
    changes,
  });
  if (done) await waitForScreen(day, workplace, 'Users');
  else await dismissDialog(workplace);
  if (day.expectedData.users.get(id)?.role !== before.role) await day.expectSignedOut(id);
  return true;
}

async function openSubscriptions(
  day: SimulatedDay,
  workplace: Workplace,
): Promise<number | undefined> {
  const { driver } = workplace;
  const id = await pickUser(day, workplace);
  if (id === undefined) return undefined;
  const period = await day.networkFaults.startRandomFault(driver, `GET /api/admin/users/${id}`);
  day.monitor.currentAction += period ? ` (${period.name})` : '';
  await driver.press('link', `Manage Subscriptions of ${day.usernameOf(id)}`);
  const look = () =>
    window.pageQueries.outcome()?.kind === 'ended'
      ? 'ended'
      : window.pageQueries.failure() || (document.querySelector('#current') && 'there');
  const state = await driver.waitUntil(look, `the subscriptions of ${day.usernameOf(id)}`);
  await period?.lift();
  ok(state === 'there' || period, state);
  if (state === 'ended') await day.signInAgain(workplace);
  else if (state !== 'there' && !state.includes('try again automatically'))
    await driver.press('button', 'Retry');
  await seeSubscriptions(day, workplace, id);
  return id;
}

export async function seeSubscriptions(
  day: SimulatedDay,
  workplace: Workplace,
  id: number,
): Promise<void> {
  const ownCount = day.expectedData.topicsOf(id).length;
  await workplace.driver.see(`Current Subscriptions (${ownCount})`);
  await workplace.driver.see(`Available Topics (${day.expectedData.topics.size - ownCount})`);
}

export async function subscribeUser(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const id = await openSubscriptions(day, workplace);
  if (id === undefined) return false;
  return tickTopics(day, workplace, id);
}

/** @param rejected the status if someone else was first */
export async function tickTopics(
  day: SimulatedDay,
  workplace: Workplace,
  id: number,
  refused?: number,
): Promise<boolean> {
  const { driver } = workplace;
  const titles = uniqueNames([...day.expectedData.topics.values()].map(({ title }) => title));
  const offeredTexts = await driver.page.$$eval('.pick b', (elements) =>
    elements.map((one) => one.textContent),
  );
  const free = [...day.expectedData.topics].filter(
    ([, { title }]) => titles.includes(title) && offeredTexts.includes(title),
  );
  if (free.length === 0) return false;
  const chosen = day.random.pickSome(free, 4);
  for (const [, { title }] of chosen) await driver.press('checkbox', title);
  const changes = chosen.map(
    ([topic]): ExpectedChange =>
      (expectedData) =>
        expectedData.subscriptions.add(pairKey(id, topic)),
  );
  const says = new RegExp(`Subscribed to ${countedNoun(chosen.length, 'topic')}\\.`);
  const { isClear: clear } = await day.runChecked({
    workplace,
    request: 'POST /api/admin/subscriptions',
    act: () => driver.press('button', 'Subscribe'),
    successText: says,
    changes,
    rejectedWith: refused,
  });
  if (clear && !refused) await seeSubscriptions(day, workplace, id);
  return true;
}

export async function unsubscribeUser(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const { driver } = workplace;
  const id = await openSubscriptions(day, workplace);
  if (id === undefined) return false;
  const titles = uniqueNames([...day.expectedData.topics.values()].map((each) => each.title));
  const mine = day.expectedData
    .topicsOf(id)
    .filter((each) => titles.includes(day.expectedData.topics.get(each)!.title));
  if (mine.length === 0) return false;
  const topic = day.random.pick(mine);
  const { title } = day.expectedData.topics.get(topic)!;
  const changes: ExpectedChange[] = [
    (expectedData) => expectedData.subscriptions.delete(pairKey(id, topic)),
  ];
  const pressUnsubscribe = () => driver.press('button', `Unsubscribe from ${title}`);
  const { isDone: done } = await day.runChecked({
    workplace,
    request: 'DELETE /api/admin/subscriptions',
    act: pressUnsubscribe,
    successText: /Unsubscribed from/,
    changes,
  });
  if (done) await seeSubscriptions(day, workplace, id);
  return true;
}
