import { ok } from 'node:assert/strict';
import { pairKey } from '../expected-data';
import type { ExpectedChange, SimulatedDay, Workplace } from '../day';
import { reloadOrBlink, refreshIfOld, checkSettings } from './field';
import { uniqueNames } from './lists';

/** One of their topics with a unique title, and its switch. */
async function pickSwitch(
  day: SimulatedDay,
  workplace: Workplace,
): Promise<{ topic: number; title: string; on: boolean } | undefined> {
  if (!(await workplace.driver.page.evaluate(() => Notification.permission === 'granted')))
    return undefined;
  await refreshIfOld(day, workplace);
  const person = day.personAt(workplace);
  const titles = uniqueNames(
    day.expectedData.topicsOf(person).map((id) => day.expectedData.topics.get(id)!.title),
  );
  const mine = day.expectedData
    .topicsOf(person)
    .filter((id) => titles.includes(day.expectedData.topics.get(id)!.title));
  if (mine.length === 0) return undefined;
  const topic = day.random.pick(mine);
  return {
    topic,
    title: day.expectedData.topics.get(topic)!.title,
    on: day.expectedData.isEnabled(person, topic, await day.deviceAt(workplace)),
  };
}

/** Changes this device's setting if the server knows it, else the account's. */
async function setSwitch(
  day: SimulatedDay,
  workplace: Workplace,
  topic: number,
  enabled: boolean,
): Promise<ExpectedChange> {
  const [person, device] = [day.personAt(workplace), await day.deviceAt(workplace)];
  return (expectedData) =>
    device === undefined
      ? expectedData.setPreference(person, topic, enabled)
      : expectedData.devicePreferences.set(pairKey(device, topic), enabled);
}

export async function switchTopic(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const { driver } = workplace;
  const foundSwitch = await pickSwitch(day, workplace);
  if (!foundSwitch) return false;
  const change = await setSwitch(day, workplace, foundSwitch.topic, !foundSwitch.on);
  const period = await day.networkFaults.startRandomFault(
    driver,
    'PUT /api/notifications/preferences/',
  );
  day.monitor.currentAction += period ? ` (${period.name})` : '';
  await driver.query('forgetNotices');
  await driver.press('switch', foundSwitch.title);
  if (!period) await day.waitForDatabase([change]);
  else {
    await driver.waitForCalls();
    const outcome = await driver.query('outcome');
    await period.lift();
    if (period.effect === 'late') await day.waitForDatabase([change]);
    else await day.waitForDatabase([], [change]);
    if (outcome?.kind === 'ended') await day.signInAgain(workplace);
    if (outcome?.kind === 'bad')
      ok(
        outcome.text.includes('Failed to update notification preference') ||
          period.name === 'error 429',
        outcome.text,
      );
  }
  await checkSettings(day, workplace);
  return true;
}

/** Taps again and again: the last tap counts. */
export async function toggleRepeatedly(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const foundSwitch = await pickSwitch(day, workplace);
  if (!foundSwitch) return false;
  const taps = day.random.integerBetween(2, 20);
  const change = await setSwitch(
    day,
    workplace,
    foundSwitch.topic,
    taps % 2 ? !foundSwitch.on : foundSwitch.on,
  );
  await workplace.driver.press('switch', foundSwitch.title, taps);
  await workplace.driver.waitForCalls();
  await day.waitForDatabase([change]);
  await checkSettings(day, workplace);
  return true;
}

/** A switch that is no longer theirs goes back, with the reason. */
export async function toggleRemovedTopic(
  day: SimulatedDay,
  workplace: Workplace,
): Promise<boolean> {
  const foundSwitch = await pickSwitch(day, workplace);
  if (!foundSwitch) return false;
  const person = day.personAt(workplace);
  await day.company.unsubscribe(person, foundSwitch.topic);
  await day.waitForDatabase([
    (expectedData) => expectedData.subscriptions.delete(pairKey(person, foundSwitch.topic)),
  ]);
  day.monitor.allowedStatuses.add(404);
  await workplace.driver.query('forgetNotices');
  await workplace.driver.press('switch', foundSwitch.title);
  await workplace.driver.see('You are not subscribed to this topic.');
  await day.waitForDatabase();
  await reloadOrBlink(day, workplace);
  await checkSettings(day, workplace);
  return true;
}

export async function applyToAll(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  const person = day.personAt(workplace);
  const device = await day.deviceAt(workplace);
  if (device === undefined) return false;
  await refreshIfOld(day, workplace);
  const topics = day.expectedData.topicsOf(person);
  if (topics.length === 0) return false;
  const changes = topics.map((topic): ExpectedChange => {
    const enabled = day.expectedData.isEnabled(person, topic, device);
    return (expectedData) => expectedData.setPreference(person, topic, enabled);
  });
  const pressApply = () => workplace.driver.press('button', 'Apply to all my devices');
  await day.runChecked({
    workplace,
    request: 'PUT /api/notifications/preferences/global/',
    act: pressApply,
    successText: /All your devices now have these settings\./,
    changes,
  });
  if (await workplace.driver.page.evaluate(() => location.pathname !== '/login'))
    await reloadOrBlink(day, workplace);
  await checkSettings(day, workplace);
  return true;
}
