import { ok } from 'node:assert/strict';
import { pair } from '../model';
import type { Change, Day, Seat } from '../day';
import { again, refreshIfOld, seeSettings } from './field';
import { unique } from './lists';

/** One of their topics with a unique title, and its switch. */
async function pickSwitch(
  day: Day,
  seat: Seat,
): Promise<{ topic: number; title: string; on: boolean } | undefined> {
  if (!(await seat.hand.page.evaluate(() => Notification.permission === 'granted')))
    return undefined;
  await refreshIfOld(day, seat);
  const person = day.sitter(seat);
  const titles = unique(day.books.topicsOf(person).map((id) => day.books.topics.get(id)!.title));
  const mine = day.books
    .topicsOf(person)
    .filter((id) => titles.includes(day.books.topics.get(id)!.title));
  if (mine.length === 0) return undefined;
  const topic = day.dice.pick(mine);
  return {
    topic,
    title: day.books.topics.get(topic)!.title,
    on: day.books.isEnabled(person, topic, await day.deviceAt(seat)),
  };
}

/** Changes this device's setting if the server knows it, else the account's. */
async function sets(day: Day, seat: Seat, topic: number, enabled: boolean): Promise<Change> {
  const [person, device] = [day.sitter(seat), await day.deviceAt(seat)];
  return (books) =>
    device === undefined
      ? books.setPreference(person, topic, enabled)
      : books.devicePreferences.set(pair(device, topic), enabled);
}

export async function flip(day: Day, seat: Seat): Promise<boolean> {
  const { hand } = seat;
  const found = await pickSwitch(day, seat);
  if (!found) return false;
  const change = await sets(day, seat, found.topic, !found.on);
  const spell = await day.weather.over(hand, 'PUT /api/notifications/preferences/');
  day.watch.doing += spell ? ` (${spell.name})` : '';
  await hand.look('forgetNotices');
  await hand.press('switch', found.title);
  if (!spell) await day.settle([change]);
  else {
    await hand.rest();
    const outcome = await hand.look('outcome');
    await spell.lift();
    if (spell.effect === 'late') await day.settle([change]);
    else await day.settle([], [change]);
    if (outcome?.is === 'ended') await day.comeBack(seat);
    if (outcome?.is === 'bad')
      ok(
        outcome.text.includes('Failed to update notification preference') ||
          spell.name === 'error 429',
        outcome.text,
      );
  }
  await seeSettings(day, seat);
  return true;
}

/** Taps again and again: the last tap counts. */
export async function tapQuickly(day: Day, seat: Seat): Promise<boolean> {
  const found = await pickSwitch(day, seat);
  if (!found) return false;
  const taps = day.dice.from(2, 20);
  const change = await sets(day, seat, found.topic, taps % 2 ? !found.on : found.on);
  await seat.hand.press('switch', found.title, taps);
  await seat.hand.rest();
  await day.settle([change]);
  await seeSettings(day, seat);
  return true;
}

/** A switch that is no longer theirs goes back, with the reason. */
export async function tapInVain(day: Day, seat: Seat): Promise<boolean> {
  const found = await pickSwitch(day, seat);
  if (!found) return false;
  const person = day.sitter(seat);
  await day.company.unsubscribe(person, found.topic);
  await day.settle([(books) => books.subscriptions.delete(pair(person, found.topic))]);
  day.watch.allowed.add(404);
  await seat.hand.look('forgetNotices');
  await seat.hand.press('switch', found.title);
  await seat.hand.see('You are not subscribed to this topic.');
  await day.settle();
  await again(day, seat);
  await seeSettings(day, seat);
  return true;
}

export async function applyToAll(day: Day, seat: Seat): Promise<boolean> {
  const person = day.sitter(seat);
  const device = await day.deviceAt(seat);
  if (device === undefined) return false;
  await refreshIfOld(day, seat);
  const topics = day.books.topicsOf(person);
  if (topics.length === 0) return false;
  const changes = topics.map((topic): Change => {
    const enabled = day.books.isEnabled(person, topic, device);
    return (books) => books.setPreference(person, topic, enabled);
  });
  const act = () => seat.hand.press('button', 'Apply to all my devices');
  await day.change({
    seat,
    request: 'PUT /api/notifications/preferences/global/',
    act,
    says: /All your devices now have these settings\./,
    changes,
  });
  if (await seat.hand.page.evaluate(() => location.pathname !== '/login')) await again(day, seat);
  await seeSettings(day, seat);
  return true;
}
