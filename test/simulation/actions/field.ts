/** What technicians see, and what happens to their devices. */
import { equal } from 'node:assert/strict';
import { eventually } from '../../support/eventually';
import type { Day, Seat } from '../day';

/** The switches by the books: `TITLE|true`, or `TITLE|` without permission for notifications. */
async function expectedSettings(day: Day, seat: Seat): Promise<string[]> {
  const person = day.sitter(seat);
  const device = await day.deviceAt(seat);
  const granted = await seat.hand.page.evaluate(() => Notification.permission === 'granted');
  return day.books
    .topicsOf(person)
    .map(
      (topic) =>
        `${day.books.topics.get(topic)!.title}|${granted ? day.books.isEnabled(person, topic, device) : ''}`,
    )
    .sort();
}

/** Runs in the page. */
const asShown = (expected: string[]) => {
  const shown = window.eyes
    .settings()
    .map(({ title, on }) => `${title}|${on ?? ''}`)
    .sort();
  return (
    JSON.stringify(shown) === JSON.stringify(expected) &&
    window.eyes.text().includes(`Your subscribed topics (${expected.length})`)
  );
};

/** Checks the topics, their switches and the counts. */
export async function seeSettings(day: Day, seat: Seat): Promise<void> {
  const expected = await expectedSettings(day, seat);
  await seat.hand.until(
    asShown,
    `${day.watch.doing}: to see ${expected.join(', ') || 'no topics'}`,
    expected,
  );
  const enabled = expected.filter((line) => line.endsWith('|true')).length;
  if (expected.every((line) => /\|(true|false)$/.test(line)))
    await seat.hand.see(`${enabled} of ${expected.length} topics enabled`);
}

export async function sitDown(day: Day, seat: Seat, person: number): Promise<void> {
  await day.signIn(seat, person);
  await registered(day, seat);
  await seeSettings(day, seat);
}

/** A browser with permission becomes their device. */
async function registered(day: Day, seat: Seat): Promise<void> {
  if (!seat.push) return;
  const allowed = await seat.hand.page.evaluate(() => Notification.permission === 'granted');
  const isTheirs = async () => {
    const device = await day.deviceAt(seat);
    return allowed
      ? device !== undefined &&
          (await day.database.books()).devices.get(device)?.user === seat.person
      : device === undefined;
  };
  await eventually(isTheirs, `${day.watch.doing}: the browser to be registered, if it may be`);
  await day.settle();
}

export async function takeTurns(day: Day, seat: Seat): Promise<void> {
  await day.signOut(seat);
  await sitDown(day, seat, day.dice.pick(day.candidates('field')));
}

export async function tryWrongPassword(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  const [person, username] = [day.sitter(seat), day.usernameOf(day.sitter(seat))];
  await day.signOut(seat);
  day.watch.allowed.add(401);
  await hand.fill('Username', username);
  await hand.fill('Password', 'not-this-one');
  await hand.press('button', 'Sign in');
  await hand.see('Invalid username or password.');
  await sitDown(day, seat, person);
}

/** Reloads a screen that is older than an administrator's change. */
export async function refreshIfOld(day: Day, seat: Seat): Promise<void> {
  const expected = await expectedSettings(day, seat);
  if (await seat.hand.page.evaluate(asShown, expected)) return;
  await again(day, seat);
  await seeSettings(day, seat);
}

/** Asks for the screen again: by a restart, or by a gap in the network where the page must stay. */
export async function again(day: Day, seat: Seat): Promise<void> {
  if (seat.long) await day.blink(seat);
  else await seat.hand.page.reload();
  if (seat.push) await registered(day, seat);
}

export async function refresh(day: Day, seat: Seat): Promise<void> {
  const spell = await day.weather.over(
    seat.hand,
    day.dice.pick([
      'GET /api/notifications/my-subscriptions',
      'GET /api/notifications/preferences',
    ]),
  );
  // Only a page that the worker has can restart offline.
  if (spell && !['offline', 'no answer'].includes(spell.name)) {
    day.watch.doing += ` (${spell.name})`;
    if (seat.long) await day.blink(seat);
    else await seat.hand.page.reload();
    await seat.hand.until(
      () =>
        window.eyes.outcome()?.is === 'ended' ||
        window.eyes.failure() ||
        document.querySelector('#mine') !== null,
      'something to be shown',
    );
    await seat.hand.rest();
  }
  await spell?.lift();
  if ((await seat.hand.look('outcome'))?.is === 'ended') await day.comeBack(seat);
  await again(day, seat);
  await seeSettings(day, seat);
}

export async function revokeAndEnable(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await refreshIfOld(day, seat);
  await hand.decide('prompt');
  await hand.see('Permission: default');
  await registered(day, seat);
  await seeSettings(day, seat);
  await hand.press('button', 'Enable Notifications');
  await hand.see('Permission: granted');
  await registered(day, seat);
  await again(day, seat);
  await seeSettings(day, seat);
}

/** Lets the login token expire while the page is open. */
export async function expire(day: Day, seat: Seat): Promise<void> {
  const tab = await seat.hand.page.browserContext().newPage();
  await tab.goto(`${seat.hand.origin}/manifest.json`);
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
  await seat.hand.until(() => window.eyes.outcome()?.is === 'ended', 'the session to be over');
  await day.comeBack(seat);
  if (seat.kind === 'office') return;
  await registered(day, seat);
  await seeSettings(day, seat);
}

export async function startOffline(day: Day, seat: Seat): Promise<boolean> {
  const { hand } = seat;
  if (seat.long || !(await hand.page.evaluate(() => navigator.serviceWorker.controller !== null)))
    return false;
  await refreshIfOld(day, seat);
  await hand.page.setOfflineMode(true);
  await hand.page.reload();
  await hand.see('Offline. Shown as of');
  await seeSettings(day, seat);
  await hand.page.setOfflineMode(false);
  await hand.until(
    () => !window.eyes.text().includes('Offline. Shown as of'),
    'the network to be noticed',
  );
  await seeSettings(day, seat);
  return true;
}

export async function resetApp(day: Day, seat: Seat): Promise<boolean> {
  const { hand } = seat;
  if (seat.long) return false;
  await hand.page.evaluate(() =>
    document.querySelectorAll('details').forEach((details) => (details.open = true)),
  );
  await hand.ask('Reset App');
  await hand.press('button', 'Reset App');
  await hand.until(() => window.eyes.outcome()?.is === 'ended', 'the app to start afresh');
  equal(await hand.page.evaluate(() => localStorage.getItem('jwt_token')), null);
  seat.person = undefined;
  await sitDown(day, seat, day.dice.pick(day.candidates('field')));
  return true;
}

export async function useAPhone(day: Day): Promise<void> {
  const phones = [...day.books.devices].filter(
    ([, device]) => device.phone && !day.phones.isGone(device.phone),
  );
  const what = phones.length < 20 ? 'new' : day.dice.pick(['new', 'sign out', 'lose']);
  if (what === 'new') {
    const id = day.dice.pick(day.candidates('field'));
    const name = await day.phones.register(day.usernameOf(id), day.passwordOf(id));
    await day.settle([
      (books, now) =>
        books.devices.set([...now.devices].find(([, device]) => device.phone === name)?.[0] ?? -1, {
          user: id,
          phone: name,
        }),
    ]);
    return;
  }
  const [id, { user, phone }] = day.dice.pick(phones);
  if (what === 'lose') return day.phones.lose(phone);
  if (day.books.users.get(user)?.status !== 'ACTIVE') return;
  await day.phones.unregister(day.usernameOf(user), day.passwordOf(user), phone);
  await day.settle([(books) => books.deleteDevice(id)]);
}
