/** What technicians see, and what happens to their devices. */
import { equal } from 'node:assert/strict';
import { eventually } from '../../support/eventually';
import type { SimulatedDay, Workplace } from '../day';

/** Expected switches: `TITLE|true`, or `TITLE|` without permission for notifications. */
async function expectedSettings(day: SimulatedDay, workplace: Workplace): Promise<string[]> {
  const person = day.personAt(workplace);
  const device = await day.deviceAt(workplace);
  const granted = await workplace.driver.page.evaluate(() => Notification.permission === 'granted');
  return day.expectedData
    .topicsOf(person)
    .map(
      (topic) =>
        `${day.expectedData.topics.get(topic)!.title}|${granted ? day.expectedData.isEnabled(person, topic, device) : ''}`,
    )
    .sort();
}

/** Runs in the page. */
const asShown = (expected: string[]) => {
  const shownTitles = window.pageQueries
    .settings()
    .map(({ title, on }) => `${title}|${on ?? ''}`)
    .sort();
  return (
    JSON.stringify(shownTitles) === JSON.stringify(expected) &&
    window.pageQueries.text().includes(`Your subscribed topics (${expected.length})`)
  );
};

/** Checks the topics, their switches and the counts. */
export async function checkSettings(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const expected = await expectedSettings(day, workplace);
  await workplace.driver.waitUntil(
    asShown,
    `${day.monitor.currentAction}: to see ${expected.join(', ') || 'no topics'}`,
    expected,
  );
  const enabledCount = expected.filter((line) => line.endsWith('|true')).length;
  if (expected.every((line) => /\|(true|false)$/.test(line)))
    await workplace.driver.see(`${enabledCount} of ${expected.length} topics enabled`);
}

export async function signInAtWorkplace(
  day: SimulatedDay,
  workplace: Workplace,
  person: number,
): Promise<void> {
  await day.signIn(workplace, person);
  await waitForRegistration(day, workplace);
  await checkSettings(day, workplace);
}

/** A browser with permission becomes their device. */
async function waitForRegistration(day: SimulatedDay, workplace: Workplace): Promise<void> {
  if (!workplace.receivesPushes) return;
  const allowed = await workplace.driver.page.evaluate(() => Notification.permission === 'granted');
  const isTheirs = async () => {
    const device = await day.deviceAt(workplace);
    return allowed
      ? device !== undefined &&
          (await day.database.readData()).devices.get(device)?.user === workplace.person
      : device === undefined;
  };
  await eventually(
    isTheirs,
    `${day.monitor.currentAction}: the browser to be registered, if it may be`,
  );
  await day.waitForDatabase();
}

export async function changePerson(day: SimulatedDay, workplace: Workplace): Promise<void> {
  await day.signOut(workplace);
  await signInAtWorkplace(day, workplace, day.random.pick(day.listCandidates('field')));
}

export async function tryWrongPassword(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  const [person, username] = [day.personAt(workplace), day.usernameOf(day.personAt(workplace))];
  await day.signOut(workplace);
  day.monitor.allowedStatuses.add(401);
  await driver.fill('Username', username);
  await driver.fill('Password', 'not-this-one');
  await driver.press('button', 'Sign in');
  await driver.see('Invalid username or password.');
  await signInAtWorkplace(day, workplace, person);
}

/** Reloads a screen that is older than an administrator's change. */
export async function refreshIfOld(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const expected = await expectedSettings(day, workplace);
  if (await workplace.driver.page.evaluate(asShown, expected)) return;
  await reloadOrBlink(day, workplace);
  await checkSettings(day, workplace);
}

/** Asks for the screen again: by a restart, or by a gap in the network where the page must stay. */
export async function reloadOrBlink(day: SimulatedDay, workplace: Workplace): Promise<void> {
  if (workplace.keepsPage) await day.interruptNetwork(workplace);
  else await workplace.driver.page.reload();
  if (workplace.receivesPushes) await waitForRegistration(day, workplace);
}

export async function refreshScreen(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const period = await day.networkFaults.startRandomFault(
    workplace.driver,
    day.random.pick([
      'GET /api/notifications/my-subscriptions',
      'GET /api/notifications/preferences',
    ]),
  );
  // Only a page that the worker has can restart offline.
  if (period && !['offline', 'no answer'].includes(period.name)) {
    day.monitor.currentAction += ` (${period.name})`;
    if (workplace.keepsPage) await day.interruptNetwork(workplace);
    else await workplace.driver.page.reload();
    await workplace.driver.waitUntil(
      () =>
        window.pageQueries.outcome()?.kind === 'ended' ||
        window.pageQueries.failure() ||
        document.querySelector('#mine') !== null,
      'something to be shown',
    );
    await workplace.driver.waitForCalls();
  }
  await period?.lift();
  if ((await workplace.driver.query('outcome'))?.kind === 'ended') await day.signInAgain(workplace);
  await reloadOrBlink(day, workplace);
  await checkSettings(day, workplace);
}

export async function revokeAndEnable(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await refreshIfOld(day, workplace);
  await driver.setPermission('prompt');
  await driver.see('Permission: default');
  await waitForRegistration(day, workplace);
  await checkSettings(day, workplace);
  await driver.press('button', 'Enable Notifications');
  await driver.see('Permission: granted');
  await waitForRegistration(day, workplace);
  await reloadOrBlink(day, workplace);
  await checkSettings(day, workplace);
}

/** Lets the login token expire while the page is open. */
export async function expireToken(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const tab = await workplace.driver.page.browserContext().newPage();
  await tab.goto(`${workplace.driver.origin}/manifest.json`);
  await tab.evaluate(() => {
    const [head, body = '', signature] = atob(localStorage.getItem('jwt_token') ?? '').split('.');
    const claims = JSON.parse(atob(body.replace(/-/g, '+').replace(/_/g, '/'))) as object;
    const old = btoa(JSON.stringify({ ...claims, exp: 1 }))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
    localStorage.setItem('jwt_token', btoa([head, old, signature].join('.')));
  });
  await tab.close();
  await workplace.driver.waitUntil(
    () => window.pageQueries.outcome()?.kind === 'ended',
    'the session to be over',
  );
  await day.signInAgain(workplace);
  if (workplace.kind === 'office') return;
  await waitForRegistration(day, workplace);
  await checkSettings(day, workplace);
}

export async function startOffline(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const { driver } = workplace;
  if (
    workplace.keepsPage ||
    !(await driver.page.evaluate(() => navigator.serviceWorker.controller !== null))
  )
    return false;
  await refreshIfOld(day, workplace);
  await driver.page.setOfflineMode(true);
  await driver.page.reload();
  await driver.see('Offline. Shown as of');
  await checkSettings(day, workplace);
  await driver.page.setOfflineMode(false);
  await driver.waitUntil(
    () => !window.pageQueries.text().includes('Offline. Shown as of'),
    'the network to be noticed',
  );
  await checkSettings(day, workplace);
  return true;
}

export async function resetAppOnPhone(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const { driver } = workplace;
  if (workplace.keepsPage) return false;
  await driver.page.evaluate(() =>
    document.querySelectorAll('details').forEach((details) => (details.open = true)),
  );
  await driver.openDialog('Reset App');
  await driver.press('button', 'Reset App');
  await driver.waitUntil(
    () => window.pageQueries.outcome()?.kind === 'ended',
    'the app to start afresh',
  );
  equal(await driver.page.evaluate(() => localStorage.getItem('jwt_token')), null);
  workplace.person = undefined;
  await signInAtWorkplace(day, workplace, day.random.pick(day.listCandidates('field')));
  return true;
}

export async function useAPhone(day: SimulatedDay): Promise<void> {
  const phones = [...day.expectedData.devices].filter(
    ([, device]) => device.phone && !day.phones.isGone(device.phone),
  );
  const what = phones.length < 20 ? 'new' : day.random.pick(['new', 'sign out', 'lose']);
  if (what === 'new') {
    const id = day.random.pick(day.listCandidates('field'));
    const name = await day.phones.register(day.usernameOf(id), day.passwordOf(id));
    await day.waitForDatabase([
      (expectedData, now) =>
        expectedData.devices.set(
          [...now.devices].find(([, device]) => device.phone === name)?.[0] ?? -1,
          {
            user: id,
            phone: name,
          },
        ),
    ]);
    return;
  }
  const [id, { user, phone }] = day.random.pick(phones);
  if (what === 'lose') return day.phones.discardPhone(phone);
  if (day.expectedData.users.get(user)?.status !== 'ACTIVE') return;
  await day.phones.unregister(day.usernameOf(user), day.passwordOf(user), phone);
  await day.waitForDatabase([(expectedData) => expectedData.deleteDevice(id)]);
}
