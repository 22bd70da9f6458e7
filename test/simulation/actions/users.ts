/** An administrator's changes of accounts, roles and subscriptions. */
import { ok } from 'node:assert/strict';
import type { Role } from '../../../src/shared/contract';
import { ROLE_NAMES } from '../../../src/screens/user-labels';
import { countedNoun } from '../../../src/ui/lists/Pager';
import { pair } from '../model';
import type { Change, Day, Seat } from '../day';
import { arrive, be, go, listed, unique } from './lists';
import { dismiss } from './topics';

/** Someone who is shown as they are; never the first administrator. */
export async function pickUser(
  day: Day,
  seat: Seat,
  which: (id: number) => boolean = () => true,
): Promise<number | undefined> {
  await be(day, seat, 'Users');
  const fresh = (await listed(day, seat)).filter(
    ([id, , , role]) => day.books.users.get(Number(id))?.role === role?.toUpperCase(),
  );
  const there = fresh
    .map(([id]) => Number(id))
    .filter((id) => day.usernameOf(id) !== 'admin' && id !== seat.person && which(id));
  if (there.length > 0) return day.dice.pick(there);
  await go(day, seat, 'Dashboard');
  await go(day, seat, 'Users');
  return undefined;
}

export async function addUser(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Users');
  await hand.ask('Add User');
  const taken = day.dice.chance(10);
  const username = taken
    ? day.dice.pick([...day.books.users.values()]).username.toUpperCase()
    : day.word().toLowerCase();
  const email = day.dice.chance(50) ? `${day.word()}@northgrid.example` : null;
  const role: Role = day.dice.pick(['CUSTOMER', 'TECHNICIAN', 'TECHNICIAN']);
  await hand.fill('Username', username);
  await hand.fill('Email', email ?? '');
  await hand.choose('Role', role);
  const adds: Change = (books, now) => {
    const [id = -1] = [...now.users].find(([, user]) => user.username === username) ?? [];
    books.users.set(id, { username, email, role, status: 'PENDING' });
  };
  const { done, text } = await day.change({
    seat,
    request: 'POST /api/admin/users',
    act: () => hand.press('button', 'Add User'),
    says: /Registration link created!/,
    changes: [adds],
    refused: taken ? 409 : undefined,
  });
  if (!done) return dismiss(seat);
  await arrive(day, seat, 'Users');
  const [, link = ''] = /\/register\/([\w-]+)/.exec(text) ?? [];
  ok(link, `${day.watch.doing}: the notice shows the link: ${text}`);
  const corner = day.seats.find(({ kind, long }) => kind === 'field' && !long);
  if (corner && day.dice.chance(60)) await register(day, corner, username, link);
}

/** The new person opens the link at a browser that someone has just left. */
async function register(day: Day, seat: Seat, username: string, link: string): Promise<void> {
  const { hand } = seat;
  const [id = -1] = [...day.books.users].find(([, user]) => user.username === username) ?? [];
  await day.signOut(seat);
  await hand.page.goto(`${hand.origin}/register/${link}`);
  const email = `${username}.${id}@field.example`;
  await hand.fill('Email', email);
  await hand.fill('New password', day.passwordOf(id));
  await hand.fill('Confirm password', day.passwordOf(id));
  const spell = await day.weather.over(hand, 'POST /api/auth/complete-registration');
  if (spell) day.watch.allowed.add(400); // sent again by Chromium, the link is used up
  await hand.press('button', 'Set Password & Activate');
  const outcome = await hand.until(
    () =>
      window.eyes.failure() ||
      (window.eyes.text().includes('Registration complete! You can now log in.') && 'done'),
    `${username} to be registered`,
  );
  await spell?.lift();
  ok(outcome === 'done' || spell, outcome);
  const activates: Change = (books) =>
    books.users.set(id, { ...books.users.get(id)!, email, status: 'ACTIVE' });
  await (outcome === 'done' ? day.settle([activates]) : day.settle([], [activates]));
  await hand.page.goto(`${hand.origin}/login`);
  const { status, role } = day.books.users.get(id)!;
  await day.signIn(
    seat,
    status === 'ACTIVE' && role !== 'ADMIN' ? id : day.dice.pick(day.candidates('field')),
  );
}

export async function deleteUser(day: Day, seat: Seat): Promise<boolean> {
  if (day.books.users.size < 45) return false;
  const id = await pickUser(day, seat, (each) => day.books.users.get(each)?.role !== 'ADMIN');
  if (id === undefined) return false;
  const { hand } = seat;
  await hand.ask(`Delete ${day.usernameOf(id)}`);
  const changes: Change[] = [(books) => books.deleteUser(id)];
  const act = () => hand.press('button', 'Delete');
  day.watch.allowed.add(401); // their own page may ask for something at the same moment
  const { done } = await day.change({
    seat,
    request: 'DELETE /api/admin/users/',
    act,
    says: /User deleted\./,
    changes,
  });
  if (done) await arrive(day, seat, 'Users');
  else await dismiss(seat);
  if (!day.books.users.has(id)) await day.sentAway(id);
  return true;
}

export async function changeRole(day: Day, seat: Seat): Promise<boolean> {
  const id = await pickUser(day, seat);
  if (id === undefined) return false;
  const { hand } = seat;
  const before = day.books.users.get(id)!;
  const admins = day.candidates('office').length;
  const roles = (Object.keys(ROLE_NAMES) as Role[]).filter(
    (each) => each !== before.role && (each !== 'ADMIN' || admins < 6),
  );
  const role = day.dice.pick(roles);
  await hand.ask(`Change role of ${before.username}`);
  await hand.choose('Role', role);
  const changes: Change[] = [(books) => books.users.set(id, { ...before, role })];
  day.watch.allowed.add(401); // as above
  const { done } = await day.change({
    seat,
    request: 'PUT /api/admin/users/',
    act: () => hand.press('button', 'Change role'),
    says: new RegExp(`now has the role ${ROLE_NAMES[role]}`),
    changes,
  });
  if (done) await arrive(day, seat, 'Users');
  else await dismiss(seat);
  if (day.books.users.get(id)?.role !== before.role) await day.sentAway(id);
  return true;
}

async function openSubscriptions(day: Day, seat: Seat): Promise<number | undefined> {
  const { hand } = seat;
  const id = await pickUser(day, seat);
  if (id === undefined) return undefined;
  const spell = await day.weather.over(hand, `GET /api/admin/users/${id}`);
  day.watch.doing += spell ? ` (${spell.name})` : '';
  await hand.press('link', `Manage Subscriptions of ${day.usernameOf(id)}`);
  const look = () =>
    window.eyes.outcome()?.is === 'ended'
      ? 'ended'
      : window.eyes.failure() || (document.querySelector('#current') && 'there');
  const state = await hand.until(look, `the subscriptions of ${day.usernameOf(id)}`);
  await spell?.lift();
  ok(state === 'there' || spell, state);
  if (state === 'ended') await day.comeBack(seat);
  else if (state !== 'there' && !state.includes('try again automatically'))
    await hand.press('button', 'Retry');
  await seeSubscriptions(day, seat, id);
  return id;
}

export async function seeSubscriptions(day: Day, seat: Seat, id: number): Promise<void> {
  const mine = day.books.topicsOf(id).length;
  await seat.hand.see(`Current Subscriptions (${mine})`);
  await seat.hand.see(`Available Topics (${day.books.topics.size - mine})`);
}

export async function subscribe(day: Day, seat: Seat): Promise<boolean> {
  const id = await openSubscriptions(day, seat);
  if (id === undefined) return false;
  return tick(day, seat, id);
}

/** @param rejected the status if someone else was first */
export async function tick(day: Day, seat: Seat, id: number, refused?: number): Promise<boolean> {
  const { hand } = seat;
  const titles = unique([...day.books.topics.values()].map(({ title }) => title));
  const offered = await hand.page.$$eval('.pick b', (all) => all.map((one) => one.textContent));
  const free = [...day.books.topics].filter(
    ([, { title }]) => titles.includes(title) && offered.includes(title),
  );
  if (free.length === 0) return false;
  const chosen = day.dice.some(free, 4);
  for (const [, { title }] of chosen) await hand.press('checkbox', title);
  const changes = chosen.map(
    ([topic]): Change =>
      (books) =>
        books.subscriptions.add(pair(id, topic)),
  );
  const says = new RegExp(`Subscribed to ${countedNoun(chosen.length, 'topic')}\\.`);
  const { clear } = await day.change({
    seat,
    request: 'POST /api/admin/subscriptions',
    act: () => hand.press('button', 'Subscribe'),
    says,
    changes,
    refused,
  });
  if (clear && !refused) await seeSubscriptions(day, seat, id);
  return true;
}

export async function unsubscribe(day: Day, seat: Seat): Promise<boolean> {
  const { hand } = seat;
  const id = await openSubscriptions(day, seat);
  if (id === undefined) return false;
  const titles = unique([...day.books.topics.values()].map((each) => each.title));
  const mine = day.books
    .topicsOf(id)
    .filter((each) => titles.includes(day.books.topics.get(each)!.title));
  if (mine.length === 0) return false;
  const topic = day.dice.pick(mine);
  const { title } = day.books.topics.get(topic)!;
  const changes: Change[] = [(books) => books.subscriptions.delete(pair(id, topic))];
  const act = () => hand.press('button', `Unsubscribe from ${title}`);
  const { done } = await day.change({
    seat,
    request: 'DELETE /api/admin/subscriptions',
    act,
    says: /Unsubscribed from/,
    changes,
  });
  if (done) await seeSubscriptions(day, seat, id);
  return true;
}
